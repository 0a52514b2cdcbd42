import Foundation
import Glibc
import Testing

@testable import Domesday

extension StorageTests {
    /// Small commits: what they cost, and that nothing of them is lost.
    @Suite("Commit log")
    struct CommitLogTests {
        let folder: StorageFolder
        let path: String

        init() throws {
            folder = try StorageFolder()
            path = folder.file()
        }

        private var frameCount: Int {
            get throws {
                let bytes = try #require(StoreFile.byteCount(path + "-wal"))
                return max(0, bytes - 32) / (SQLitePageStore.pageByteCount + 24)
            }
        }

        @Test("a commit that changes a little of several blobs is one frame of the WAL, or two")
        func oneFrame() throws {
            let store = try SQLitePageStore(path: path)
            var history = SmallHistory(seed: 1)
            try store.commit(history.contents)
            // Makes the row behind the first.
            try history.step(in: store)
            for _ in 0..<30 {
                let before = try frameCount
                try history.step(in: store)
                #expect(try frameCount - before <= 2)
            }
            #expect(try history.problems(in: store) == [])
        }

        @Test("the log is folded before what it holds back grows too large")
        func foldingByBytes() throws {
            let limit = 96 << 10
            let options = SQLitePageStore.Options(durability: .off, loggedByteLimit: limit)
            let store = try SQLitePageStore(path: path, options: options)
            var history = SmallHistory(seed: 2)
            try store.commit(history.contents)
            for _ in 0..<300 {
                try history.step(in: store)
                #expect(store.logState.withLock { $0.blobs.byteCount } <= limit)
            }
            #expect(store.logState.withLock { $0.log.epoch } > 3, "it was hardly ever folded")
            #expect(try history.problems(in: store) == [])
        }

        @Test("the log is folded when its rows are full")
        func foldingByRows() throws {
            let store = try SQLitePageStore(path: path, options: .init(durability: .off))
            var history = SmallHistory(seed: 8)
            var random = StorageRandom(9)
            try store.commit(history.contents)
            for _ in 0..<200 {
                try history.step(in: store)
                // Nothing of it agrees with what was there.
                let bytes = random.bytes(6000)
                try store.commit([BlobAddress(9, 1): bytes])
                #expect(try store.bytes(BlobAddress(9, 1)) == bytes)
            }
            #expect(store.logState.withLock { $0.log.epoch } > 1, "it was never folded")
            #expect(try history.problems(in: store) == [])
            let id = Int64(CommitLog.rowCount)
            #expect(try store.read(BlobAddress(space: CommitLog.space, id: id)) == nil)
        }

        @Test("a pin sees its version while the log goes on and is folded")
        func pins() throws {
            let store = try SQLitePageStore(path: path, options: .init(durability: .off))
            var history = SmallHistory(seed: 3)
            try store.commit(history.contents)
            var pins: [(pin: any PagePin, contents: [BlobAddress: [UInt8]])] = []
            for step in 0..<400 {
                try history.step(in: store)
                if step % 40 == 7 { pins.append((try store.pin(), history.contents)) }
                if step % 90 == 89 {
                    // Too large for the log.
                    try store.commit([BlobAddress(9, 1): [UInt8](repeating: 1, count: 300_000)])
                }
            }
            for (pin, contents) in pins {
                for (address, bytes) in contents { #expect(try pin.read(address)?.bytes == bytes) }
            }
            #expect(try history.problems(in: store) == [])
        }

        @Test("a blob at hand is used only if it is the committed one")
        func replacing() throws {
            let store = try SQLitePageStore(path: path, options: .init(foldsAtClose: false))
            var random = StorageRandom(10)
            let address = BlobAddress(1, 1)
            var committed = BlobBuffer(random.bytes(3000))
            func change(_ blob: BlobBuffer, version: UInt64) -> BlobBuffer {
                let changed = blob.copy()
                changed.payload.storeBytes(
                    of: random.next(),
                    toByteOffset: Int.random(in: 0..<2900, using: &random),
                    as: UInt64.self
                )
                changed.version = version
                return changed
            }
            // Folded: small, but nothing to follow from.
            try store.commit([BlobAddress(2, 1): [UInt8](repeating: 1, count: 300_000)])
            var version: UInt64 = 0
            for step in 0..<60 {
                version += 1
                let writer = try store.beginWrite()
                // As stored; changed in memory since; written by this transaction before.
                var old = committed
                if step % 3 == 1 { old = change(committed, version: version - 1) }
                if step % 3 == 2 {
                    old = change(committed, version: version)
                    old.seal(at: address, seed: store.seed)
                }
                committed = change(committed, version: version)
                try writer.write(committed, at: address, replacing: step == 0 ? nil : old)
                try writer.commit()
                if step % 5 == 4 {
                    // Puts the blob into its table, so that the next record begins with it.
                    try store.commit([
                        BlobAddress(2, 1): [UInt8](repeating: UInt8(step), count: 300_000)
                    ])
                }
            }
            try store.close()
            let reopened = try SQLitePageStore(path: path)
            #expect(try reopened.bytes(address) == committed.bytes)
        }

        @Test("closing leaves an empty log")
        func closing() throws {
            let store = try SQLitePageStore(path: path)
            var history = SmallHistory(seed: 4)
            try store.commit(history.contents)
            try history.step(in: store)
            #expect(!store.logState.withLock { $0.log.isEmpty })
            try store.close()
            let next = try SQLitePageStore(path: path)
            #expect(next.logState.withLock { $0.log.isEmpty && $0.blobs.isEmpty })
            #expect(try history.problems(in: next) == [])
        }

        /// Leaves a store with a log behind whose writer has died after so many steps.
        static func writeAndDie(path: String, seed: UInt64, stepCount: Int) throws {
            let store = try SQLitePageStore(path: path, options: .init(durability: .off))
            var history = SmallHistory(seed: seed)
            try store.commit(history.contents)
            for _ in 0..<stepCount { try history.step(in: store) }
            kill(getpid(), SIGKILL)
        }

        /// The history that a store has behind it whose writer is dead now.
        private func killedWriter(seed: UInt64, stepCount: Int) async throws -> SmallHistory {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, seed = seed as UInt64, stepCount = stepCount as Int] in
                try StorageTests.CommitLogTests.writeAndDie(
                    path: path,
                    seed: seed,
                    stepCount: stepCount
                )
            }
            var history = SmallHistory(seed: seed)
            for _ in 0..<stepCount { history.change() }
            return history
        }

        @Test(
            "what a dead writer left in the log is read, changed, and folded by the next",
            arguments: [1, 2, 33, 180, 700]
        )
        func deadWriter(_ stepCount: Int) async throws {
            var history = try await killedWriter(seed: UInt64(stepCount), stepCount: stepCount)
            let readOnly = try SQLitePageStore(path: path, options: .init(isReadOnly: true))
            #expect(try history.problems(in: readOnly) == [])
            try readOnly.close()
            let store = try SQLitePageStore(path: path)
            #expect(try history.problems(in: store) == [])
            for _ in 0..<50 { try history.step(in: store) }
            #expect(try history.problems(in: store) == [])
            try store.close()
            #expect(try history.problems(in: try SQLitePageStore(path: path)) == [])
        }

        @Test(
            "a log that is damaged, or lacks a row or what it builds upon, is refused",
            arguments: [
                "UPDATE log SET data=zeroblob(3840) WHERE id=0",
                "DELETE FROM log WHERE id=0",
                "DELETE FROM log WHERE id=1",
                "UPDATE log SET data=(SELECT data FROM log WHERE id=1) WHERE id=0",
                "UPDATE log SET data=substr(data,1,60)||x'FF'||substr(data,62) WHERE id=1",
                "DROP TABLE log",
                "DELETE FROM s1",
            ]
        )
        func damage(_ sql: String) async throws {
            _ = try await killedWriter(seed: 5, stepCount: 60)
            let connection = try SQLiteConnection(
                file: path,
                path: path,
                role: .writer(.off),
                busyTimeout: .seconds(1)
            )
            try connection.execute(sql)
            connection.close()
            for isReadOnly in [true, false] {
                let error = storageError {
                    try SQLitePageStore(path: path, options: .init(isReadOnly: isReadOnly))
                }
                #expect(error?.code == .damaged, "\(String(describing: error))")
            }
        }

        @Test("a store of format 1, which had no log, is read, and gets one when written")
        func formatOne() throws {
            let first = try SQLitePageStore(path: path)
            var history = SmallHistory(seed: 6)
            try first.commit(history.contents)
            try first.close()
            let connection = try SQLiteConnection(
                file: path,
                path: path,
                role: .writer(.off),
                busyTimeout: .seconds(1)
            )
            try connection.execute("DROP TABLE log; PRAGMA user_version=1")
            connection.close()
            let readOnly = try SQLitePageStore(path: path, options: .init(isReadOnly: true))
            #expect(try history.problems(in: readOnly) == [])
            try readOnly.close()
            let store = try SQLitePageStore(path: path)
            for _ in 0..<5 { try history.step(in: store) }
            try store.close()
            let head = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(100)
            #expect(Array(head[60..<64]) == [0, 0, 0, 5])
            #expect(try history.problems(in: try SQLitePageStore(path: path)) == [])
        }

        @Test(
            "a store of format 2, 3 or 4 is read, and becomes the present one when opened for writing",
            arguments: [2, 3, 4]
        )
        func olderFormat(_ version: Int) throws {
            let first = try SQLitePageStore(path: path)
            var history = SmallHistory(seed: 7)
            try first.commit(history.contents)
            for _ in 0..<3 { try history.step(in: first) }
            try first.close()
            let connection = try SQLiteConnection(
                file: path,
                path: path,
                role: .writer(.off),
                busyTimeout: .seconds(1)
            )
            try connection.execute("PRAGMA user_version=\(version)")
            connection.close()
            let readOnly = try SQLitePageStore(path: path, options: .init(isReadOnly: true))
            #expect(try history.problems(in: readOnly) == [])
            try readOnly.close()
            let store = try SQLitePageStore(path: path)
            #expect(try history.problems(in: store) == [])
            try store.close()
            let head = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(100)
            #expect(Array(head[60..<64]) == [0, 0, 0, 5])
        }
    }

    @Suite("Blob deltas")
    struct BlobDeltaTests {
        /// Bytes of the delta; records an issue if it does not lead to `new`.
        private func byteCount(_ new: [UInt8], from old: [UInt8]?) throws -> Int {
            let (new, old) = (BlobBuffer(new), old.map { BlobBuffer($0) })
            var writer = ByteWriter()
            #expect(BlobDelta.append(new, from: old, to: &writer, limit: .max))
            let damage = StorageError(.damaged, path: "", detail: "")
            try writer.bytes.withUnsafeBytes { bytes in
                var reader = ByteReader(bytes, damage: damage)
                let made = try BlobDelta.apply(&reader, to: old, byteCount: new.byteCount)
                #expect(reader.isAtEnd)
                #expect(memcmp(made.base, new.base, new.byteCount) == 0)
            }
            return writer.bytes.count
        }

        @Test("a changed number, an inserted and a removed one cost few bytes")
        func small() throws {
            var random = StorageRandom(1)
            let old = random.bytes(8000)
            #expect(try byteCount(old, from: old) < 10)
            var changed = old
            changed.replaceSubrange(4000..<4008, with: random.bytes(8))
            #expect(try byteCount(changed, from: old) < 40)
            for width in [1, 2, 4, 8, 23, 300] {
                let at = 1600 * width % 7000
                var inserted = old
                inserted.insert(contentsOf: random.bytes(width), at: at)
                #expect(try byteCount(inserted, from: old) < 60 + width, "\(width)")
                var removed = old
                removed.removeSubrange(at..<(at + width))
                #expect(try byteCount(removed, from: old) < 60, "\(width)")
            }
        }

        @Test("a blob of zeros but a few bytes costs few, with nothing before it")
        func mostlyZeros() throws {
            var bytes = [UInt8](repeating: 0, count: 20_000)
            bytes.replaceSubrange(9000..<9004, with: [1, 2, 3, 4])
            #expect(try byteCount(bytes, from: nil) < 60)
        }

        @Test("any blob follows from any other")
        func random() throws {
            var random = StorageRandom(2)
            for _ in 0..<Int(300 * storageScale) {
                var bytes = random.bytes(Int.random(in: 0..<3000, using: &random))
                if Bool.random(using: &random) {
                    for index in bytes.indices { bytes[index] &= 1 }
                }
                var changed = bytes
                for _ in 0..<Int.random(in: 0..<6, using: &random) {
                    let start = Int.random(in: 0...changed.count, using: &random)
                    let end = min(changed.count, start + [0, 1, 8, 200][Int(random.next() % 4)])
                    let new = random.bytes([0, 1, 4, 8, 300][Int(random.next() % 5)])
                    changed.replaceSubrange(start..<end, with: new)
                }
                _ = try byteCount(changed, from: bytes)
                _ = try byteCount(bytes, from: changed)
            }
        }

        @Test("steps that lead out of a blob, or end early, are refused")
        func damaged() throws {
            var random = StorageRandom(3)
            let (old, new) = (BlobBuffer(random.bytes(700)), BlobBuffer(random.bytes(900)))
            var writer = ByteWriter()
            _ = BlobDelta.append(new, from: old, to: &writer, limit: .max)
            let damage = StorageError(.damaged, path: "", detail: "")
            var refusals = 0
            for _ in 0..<2000 {
                var bytes = writer.bytes
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = UInt8.random(in: 0...255, using: &random)
                if Bool.random(using: &random) { bytes.removeLast(index) }
                bytes.withUnsafeBytes { bytes in
                    var reader = ByteReader(bytes, damage: damage)
                    let made = try? BlobDelta.apply(&reader, to: old, byteCount: new.byteCount)
                    if made == nil { refusals += 1 }
                }
            }
            #expect(refusals > 0)
        }
    }
}

/// Blobs and small changes to them, the same for the same seed.
struct SmallHistory {
    private(set) var contents: [BlobAddress: [UInt8]] = [:]
    private var random: StorageRandom

    init(seed: UInt64) {
        random = StorageRandom(seed)
        for id in 0..<12 {
            contents[BlobAddress(1 + id % 3, Int64(id) * 50 - 100)] = random.bytes(4000 + id * 900)
        }
    }

    /// Changes up to four blobs: in place, by an insertion, or by a new small one.
    ///
    /// - Returns: What is to be written.
    @discardableResult
    mutating func change() -> [BlobAddress: [UInt8]] {
        var changed: [BlobAddress: [UInt8]] = [:]
        let addresses = contents.keys.sorted { ($0.space, $0.id) < ($1.space, $1.id) }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            var address = addresses[Int.random(in: 0..<addresses.count, using: &random)]
            var bytes = changed[address] ?? contents[address] ?? []
            let place = Int.random(in: 0...max(0, bytes.count - 8), using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                address = BlobAddress(4, Int64.random(in: 0..<30, using: &random))
                bytes = random.bytes(Int.random(in: 0..<200, using: &random))
            case 1 where bytes.count < 20_000:
                bytes.insert(contentsOf: random.bytes(8), at: place)
            case 2 where bytes.count > 1000: bytes.removeSubrange(place..<(place + 8))
            default:
                let end = min(place + 8, bytes.count)
                bytes.replaceSubrange(place..<end, with: random.bytes(end - place))
            }
            changed[address] = bytes
        }
        contents.merge(changed) { $1 }
        return changed
    }

    /// Commits the next change.
    mutating func step(in store: SQLitePageStore) throws {
        let writer = try store.beginWrite()
        for (address, bytes) in change() {
            try writer.write(BlobBuffer(bytes), at: address)
            #expect(try writer.read(address)?.bytes == bytes)
        }
        try writer.commit()
    }

    /// Where a store holds something else, in words.
    func problems(in store: SQLitePageStore) throws -> [String] {
        try contents.compactMap { address, bytes in
            try store.bytes(address) == bytes ? nil : "\(address.space.number) \(address.id)"
        }
    }
}
