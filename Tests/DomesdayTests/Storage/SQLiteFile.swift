import Foundation
import Testing

@testable import Domesday

extension StorageTests {
    /// What is particular to the store in an SQLite file.
    @Suite("SQLite file")
    struct SQLiteFile {
        let folder: StorageFolder
        let path: String

        init() throws {
            folder = try StorageFolder()
            path = folder.file()
        }

        /// Frames in the -wal file, with its header of 32 bytes and 24 bytes before each page.
        private var frameCount: Int {
            get throws {
                let bytes = try #require(StoreFile.byteCount(path + "-wal"))
                return max(0, bytes - 32) / (SQLitePageStore.pageByteCount + 24)
            }
        }

        @Test("a new file has our id, version, page size and reserved bytes")
        func creation() throws {
            try SQLitePageStore(path: path).close()
            let head = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(100)
            #expect(Array(head[68..<72]) == Array("Dome".utf8))
            #expect(Array(head[60..<64]) == [0, 0, 0, 5])
            #expect(Array(head[16..<18]) == [0x10, 0x00])
            #expect(head[20] == 32)
            #expect(Array(head[52..<56]) == [0, 0, 0, 0], "auto_vacuum is none")
            #expect(Array(head[18..<20]) == [2, 2], "WAL mode")
        }

        @Test("the seed is random and stays")
        func seed() throws {
            let store = try SQLitePageStore(path: path)
            let other = try SQLitePageStore(path: folder.file("other"))
            let seed = store.seed
            #expect(seed != other.seed)
            try store.close()
            #expect(try SQLitePageStore(path: path).seed == seed)
        }

        @Test("one changed Int in a 29 kB blob costs one frame of the WAL")
        func inPlace() throws {
            let store = try SQLitePageStore(path: path)
            var random = StorageRandom(1)
            var blobs: [BlobAddress: [UInt8]] = [:]
            for id in 0..<20 { blobs[BlobAddress(1, Int64(id))] = random.bytes(29_000) }
            try store.commit(blobs)
            // The first small commit makes the row behind the log's first.
            try store.commit([BlobAddress(1, 1): [1]])
            let before = try frameCount
            let address = BlobAddress(1, 7)
            var bytes = try #require(blobs[address])
            for index in 14_000..<14_008 { bytes[index] ^= 0xFF }
            try store.commit([address: bytes])
            #expect(try frameCount - before == 1)
            #expect(try store.bytes(address) == bytes)
        }

        @Test("the WAL is recycled while it is used and emptied at close, by name it stays")
        func boundedWAL() throws {
            let store = try SQLitePageStore(path: path, options: .init(durability: .off))
            var random = StorageRandom(1)
            for step in 0..<40 {
                try store.commit([BlobAddress(1, Int64(step % 4)): random.bytes(1 << 20)])
            }
            #expect(try frameCount < 4 << 10)
            try store.close()
            #expect(StoreFile.byteCount(path + "-wal") == 0)
        }

        @Test("a reader is not in the way of commits and checkpoints, nor are released pins")
        func readersReset() throws {
            let store = try SQLitePageStore(path: path, options: .init(durability: .off))
            for step in 0..<8 {
                let pin = try store.pin()
                try store.commit([BlobAddress(1, 1): Array(repeating: UInt8(step), count: 2 << 20)])
                #expect(try store.read(BlobAddress(1, 1)) != nil)
                _ = try pin.read(BlobAddress(1, 1))
                pin.release()
                // A commit under an open pin cannot be checkpointed; this one takes it along.
                try store.commit([BlobAddress(1, 2): Array(repeating: UInt8(step), count: 2 << 20)])
            }
            #expect(try frameCount < 3 << 10)
        }

        @Test("files left by a creation that was cut off become a store", arguments: [0, 5000])
        func interruptedCreation(_ byteCount: Int) throws {
            // A rollback journal says what to undo: this one, to shrink the file to nothing.
            try Data(count: byteCount).write(to: URL(fileURLWithPath: path))
            try Data(rollbackToNothing).write(to: URL(fileURLWithPath: path + "-journal"))
            try SQLitePageStore(path: path).commit([BlobAddress(1, 1): [1]])
            #expect(try SQLitePageStore(path: path).bytes(BlobAddress(1, 1)) == [1])
        }

        /// SQLite's journal header: magic, no records, nonce, initial size in pages, sector, page.
        private var rollbackToNothing: [UInt8] {
            let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
            let header: [UInt8] =
                magic + [0, 0, 0, 0] + [1, 2, 3, 4] + [0, 0, 0, 0] + [0, 0, 2, 0] + [0, 0, 16, 0]
            return header + [UInt8](repeating: 0, count: 512 - header.count)
        }

        @Test("deleteFiles removes all files of a store and says whether there was one")
        func deleteFiles() throws {
            #expect(try !SQLitePageStore.deleteFiles(path))
            let store = try SQLitePageStore(path: path)
            try store.commit([BlobAddress(1, 1): [1]])
            #expect(storageError { try SQLitePageStore.deleteFiles(path) }?.code == .busy)
            #expect(try store.bytes(BlobAddress(1, 1)) == [1])
            try store.close()
            #expect(try SQLitePageStore.deleteFiles(path))
            #expect(try folder.contents().isEmpty)
            #expect(
                storageError { try SQLitePageStore.deleteFiles(folder.path) }?.code == .notAStore
            )
        }

        @Test("a WAL without its main file is not taken into a new store")
        func staleWAL() throws {
            let store = try SQLitePageStore(path: path)
            try store.commit([BlobAddress(1, 1): [1]])
            let wal = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
            try store.close()
            try FileManager.default.removeItem(atPath: path)
            try wal.write(to: URL(fileURLWithPath: path + "-wal"))
            let new = try SQLitePageStore(path: path)
            #expect(try new.read(BlobAddress(1, 1)) == nil)
            try new.commit([BlobAddress(1, 1): [2]])
            #expect(try new.bytes(BlobAddress(1, 1)) == [2])
        }
    }
}
