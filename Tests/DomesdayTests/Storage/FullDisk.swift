import Foundation
import Testing

@testable import Domesday

extension StorageTests {
    /// A real file system without room.
    ///
    /// Needs the right to mount one; skipped without it.
    @Suite("Full disk", .enabled(if: SmallDisk.canMount, "mounting a tmpfs is not permitted"))
    struct FullDisk {
        @Test(
            "a write that does not fit is full and rolled back, and the store goes on",
            arguments: [512, 5000, 60_000, 900_000]
        )
        func writing(_ byteCount: Int) throws {
            let disk = try SmallDisk(byteCount: 3 << 20)
            let store = try SQLitePageStore(path: disk.folder.file())
            var random = StorageRandom(UInt64(byteCount))
            var kept: [BlobAddress: [UInt8]] = [:]
            var failures = 0
            try store.commit([BlobAddress(0, 0): [7]])
            for round in 0..<3 {
                try disk.fill()
                for number in 0..<20 {
                    let address = BlobAddress(1, Int64(round * 100 + number))
                    let bytes = random.bytes(byteCount)
                    do throws(StorageError) {
                        try store.commit([address: bytes])
                        kept[address] = bytes
                    } catch {
                        #expect(error.code == .full, "\(error)")
                        failures += 1
                        #expect(try store.read(address) == nil)
                    }
                    #expect(try store.bytes(BlobAddress(0, 0)) == [7])
                }
                disk.empty()
                try store.commit([BlobAddress(2, Int64(round)): [UInt8(round)]])
            }
            #expect(failures > 0)
            for (address, bytes) in kept { #expect(try store.bytes(address) == bytes) }
            try store.close()
            let reopened = try SQLitePageStore(path: disk.folder.file())
            for (address, bytes) in kept { #expect(try reopened.bytes(address) == bytes) }
            #expect(try reopened.bytes(BlobAddress(2, 2)) == [2])
        }

        @Test("after a write has failed its writer repeats the error and keeps nobody out")
        func failedWriter() throws {
            let disk = try SmallDisk(byteCount: 3 << 20)
            let store = try SQLitePageStore(path: disk.folder.file())
            try store.commit([BlobAddress(1, 1): [1]])
            let writer = try store.beginWrite()
            // Past the cache, so that pages go to the disk before the commit.
            var failure: StorageError?
            for id in 0..<40 where failure == nil {
                do throws(StorageError) {
                    let blob = BlobBuffer([UInt8](repeating: 5, count: 1 << 20))
                    try writer.write(blob, at: BlobAddress(2, Int64(id)))
                } catch { failure = error }
            }
            #expect(failure?.code == .full)
            #expect(storageError { try writer.commit() } == failure)
            #expect(storageError { try writer.read(BlobAddress(1, 1)) } == failure)
            writer.rollback()
            #expect(try store.bytes(BlobAddress(1, 1)) == [1])
            #expect(try store.read(BlobAddress(2, 0)) == nil)
            try store.commit([BlobAddress(2, 0): [2]])
            #expect(try store.bytes(BlobAddress(2, 0)) == [2])
        }

        @Test(
            "a store that cannot be created for want of room leaves nothing",
            arguments: [0, 1, 2, 3, 5, 8, 12, 20]
        )
        func creating(pageCount: Int) throws {
            let disk = try SmallDisk(byteCount: 1 << 20)
            try disk.fill()
            truncate(disk.folder.file("ballast"), off_t((1 << 20) - pageCount * 4096))
            do throws(StorageError) {
                let store = try SQLitePageStore(path: disk.folder.file())
                try store.close()
            } catch {
                #expect(error.code == .full, "\(error)")
                #expect(try Array(disk.folder.contents().keys) == ["ballast"])
            }
            disk.empty()
            try SQLitePageStore(path: disk.folder.file()).commit([BlobAddress(1, 1): [1]])
        }
    }
}

/// A mounted tmpfs; unmounted with its last reference.
final class SmallDisk: Sendable {
    static let canMount = (try? SmallDisk(byteCount: 1 << 16)) != nil

    let folder: StorageFolder

    init(byteCount: Int) throws {
        folder = try StorageFolder()
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(byteCount)") == 0 else {
            throw POSIXError(.EPERM)
        }
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }

    /// Takes all room that is left.
    func fill() throws {
        let file = open(folder.file("ballast"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(file) }
        let bytes = [UInt8](repeating: 1, count: 4096)
        while write(file, bytes, bytes.count) > 0 {}
    }

    func empty() { unlink(folder.file("ballast")) }
}
