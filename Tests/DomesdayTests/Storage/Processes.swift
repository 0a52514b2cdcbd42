import Foundation
import Testing

@testable import Domesday

extension StorageTests {
    /// What one process may do to another, and what dies with it.
    ///
    /// Exit tests are the other process.
    @Suite("Processes")
    struct Processes {
        let folder: StorageFolder
        let path: String

        init() throws {
            folder = try StorageFolder()
            path = folder.file()
        }

        // Nobody watches here, so that this process does not answer those that join.
        @Test(
            "a process that joins reads; what it may not do yet names the one that does not answer"
        )
        func joining() async throws {
            let store = try SQLitePageStore(path: path)
            try store.commit([BlobAddress(1, 1): [1]])
            await #expect(processExitsWith: .success) {
                [path = path as String, pid = getpid() as Int32] in
                let store = try SQLitePageStore(
                    path: path,
                    options: .init(busyTimeout: .milliseconds(50))
                )
                guard try store.bytes(BlobAddress(1, 1)) == [1] else { exit(3) }
                expectInChild(.busy, "process \(pid) has") { try store.beginWrite() }
                expectInChild(.busy, "process \(pid) has") { try store.keepOthersOut() }
                try store.close()
                expectInChild(.busy, "process \(pid) has") {
                    try SQLitePageStore.deleteFiles(path)
                }
            }
            try store.commit([BlobAddress(1, 1): [2]])
            #expect(try store.bytes(BlobAddress(1, 1)) == [2])
        }

        @Test("readers in several processes share a store")
        func sharedReading() async throws {
            try SQLitePageStore(path: path).commit([BlobAddress(1, 1): [1]])
            let store = try SQLitePageStore(path: path, options: .init(isReadOnly: true))
            await #expect(processExitsWith: .success) { [path = path as String] in
                let other = try SQLitePageStore(path: path, options: .init(isReadOnly: true))
                guard try other.bytes(BlobAddress(1, 1)) == [1] else { exit(3) }
                try other.close()
            }
            #expect(try store.bytes(BlobAddress(1, 1)) == [1])
            #expect(storageError { try store.beginWrite() }?.code == .readOnly)
        }

        // As a reader of another user does; root may write everywhere, so the lock is taken by hand.
        @Test("a reader that cannot write the lock file keeps writers out, and they it")
        func slotlessReading() async throws {
            try SQLitePageStore(path: path).close()
            let lock = try StoreLock(StoreFile(path: path), isReadOnly: true)
            #expect(lock.lock(.readers, isShared: true))
            await #expect(processExitsWith: .success) { [path = path as String] in
                expectInChild(.busy, "has the store open") { try SQLitePageStore(path: path) }
                let reader = try SQLitePageStore(path: path, options: .init(isReadOnly: true))
                try reader.close()
            }
            lock.release()
            let store = try SQLitePageStore(path: path)
            let other = try StoreLock(StoreFile(path: path), isReadOnly: true)
            #expect(other.isHeldElsewhere(.writers))
            other.release()
            try store.close()
        }

        @Test("a process that is opening a store keeps others waiting, but not for ever")
        func opening() async throws {
            let store = try SQLitePageStore(path: path)
            try store.keepOthersOut()
            await #expect(processExitsWith: .success) { [path = path as String] in
                expectInChild(.busy, "another process") {
                    try SQLitePageStore(
                        path: path,
                        options: .init(busyTimeout: .milliseconds(50))
                    )
                }
            }
            store.letOthersIn()
            await #expect(processExitsWith: .success) { [path = path as String] in
                try SQLitePageStore(path: path).close()
            }
        }

        @Test("the lock and an open transaction die with their process, commits stay")
        func killed() async throws {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                let store = try SQLitePageStore(path: path)
                try store.commit([BlobAddress(1, 1): [1]])
                let writer = try store.beginWrite()
                try writer.write(BlobBuffer([2]), at: BlobAddress(1, 1))
                kill(getpid(), SIGKILL)
            }
            let store = try SQLitePageStore(path: path)
            #expect(try store.bytes(BlobAddress(1, 1)) == [1])
        }

        @Test("the same file opens once in a process, under whatever name")
        func once() throws {
            let store = try SQLitePageStore(path: path)
            #expect(symlink(path, folder.file("symbolic")) == 0)
            #expect(link(path, folder.file("hard")) == 0)
            for name in ["test.domesday", "symbolic", "hard", "./x/../test.domesday"] {
                mkdir(folder.file("x"), 0o700)
                let error = storageError { try SQLitePageStore(path: folder.file(name)) }
                #expect(error?.code == .busy)
                #expect(
                    storageError { try SQLitePageStore.deleteFiles(folder.file(name)) }?.code
                        == .busy
                )
            }
            try store.close()
            try SQLitePageStore(path: folder.file("symbolic")).close()
        }

        // The claim of a removed file kept its inode number, which the next file made got: opening
        // that one said that it was open already.
        @Test("stores made and deleted on many threads do not get in each other's way")
        func inodeReuse() async throws {
            try await withThrowingTaskGroup { group in
                for thread in 0..<4 {
                    group.addTask { [path] in
                        for _ in 0..<Int(50 * storageScale) {
                            let path = path + "\(thread)"
                            try Data().write(to: URL(fileURLWithPath: path))
                            try SQLitePageStore(path: path).close()
                            try SQLitePageStore.deleteFiles(path)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try folder.contents().isEmpty)
        }

        // Closing any descriptor of a file drops all POSIX locks of the process on it, so that
        // SQLite in another process believed to be the last one and unlinked the WAL; this process
        // went on committing into a file without a name. SQLITE_FCNTL_PERSIST_WAL keeps the name.
        @Test("a stray open and close of the main file loses no commit")
        func strayClose() async throws {
            let store = try SQLitePageStore(path: path)
            try store.commit([BlobAddress(1, 0): [0]])
            _ = try Data(contentsOf: URL(fileURLWithPath: path))
            await #expect(processExitsWith: .success) { [path = path as String] in
                // Past the lock, as another program with a connection of ours would.
                let connection = try SQLiteConnection(
                    file: path,
                    path: path,
                    role: .writer(.full),
                    busyTimeout: .seconds(1)
                )
                guard try loggedBlobCount(connection) == 1 else { exit(3) }
                connection.close()
            }
            for id in 1...100 { try store.commit([BlobAddress(1, Int64(id)): [1]]) }
            await #expect(processExitsWith: .success) { [path = path as String] in
                let connection = try SQLiteConnection(
                    file: path,
                    path: path,
                    role: .reader,
                    busyTimeout: .seconds(1)
                )
                guard try loggedBlobCount(connection) == 101 else { exit(4) }
                connection.close()
            }
        }
    }
}

/// How many blobs the commit log of a file leads to; small commits are nowhere else.
private func loggedBlobCount(_ connection: SQLiteConnection) throws -> Int {
    let seed = UInt64(bitPattern: try #require(try connection.integer("SELECT seed FROM store")))
    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        try connection.readBlob(at: address, seed: seed)
    }
    let records = try CommitLog.read(path: connection.path, read).records
    var blobs = LoggedBlobs()
    _ = try blobs.apply(records: records, seed: seed, path: connection.path, read)
    return blobs.inOrder.count
}
