import Foundation
import Testing

@testable import Domesday

extension StorageTests {
    /// Files with wrong or missing bytes: an error or the right blob, never a wrong one.
    @Suite("Damage")
    struct Damage {
        let folder: StorageFolder
        let path: String
        /// What the store held before it was damaged.
        let blobs: [BlobAddress: [UInt8]]
        /// The whole main file; the WAL was empty.
        let original: Data

        init() throws {
            folder = try StorageFolder()
            path = folder.file()
            var random = StorageRandom(11)
            var blobs: [BlobAddress: [UInt8]] = [:]
            for id in 0..<60 {
                // Many small ones, so that inner pages of SQLite's trees are a good part of it.
                let count = id % 5 == 0 ? 9000 : Int.random(in: 0..<800, using: &random)
                blobs[BlobAddress(id % 3, Int64(id) * 7)] = random.bytes(count)
            }
            let store = try SQLitePageStore(path: path)
            try store.commit(blobs)
            // A hole, so that free pages are part of it too.
            try store.commit([BlobAddress(5, 1): random.bytes(20_000)])
            let writer = try store.beginWrite()
            try writer.deleteSpace(Space(5))
            try writer.commit()
            try store.close()
            self.blobs = blobs
            original = try Data(contentsOf: URL(fileURLWithPath: path))
        }

        private struct Tally {
            var errors = 0
            var right = 0
            var absent = 0
        }

        /// Puts `bytes` in the place of the store, opens it and reads everything.
        private func examine(_ bytes: Data, _ tally: inout Tally, _ what: String) throws {
            try SQLitePageStore.deleteFiles(path)
            try bytes.write(to: URL(fileURLWithPath: path))
            let store: SQLitePageStore
            do {
                store = try SQLitePageStore(path: path, options: .init(durability: .off))
            } catch {
                tally.errors += 1
                let isClean = [.damaged, .notAStore, .unsupportedFormat].contains(error.code)
                #expect(isClean, "\(what): \(error)")
                return
            }
            for (address, expected) in blobs {
                do {
                    guard let read = try store.read(address) else {
                        tally.absent += 1
                        continue
                    }
                    #expect(read.bytes == expected, "\(what): a wrong blob at \(address)")
                    tally.right += 1
                } catch {
                    tally.errors += 1
                    let isClean = error.code == .damaged || error.code == .inputOutput
                    #expect(isClean && error.address == address, "\(what): \(error)")
                }
            }
            write(to: store, what)
            try store.close()
        }

        /// Writing into a damaged file may fail, but not lie.
        private func write(to store: SQLitePageStore, _ what: String) {
            do {
                let bytes = [UInt8](repeating: 3, count: 12_000)
                let address = BlobAddress(1, 1_000_000)
                try store.commit([address: bytes])
                let read = try store.read(address)
                #expect(read == nil || read?.bytes == bytes, "\(what): a wrong blob after a write")
            } catch {
                #expect(error.code != .closed, "\(what): \(error)")
            }
        }

        @Test("a flipped bit anywhere gives an error or the right blob")
        func flippedBits() throws {
            var random = StorageRandom(23)
            var tally = Tally()
            for number in 0..<Int(400 * storageScale) {
                var bytes = original
                // Every other one in the schema and the first trees, where a bit means most.
                let end = number.isMultiple(of: 2) ? 4 * 4096 : bytes.count
                let offset = Int.random(in: 0..<end, using: &random)
                bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                try examine(bytes, &tally, "bit at \(offset)")
            }
            #expect(tally.errors > 0 && tally.right > 0)
            // Absence is what damaged inner pages may look like; it must stay the exception.
            #expect(tally.absent * 20 < tally.right, "\(tally)")
        }

        @Test("a file cut off anywhere gives an error or the right blob")
        func truncations() throws {
            var random = StorageRandom(29)
            var tally = Tally()
            for number in 0..<Int(60 * storageScale) {
                let pages = Int.random(in: 0..<original.count / 4096, using: &random) * 4096
                let odd = Int.random(in: 1..<original.count, using: &random)
                let count = [pages, odd, 1 + number][number % 3]
                if count == 0 { continue }
                try examine(original.prefix(count), &tally, "cut off at \(count)")
            }
            #expect(tally.errors > 0)
        }

        @Test("pages of zeros or noise give an error or the right blob", arguments: [false, true])
        func pages(isNoise: Bool) throws {
            var random = StorageRandom(31)
            var tally = Tally()
            for page in 0..<original.count / 4096 {
                var bytes = original
                let content = isNoise ? random.bytes(4096) : [UInt8](repeating: 0, count: 4096)
                bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: content)
                try examine(bytes, &tally, "page \(page)")
            }
            #expect(tally.errors > 0)
        }

        @Test("a page put in the place of another is noticed")
        func swappedPages() throws {
            var random = StorageRandom(37)
            var tally = Tally()
            for _ in 0..<Int(60 * storageScale) {
                let pages = (0..<2).map { _ in
                    Int.random(in: 1..<original.count / 4096, using: &random) * 4096
                }
                var bytes = original
                bytes.replaceSubrange(
                    pages[0]..<pages[0] + 4096,
                    with: original[pages[1]..<pages[1] + 4096]
                )
                try examine(bytes, &tally, "page \(pages[1]) at \(pages[0])")
            }
            #expect(tally.errors > 0)
        }

        @Test(
            "a blob that is short, no blob, or another's is damaged, and the error names its place"
        )
        func rows() throws {
            for (sql, words) in [
                ("UPDATE s1 SET data=x'00' WHERE id=7", "shorter than its header"),
                ("UPDATE s1 SET data=x'' WHERE id=7", "shorter than its header"),
                ("UPDATE s1 SET data=NULL WHERE id=7", "no blob"),
                ("UPDATE s1 SET data=printf('%.300c', 'x') WHERE id=7", "no blob"),
                ("UPDATE s1 SET data=zeroblob(256) WHERE id=7", "checksum"),
                ("UPDATE s1 SET data=(SELECT data FROM s1 WHERE id=28) WHERE id=7", "checksum"),
                ("UPDATE s1 SET data=(SELECT data FROM s0 WHERE id=0) WHERE id=7", "checksum"),
                (
                    "UPDATE s1 SET data=substr(data,1,8)||x'FFFFFFFF'||substr(data,13) WHERE id=7",
                    ""
                ),
            ] {
                try SQLitePageStore.deleteFiles(path)
                try original.write(to: URL(fileURLWithPath: path))
                let connection = try SQLiteConnection(
                    file: path,
                    path: path,
                    role: .writer(.off),
                    busyTimeout: .seconds(1)
                )
                try connection.execute(sql)
                connection.close()
                let store = try SQLitePageStore(path: path)
                let error = storageError { try store.read(BlobAddress(1, 7)) }
                #expect(error?.code == .damaged && error?.address == BlobAddress(1, 7))
                #expect(words.isEmpty || error?.detail.contains(words) == true, "\(sql)")
                #expect(try store.bytes(BlobAddress(1, 28)) == blobs[BlobAddress(1, 28)])
            }
        }
    }
}
