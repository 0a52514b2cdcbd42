import Foundation
import Testing

@testable import Domesday

private class BadFileNote: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var title = ""
    @Persisted var body = Data()
    @Persisted var next: BadFileNote?
    @Persisted var links: List<BadFileNote>

    var expectedTitle: String { "note \(number)" }
}

private func configuration(_ path: String, readOnly: Bool = false) -> Realm.Configuration {
    var configuration = Realm.Configuration(
        fileURL: URL(fileURLWithPath: path),
        objectTypes: [BadFileNote.self]
    )
    configuration.readOnly = readOnly
    return configuration
}

/// What `Realm.init` says of files that it cannot use, and that it leaves them as they were.
@Suite("Bad files")
struct BadFileTests {
    let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    /// The error of opening `path`; an issue if there is none or it does not name the path.
    @discardableResult
    private func refusal(_ path: String, readOnly: Bool = false) -> Realm.Error? {
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: configuration(path, readOnly: readOnly))
        }
        #expect(error?.description.contains("'\(path)'") == true, "\(error?.description ?? "")")
        #expect(error?.fileURL?.path == path)
        return error
    }

    @Test(
        "a file that is no store is named, and nothing changes in its folder",
        arguments: StorageTests.ForeignFiles.samples,
        [false, true]
    )
    func foreign(_ sample: StorageTests.ForeignFiles.Sample, readOnly: Bool) throws {
        let path = folder.file()
        try sample.make(path)
        let before = try folder.contents()
        let error = refusal(path, readOnly: readOnly)
        #expect(error?.description.contains(sample.words) == true)
        #expect(try folder.contents() == before)
    }

    @Test("a file without its folder, or under a file, is not found; no folder is made")
    func missing() throws {
        #expect(refusal(folder.file("no/such/folder.realm"))?.code == .fileNotFound)
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder.file("plain")))
        #expect(refusal(folder.file("plain/x.realm"))?.code == .fileNotFound)
        #expect(refusal(folder.file("none.realm"), readOnly: true)?.code == .fileNotFound)
        #expect(try Array(folder.contents().keys) == ["plain"])
    }

    @Test("a URL of no file is refused, and nothing is made at its path")
    func noFileURL() throws {
        let path = folder.file()
        for text in ["https://example.com\(path)", "ftp://example.com\(path)"] {
            var configuration = configuration(path)
            configuration.fileURL = URL(string: text)
            let error = #expect(throws: Realm.Error.self) {
                try Realm(configuration: configuration)
            }
            #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
        }
        #expect(try folder.contents().isEmpty)
    }

    @Test("a file of zero bytes becomes a store")
    func empty() throws {
        let path = folder.file()
        try Data().write(to: URL(fileURLWithPath: path))
        do {
            let realm = try Realm(configuration: configuration(path))
            try realm.write { realm.add(BadFileNote(value: ["number": 1])) }
        }
        #expect(try Realm(configuration: configuration(path)).objects(BadFileNote.self).count == 1)
    }

    @Test("without permission the error says so and nothing is made")
    func permission() async throws {
        let path = folder.file()
        try makeStore(path, count: 1)
        chmod(folder.path, 0o755)
        chmod(path, 0)
        let before = try folder.contents()
        await #expect(processExitsWith: .success) { [path = path as String] in
            // The superuser may do anything.
            if geteuid() == 0 { setuid(65534) }
            for (path, readOnly) in [(path, false), (path, true), (path + ".new", false)] {
                do {
                    _ = try Realm(configuration: configuration(path, readOnly: readOnly))
                    exit(3)
                } catch let error as Realm.Error {
                    let isRight = error.code == .filePermissionDenied
                    if !isRight || !error.description.contains("'\(path)'") { exit(4) }
                }
            }
        }
        #expect(try folder.contents() == before)
    }

    // MARK: damage

    private func makeStore(_ path: String, count: Int) throws {
        let realm = try Realm(configuration: configuration(path))
        try realm.write {
            var last: BadFileNote?
            for number in 0..<count {
                let note = BadFileNote()
                note.number = number
                note.title = note.expectedTitle
                note.body = Data(
                    repeating: UInt8(number % 251),
                    count: number % 50 == 0 ? 9000 : 40
                )
                note.next = last
                if let last { note.links.append(objectsIn: [last, note]) }
                realm.add(note)
                last = note
            }
        }
    }

    private struct Tally {
        var refused = 0
        var damaged = 0
        var right = 0
    }

    /// Opens `bytes` as a store and reads everything: an error that names the path, or what was
    /// written.
    private func examine(_ bytes: Data, _ tally: inout Tally, _ what: String) throws {
        let path = folder.file()
        let right = tally.right
        try SQLitePageStore.deleteFiles(path)
        try bytes.write(to: URL(fileURLWithPath: path))
        do {
            let realm = try Realm(configuration: configuration(path))
            if try read(realm) { tally.right += 1 }
        } catch let error as Realm.Error {
            tally.refused += 1
            #expect(error.description.contains("'\(path)'"), "\(what): \(error)")
        } catch let error as StorageError {
            tally.damaged += 1
            #expect(error.path == path && error.code != .closed, "\(what): \(error)")
        }
        // What is sound may be mended: a byte of SQLite's header that says "no WAL" is.
        if tally.right == right {
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes, "\(what): changed")
        }
    }

    /// Loads all blobs, which throws where an accessor would trap, then reads through accessors.
    private func read(_ realm: Realm) throws -> Bool {
        let table = try #require(realm.state.table(of: BadFileNote.self)).reader
        for ordinal in 0..<table.clusterCount {
            let view = try table.cluster(ordinal)
            for row in 0..<view.rowCount {
                for column in [1, 2, 4] {
                    _ = try table.bytes(view.payload, column: column, row: row)
                }
            }
        }
        var numbers: [Int] = []
        for note in realm.objects(BadFileNote.self) {
            numbers.append(note.number)
            #expect(note.title == note.expectedTitle)
            #expect(note.body.count == (note.number % 50 == 0 ? 9000 : 40))
            #expect(note.next?.number == (note.number == 0 ? nil : note.number - 1))
            #expect(note.links.count == (note.number == 0 ? 0 : 2))
        }
        #expect(numbers == Array(0..<600))
        return true
    }

    private func original() throws -> Data {
        let path = folder.file("original")
        try makeStore(path, count: 600)
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    @Test("a flipped bit gives an error that names the file, or nothing; never a wrong value")
    func flippedBits() throws {
        let original = try original()
        var random = SplitMix64(seed: Scale.seed)
        var tally = Tally()
        // Every region: the header, the schema, and each page once.
        let heads = (0..<100).map { _ in Int.random(in: 0..<100, using: &random) }
        let pages = (0..<original.count / 4096).map {
            $0 * 4096 + Int.random(in: 0..<4096, using: &random)
        }
        let anywhere = (0..<(50 * Scale.factor)).map { _ in
            Int.random(in: 0..<original.count, using: &random)
        }
        for offset in heads + pages + anywhere {
            var bytes = original
            bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try examine(bytes, &tally, "bit at \(offset)")
        }
        #expect(tally.refused > 0 && tally.damaged > 0 && tally.right > 0, "\(tally)")
    }

    @Test("a file cut off anywhere gives an error that names it")
    func truncated() throws {
        let original = try original()
        var random = SplitMix64(seed: Scale.seed)
        var tally = Tally()
        let pages = (1..<original.count / 4096).map { $0 * 4096 }
        let odd = (0..<(20 * Scale.factor)).map { _ in
            Int.random(in: 1..<original.count, using: &random)
        }
        for count in pages + odd {
            let before = tally.right
            try examine(original.prefix(count), &tally, "cut at \(count)")
            // SQLite takes what is missing of the last page as zeros, and that page may hold an
            // index only, which verifies its own checksum when it is used.
            if count <= original.count - 4096 { #expect(tally.right == before, "cut at \(count)") }
        }
        #expect(tally.refused > 0, "\(tally)")
    }

    @Test("a property whose blob is damaged traps with path, class and property")
    func damagedProperty() async throws {
        let path = folder.file()
        try makeStore(path, count: 1)
        let connection = try SQLiteConnection(
            file: path,
            path: path,
            role: .writer(.off),
            busyTimeout: .seconds(1)
        )
        // The long value of the only object: the one blob above 8 kB.
        for space in 1...20 where (try? connection.integer("SELECT 1 FROM s\(space)")) != nil {
            try connection.execute(
                "UPDATE s\(space) SET data=zeroblob(length(data)) WHERE length(data) > 8192"
            )
        }
        connection.close()
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = path as String] in
            let realm = try Realm(configuration: configuration(path))
            _ = realm.objects(BadFileNote.self).first?.body
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains(path) && output.contains("BadFileNote.body"), "\(output)")
        #expect(output.contains("checksum"))
    }
}
