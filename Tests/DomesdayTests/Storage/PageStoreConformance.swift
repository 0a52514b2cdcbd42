import Foundation
import Testing

@testable import Domesday

extension StorageTests {
    /// What every page store promises, run over all of them.
    @Suite("Page stores")
    struct PageStoreConformance {
        enum Kind: String, CaseIterable, CustomTestStringConvertible {
            case sqlite, memory, faulty

            var testDescription: String { rawValue }

            func open(_ folder: StorageFolder, busyTimeout: Duration = .seconds(5)) throws
                -> any PageStore
            {
                switch self {
                case .sqlite:
                    let options = SQLitePageStore.Options(
                        durability: .relaxed,
                        foldsAtClose: false,
                        busyTimeout: busyTimeout
                    )
                    return try SQLitePageStore(path: folder.file(), options: options)
                case .memory: return MemoryPageStore(path: "memory", busyTimeout: busyTimeout)
                case .faulty:
                    return FaultyPageStore(
                        MemoryPageStore(path: "memory", busyTimeout: busyTimeout)
                    )
                }
            }
        }

        let folder: StorageFolder

        init() throws { folder = try StorageFolder() }

        @Test("a committed blob is read as it was written", arguments: Kind.allCases)
        func roundTrip(_ kind: Kind) throws {
            let store = try kind.open(folder)
            let ids: [Int64] = [.min, -1, 0, 1, .max]
            for (id, count) in zip(ids, [0, 1, 207, 208, 30_000]) {
                let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
                try store.commit([BlobAddress(1, id): bytes])
                #expect(try store.bytes(BlobAddress(1, id)) == bytes)
            }
            #expect(try store.read(BlobAddress(1, 0))?.byteCount == 256)
        }

        @Test(
            "the version in the header is kept, and place and seed are in the checksum",
            arguments: Kind.allCases
        )
        func header(_ kind: Kind) throws {
            let store = try kind.open(folder)
            let writer = try store.beginWrite()
            try writer.write(BlobBuffer([1, 2, 3], version: 77), at: BlobAddress(3, 5))
            try writer.commit()
            let blob = try #require(try store.read(BlobAddress(3, 5)))
            #expect(blob.version == 77)
            #expect(blob.damage(at: BlobAddress(3, 5), seed: store.seed) == nil)
            #expect(blob.damage(at: BlobAddress(3, 6), seed: store.seed) != nil)
            #expect(blob.damage(at: BlobAddress(4, 5), seed: store.seed) != nil)
            #expect(blob.damage(at: BlobAddress(3, 5), seed: store.seed ^ 1) != nil)
        }

        @Test(
            "a glance sees the bytes of a blob, its own writer's too, and nothing outside",
            arguments: Kind.allCases
        )
        func glance(_ kind: Kind) throws {
            let store = try kind.open(folder)
            var bytes = (0..<30_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            try store.commit([BlobAddress(1, 5): bytes])
            let writer = try store.beginWrite()
            func part(_ offset: Int, _ count: Int, of id: Int64 = 5) -> [UInt8]? {
                var part = [UInt8](repeating: 0, count: count)
                let isRead = writer.glance(at: BlobAddress(1, id)) { blob in
                    part.withUnsafeMutableBytes { blob.copy(from: offset, into: $0) }
                }
                return isRead ? part : nil
            }
            // A store that knows no parts says so to every question.
            if part(0, 1) == nil { return #expect(kind != .sqlite) }
            for (offset, count) in [(0, 8), (4090, 20), (29_990, 10), (0, 30_000), (17, 0)] {
                #expect(part(offset, count) == Array(bytes[offset..<(offset + count)]))
            }
            #expect(part(29_990, 400) == nil && part(-40, 8) == nil && part(.max - 40, 8) == nil)
            #expect(part(0, 1, of: 6) == nil)
            bytes[4100] ^= 1
            try writer.write(BlobBuffer(bytes), at: BlobAddress(1, 5))
            #expect(part(4090, 20) == Array(bytes[4090..<4110]))
            writer.rollback()
            #expect(part(0, 8) == nil)
        }

        @Test(
            "a blob or a space that is not there reads as nil and is deleted without error",
            arguments: Kind.allCases
        )
        func absence(_ kind: Kind) throws {
            let store = try kind.open(folder)
            #expect(try store.read(BlobAddress(9, 1)) == nil)
            let writer = try store.beginWrite()
            #expect(try writer.read(BlobAddress(9, 1)) == nil)
            try writer.delete(BlobAddress(9, 1))
            try writer.deleteSpace(Space(9))
            try writer.commit()
            #expect(try store.read(BlobAddress(9, 1)) == nil)
        }

        @Test(
            "a writer sees its own changes, others only after the commit",
            arguments: Kind.allCases
        )
        func isolation(_ kind: Kind) throws {
            let store = try kind.open(folder)
            let address = BlobAddress(1, 1)
            try store.commit([address: [1]])
            let writer = try store.beginWrite()
            try writer.write(BlobBuffer([2]), at: address)
            #expect(try writer.read(address)?.bytes == [2])
            #expect(try store.bytes(address) == [1])
            try writer.deleteSpace(Space(1))
            #expect(try writer.read(address) == nil)
            try writer.write(BlobBuffer([3]), at: address)
            try writer.commit()
            #expect(try store.bytes(address) == [3])
        }

        @Test(
            "a rollback leaves nothing, neither does a writer that is dropped",
            arguments: Kind.allCases
        )
        func rollback(_ kind: Kind) throws {
            let store = try kind.open(folder)
            try store.commit([BlobAddress(1, 1): [1]])
            let writer = try store.beginWrite()
            try writer.write(BlobBuffer([2]), at: BlobAddress(1, 1))
            try writer.write(BlobBuffer([2]), at: BlobAddress(2, 1))
            writer.rollback()
            writer.rollback()
            try store.beginWrite().write(BlobBuffer([9]), at: BlobAddress(2, 1))
            #expect(try store.bytes(BlobAddress(1, 1)) == [1])
            #expect(try store.read(BlobAddress(2, 1)) == nil)
            try store.commit([BlobAddress(2, 1): [3]])
            #expect(try store.bytes(BlobAddress(2, 1)) == [3])
            #expect(storageError { try writer.commit() }?.code == .closed)
        }

        @Test("a pin sees its version until it is released", arguments: Kind.allCases)
        func pins(_ kind: Kind) throws {
            let store = try kind.open(folder)
            let address = BlobAddress(1, 1)
            try store.commit([address: [1]])
            let first = try store.pin()
            try store.commit([address: [2], BlobAddress(2, 2): [2]])
            let second = try store.pin()
            let writer = try store.beginWrite()
            try writer.deleteSpace(Space(1))
            try writer.commit()
            #expect(try first.read(address)?.bytes == [1])
            #expect(try first.read(BlobAddress(2, 2)) == nil)
            #expect(try second.read(address)?.bytes == [2])
            #expect(try store.read(address) == nil)
            first.release()
            first.release()
            #expect(storageError { try first.read(address) }?.code == .closed)
            #expect(try second.read(address)?.bytes == [2])
            #expect(try store.pin().read(address) == nil)
        }

        @Test("a second writer waits, and gives up with busy", arguments: Kind.allCases)
        func oneWriter(_ kind: Kind) throws {
            let store = try kind.open(folder, busyTimeout: .milliseconds(50))
            let writer = try store.beginWrite()
            #expect(storageError { try store.beginWrite() }?.code == .busy)
            writer.rollback()
            try store.beginWrite().commit()
        }

        @Test(
            "writers on many threads lose no update, readers see whole commits",
            arguments: Kind.allCases
        )
        func threads(_ kind: Kind) async throws {
            let store = try kind.open(folder, busyTimeout: .seconds(60))
            let pair = [BlobAddress(1, 1), BlobAddress(2, 2)]
            try store.commit([pair[0]: [0, 0], pair[1]: [0, 0]])
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<25 {
                            let writer = try store.beginWrite()
                            var bytes = try writer.read(pair[0])?.bytes ?? []
                            bytes[0] += 1
                            for address in pair { try writer.write(BlobBuffer(bytes), at: address) }
                            try writer.commit()
                            let pin = try store.pin()
                            #expect(try pin.read(pair[0])?.bytes == pin.read(pair[1])?.bytes)
                            #expect(try #require(try store.bytes(pair[0]))[0] >= bytes[0])
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try store.bytes(pair[0]) == [100, 0])
        }

        @Test(
            "after close everything says closed; an open writer or pin forbids it",
            arguments: Kind.allCases
        )
        func closing(_ kind: Kind) throws {
            let store = try kind.open(folder)
            let writer = try store.beginWrite()
            #expect(storageError { try store.close() }?.code == .busy)
            writer.rollback()
            let pin = try store.pin()
            #expect(storageError { try store.close() }?.code == .busy)
            pin.release()
            try store.close()
            try store.close()
            #expect(storageError { try store.read(BlobAddress(1, 1)) }?.code == .closed)
            #expect(storageError { try store.beginWrite() }?.code == .closed)
            #expect(storageError { try store.pin() }?.code == .closed)
        }

        @Test("a random history agrees with a dictionary", arguments: Kind.allCases, [1, 2, 3])
        func model(_ kind: Kind, _ seed: UInt64) throws {
            var run = ModelRun(store: try kind.open(folder), seed: seed)
            for step in 0..<Int(60 * storageScale) {
                try run.transaction()
                if kind == .sqlite, step % 20 == 19 {
                    run.pins = []
                    try run.store.close()
                    run.store = try kind.open(folder)
                }
            }
            try run.check()
        }
    }
}

/// A store, what it should hold, and what its pins should see.
private struct ModelRun {
    typealias Contents = [BlobAddress: [UInt8]]

    var store: any PageStore
    var contents: Contents = [:]
    var pins: [(pin: any PagePin, contents: Contents)] = []
    private var random: StorageRandom
    private static let byteCounts = [3, 100, 900, 5000, 30_000]

    init(store: any PageStore, seed: UInt64) {
        self.store = store
        random = StorageRandom(seed)
    }

    private mutating func address() -> BlobAddress {
        BlobAddress(
            Int.random(in: 0..<4, using: &random),
            Int64.random(in: -3..<12, using: &random)
        )
    }

    mutating func transaction() throws {
        var changed = contents
        let writer = try store.beginWrite()
        for _ in 0..<Int.random(in: 0..<12, using: &random) {
            let address = address()
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                changed = changed.filter { $0.key.space != address.space }
                try writer.deleteSpace(address.space)
            case 1...4:
                changed[address] = nil
                try writer.delete(address)
            default:
                let bytes = random.bytes(
                    Self.byteCounts[Int.random(in: 0..<5, using: &random)]
                )
                changed[address] = bytes
                try writer.write(BlobBuffer(bytes), at: address)
            }
            let other = self.address()
            #expect(try writer.read(other)?.bytes == changed[other])
            #expect(try store.bytes(other) == contents[other])
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            writer.rollback()
        } else {
            try writer.commit()
            contents = changed
        }
        if pins.count > 6 { pins.remove(at: Int.random(in: 0..<pins.count, using: &random)) }
        if Bool.random(using: &random) { pins.append((try store.pin(), contents)) }
        for (pin, contents) in pins {
            let address = address()
            #expect(try pin.read(address)?.bytes == contents[address])
        }
    }

    func check() throws {
        for space in 0..<4 {
            for id in Int64(-3)..<12 {
                let address = BlobAddress(space, id)
                #expect(try store.bytes(address) == contents[address])
                for (pin, contents) in pins {
                    #expect(try pin.read(address)?.bytes == contents[address])
                }
            }
        }
    }
}
