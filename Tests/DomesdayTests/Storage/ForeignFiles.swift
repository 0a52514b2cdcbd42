import Foundation
import Testing

@testable import Domesday

extension StorageTests {
    /// Whatever a path may hold that is no store: said in plain words, and left as it was.
    @Suite("Foreign files")
    struct ForeignFiles {
        /// A file that must be refused.
        struct Sample: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let code: StorageError.Code
            /// Words that the detail must contain.
            let words: String
            let make: @Sendable (String) throws -> Void

            init(
                _ description: String,
                _ code: StorageError.Code,
                _ words: String,
                make: @escaping @Sendable (String) throws -> Void
            ) {
                testDescription = description
                self.code = code
                self.words = words
                self.make = make
            }

            init(
                _ description: String,
                _ code: StorageError.Code,
                _ words: String,
                bytes: [UInt8]
            ) {
                self.init(description, code, words) { path in
                    try Data(bytes).write(to: URL(fileURLWithPath: path))
                }
            }
        }

        static let samples: [Sample] = [
            Sample("text", .notAStore, "a text file", bytes: Array("Grüße an alle\n".utf8)),
            Sample("one letter", .notAStore, "a text file", bytes: Array("x".utf8)),
            Sample("JSON", .notAStore, "JSON text", bytes: Array("  {\"a\": 1}".utf8)),
            Sample("XML", .notAStore, "XML or HTML", bytes: Array("<?xml version='1.0'?>".utf8)),
            Sample("ZIP", .notAStore, "a ZIP archive", bytes: Array("PK\u{3}\u{4}....".utf8)),
            Sample("noise", .notAStore, "binary data of unknown kind", bytes: noise),
            Sample("zeros", .notAStore, "zero bytes only", bytes: Array(repeating: 0, count: 9000)),
            Sample(
                ".realm file",
                .notAStore,
                "a Realm file (.realm, file format 24)",
                bytes: Array(repeating: 0, count: 16) + Array("T-DB".utf8) + [24, 24, 0, 0]
                    + Array(repeating: 7, count: 4096)
            ),
            Sample("another SQLite database", .notAStore, "application id: none") { path in
                try makeSQLiteFile(path, "CREATE TABLE t(a); INSERT INTO t VALUES(1)")
            },
            Sample("another application's SQLite database", .notAStore, "0x4d504258") { path in
                try makeSQLiteFile(path, "PRAGMA application_id=0x4D504258; CREATE TABLE t(a)")
            },
            Sample("another SQLite database in WAL mode", .notAStore, "application id: none") {
                try makeSQLiteFile($0, "PRAGMA journal_mode=WAL; CREATE TABLE t(a)")
            },
            Sample(
                "the head of an SQLite file",
                .damaged,
                "cut off after 18 bytes",
                bytes: Array("SQLite format 3\0\u{10}\0".utf8)
            ),
            Sample("a newer format", .unsupportedFormat, "format version 7") { path in
                try SQLitePageStore(path: path).close()
                try deleteSideFiles(path)
                let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
                try file.seek(toOffset: 60)
                try file.write(contentsOf: Data([0, 0, 0, 7]))
                try file.close()
            },
            Sample("a folder", .notAStore, "a folder") { path in
                try FileManager.default.createDirectory(
                    atPath: path,
                    withIntermediateDirectories: false
                )
            },
            Sample("a pipe", .notAStore, "no regular file") { path in
                #expect(mkfifo(path, 0o600) == 0)
            },
            Sample("a symbolic link to nothing", .notFound, "symbolic link") { path in
                #expect(symlink("/nowhere/at/all", path) == 0)
            },
        ]

        private static var noise: [UInt8] {
            var random = StorageRandom(5)
            return random.bytes(5000)
        }

        private static func makeSQLiteFile(_ path: String, _ sql: String) throws {
            let connection = try SQLiteConnection(
                file: path,
                path: path,
                role: .writer(.full),
                creates: true,
                busyTimeout: .seconds(1)
            )
            try connection.execute(sql)
            connection.close()
        }

        private static func deleteSideFiles(_ path: String) throws {
            for suffix in ["-wal", "-shm", ".lock"] where access(path + suffix, F_OK) == 0 {
                try FileManager.default.removeItem(atPath: path + suffix)
            }
        }

        let folder: StorageFolder

        init() throws { folder = try StorageFolder() }

        @Test(
            "a file that is no store is named and left untouched",
            arguments: samples,
            [false, true]
        )
        func refused(_ sample: Sample, isReadOnly: Bool) throws {
            let path = folder.file()
            try sample.make(path)
            let before = try folder.contents()
            let error = storageError {
                try SQLitePageStore(path: path, options: .init(isReadOnly: isReadOnly))
            }
            #expect(error?.code == sample.code)
            #expect(error?.detail.contains(sample.words) == true, "\(error?.detail ?? "")")
            #expect(error?.path == path)
            #expect(try folder.contents() == before)
        }

        @Test("a missing file or folder is not found, and nothing is made")
        func missing() throws {
            let path = folder.file()
            for options in [
                SQLitePageStore.Options(isReadOnly: true), .init(createsIfMissing: false),
            ] {
                let error = storageError { try SQLitePageStore(path: path, options: options) }
                #expect(error?.code == .notFound)
            }
            let error = storageError { try SQLitePageStore(path: folder.file("no/such/file")) }
            #expect(error?.code == .notFound)
            #expect(error?.detail.contains("its folder cannot be used") == true)
            #expect(storageError { try SQLitePageStore(path: "") }?.code == .notFound)
            #expect(try folder.contents().isEmpty)
        }

        @Test("an empty file becomes a store, but not for a reader")
        func empty() throws {
            let path = folder.file()
            try Data().write(to: URL(fileURLWithPath: path))
            let error = storageError {
                try SQLitePageStore(path: path, options: .init(isReadOnly: true))
            }
            #expect(error?.code == .notAStore)
            #expect(try folder.contents() == ["test.domesday": Data()])
            try SQLitePageStore(path: path).commit([BlobAddress(1, 1): [1]])
            #expect(try SQLitePageStore(path: path).bytes(BlobAddress(1, 1)) == [1])
        }

        @Test("a file under something that is no folder is not found")
        func underFile() throws {
            try Data([1]).write(to: URL(fileURLWithPath: folder.file("plain")))
            let error = storageError { try SQLitePageStore(path: folder.file("plain/x")) }
            #expect(error?.code == .notFound)
        }

        @Test("without permission the error says so and nothing is made")
        func permission() async throws {
            let path = folder.file()
            try SQLitePageStore(path: path).close()
            chmod(folder.path, 0o755)
            chmod(path, 0)
            let before = try folder.contents()
            await #expect(processExitsWith: .success) { [path = path as String] in
                // The superuser may do anything.
                if geteuid() == 0 { setuid(65534) }
                expectInChild(.permissionDenied) { try SQLitePageStore(path: path) }
                expectInChild(.permissionDenied) {
                    try SQLitePageStore(path: path, options: .init(isReadOnly: true))
                }
                expectInChild(.permissionDenied) { try SQLitePageStore(path: path + ".new") }
            }
            #expect(try folder.contents() == before)
        }

        @Test("a store in a folder that cannot be written can be read, and stays untouched")
        func readOnlyFolder() async throws {
            let path = folder.file("a?b#c%41.domesday")
            try SQLitePageStore(path: path).commit([BlobAddress(1, 1): [4, 2]])
            try Self.deleteSideFiles(path)
            chmod(path, 0o444)
            chmod(folder.path, 0o555)
            defer { chmod(folder.path, 0o755) }
            let before = try folder.contents()
            await #expect(processExitsWith: .success) { [path = path as String] in
                if geteuid() == 0 { setuid(65534) }
                let store = try SQLitePageStore(path: path, options: .init(isReadOnly: true))
                let pin = try store.pin()
                guard try store.bytes(BlobAddress(1, 1)) == [4, 2],
                    try pin.read(BlobAddress(1, 1))?.bytes == [4, 2]
                else { exit(3) }
                expectInChild(.readOnly) { try store.beginWrite() }
            }
            #expect(try folder.contents() == before)
        }
    }
}

/// For exit tests: ends the process unless `body` throws an error of this code.
func expectInChild<R>(
    _ code: StorageError.Code,
    _ words: String = "",
    _ body: () throws -> R
) {
    do {
        _ = try body()
    } catch let error as StorageError {
        if error.code == code, words.isEmpty || error.detail.contains(words) { return }
        endChild("expected \(code) \(words), got \(error)")
    } catch {
        endChild("expected \(code) \(words), got \(error)")
    }
    endChild("expected \(code), got no error")
}

private func endChild(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(4)
}
