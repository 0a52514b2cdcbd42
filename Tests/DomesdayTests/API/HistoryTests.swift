import Foundation
import Testing

@testable import Domesday

class HistoryItem: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var number: Int
    @Persisted var text: String?
    @Persisted var numbers: List<Int>
    @Persisted var friend: HistoryItem?
    @Persisted var part: HistoryPart?

    override class func propertiesMapping() -> [String: String] { ["text": "stored_text"] }
}

class HistoryNote: Object {
    @Persisted var text: String
}

class HistoryPart: EmbeddedObject {
    @Persisted var size: Int
}

private class HistoryKey: Object {
    @Persisted(primaryKey: true) var id: UUID?
}

private class HistoryNumber: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var value: Int
}

private let types: [ObjectBase.Type] = [HistoryItem.self, HistoryNote.self, HistoryPart.self]

private typealias History = Realm.History

/// "inserted HistoryItem a 1", to compare.
private func text(_ change: History.Change) -> String {
    let kind =
        switch change.kind {
        case .inserted: "inserted"
        case .deleted: "deleted"
        case .modified(let names): "modified \(names.joined(separator: ","))"
        }
    let key = change.primaryKey.map { " \($0.value.map { "\($0)" } ?? "nil")" } ?? ""
    return "\(kind) \(change.className)\(key)"
}

extension Realm.History {
    fileprivate var texts: [String] { changes.map { text($0) } }
}

/// What each commit has changed, asked for later.
@Suite("History")
struct HistoryTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func configuration(
        _ retention: Realm.HistoryRetention? = .unlimited,
        _ name: String = "history.domesday"
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: folder.path(name)),
            objectTypes: types
        )
        configuration.historyRetention = retention
        return configuration
    }

    private func code(_ body: () throws -> Void) -> Realm.Error.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? Realm.Error)?.code }
    }

    @Test("a change in the leaf of a long list is told, and nothing that leaves it as it is")
    func longList() throws {
        let realm = try Realm(configuration: configuration())
        var expected = Array(0..<20_000)
        try realm.write {
            for name in ["a", "b"] {
                realm.create(HistoryItem.self, value: ["name": name, "numbers": expected])
            }
        }
        let a = try #require(realm.object(ofType: HistoryItem.self, forPrimaryKey: "a"))
        let token = try realm.historyToken
        try realm.write { a.numbers[10_000] = 10_000 }
        #expect(try realm.history(since: token).texts == [])
        try realm.write { a.numbers.insert(-1, at: 10_000) }
        #expect(try realm.history(since: token).texts == ["modified numbers HistoryItem a"])
        expected.insert(-1, at: 10_000)
        #expect(Array(a.numbers) == expected)
        try realm.verify()
    }

    @Test("changes are put together object by object, deletions first")
    func coalescing() throws {
        let realm = try Realm(configuration: configuration())
        try realm.write {
            for name in ["a", "b", "c"] { realm.create(HistoryItem.self, value: ["name": name]) }
            realm.create(HistoryNote.self, value: ["text": "old"])
        }
        let token = try realm.historyToken
        #expect(try realm.history(since: token).changes.isEmpty)
        let a = try #require(realm.object(ofType: HistoryItem.self, forPrimaryKey: "a"))
        try realm.write {
            a.text = "x"
            a.number = 1
            // Back to what it was, and set to what it is.
            a.number = 0
            a.friend = nil
        }
        try realm.write {
            a.numbers.append(objectsIn: [1, 2])
            a.friend = realm.object(ofType: HistoryItem.self, forPrimaryKey: "b")
            a.part = HistoryPart()
            realm.create(HistoryItem.self, value: ["name": "d"])
            realm.create(HistoryItem.self, value: ["name": "brief"])
            realm.delete(realm.objects(HistoryNote.self))
        }
        try realm.write {
            let brief = realm.object(ofType: HistoryItem.self, forPrimaryKey: "brief")
            realm.delete(try #require(brief))
            let c = realm.object(ofType: HistoryItem.self, forPrimaryKey: "c")
            realm.delete(try #require(c))
            realm.create(HistoryItem.self, value: ["name": "c", "number": 7])
        }
        let history = try realm.history(since: token)
        #expect(
            history.texts == [
                "deleted HistoryItem c", "deleted HistoryNote", "inserted HistoryItem d",
                "inserted HistoryItem c", "inserted HistoryPart",
                "modified text,numbers,friend,part HistoryItem a",
            ]
        )
        #expect(history.commits.count == 3)
        #expect(!history.commits.contains { $0.changesSchema || $0.author != nil })
        #expect(abs(history.commits[0].date.timeIntervalSinceNow) < 600)
        let d = history.changes[2]
        #expect(realm.object(ofType: HistoryItem.self, for: d)?.name == "d")
        #expect(realm.dynamicObject(for: d)?.name as? String == "d")
        #expect(realm.object(ofType: HistoryNote.self, for: d) == nil)
        #expect(realm.object(ofType: HistoryItem.self, for: history.changes[0]) == nil)
        #expect(realm.dynamicObject(for: history.changes[0]) == nil)
        #expect(realm.object(ofType: HistoryPart.self, for: history.changes[4])?.size == 0)
        #expect(try realm.history(since: history.token).changes.isEmpty)
        try realm.verify()
    }

    @Test("primary keys of all types are told, also of what is gone")
    func primaryKeys() throws {
        var configuration = configuration()
        configuration.objectTypes = [HistoryKey.self, HistoryNumber.self, HistoryItem.self]
        configuration.objectTypes? += [HistoryPart.self]
        let realm = try Realm(configuration: configuration)
        let (uuid, id) = (UUID(), ObjectId.generate())
        // One is kept in a blob of its own.
        let long = String(repeating: "k", count: 20_000)
        let start = try realm.historyToken
        try realm.write {
            realm.create(HistoryKey.self, value: ["id": uuid])
            realm.create(HistoryKey.self, value: ["id": nil])
            realm.create(HistoryNumber.self, value: ["id": id])
            realm.create(HistoryItem.self, value: ["name": long])
        }
        let keys: [History.PrimaryKey?] = [.string(long), .uuid(uuid), .null, .objectId(id)]
        let inserted = try realm.history(since: start)
        #expect(inserted.changes.map(\.primaryKey) == keys)
        try realm.write { realm.deleteAll() }
        let deleted = try realm.history(since: inserted.token)
        #expect(deleted.changes.map(\.primaryKey) == keys)
        #expect(deleted.changes.allSatisfy { $0.kind == .deleted })
        #expect(try realm.history(since: start).changes.isEmpty)
        let data = try JSONEncoder().encode(keys)
        #expect(try JSONDecoder().decode([History.PrimaryKey?].self, from: data) == keys)
    }

    @Test("tokens survive as text and as coded values, and what is none is refused")
    func tokens() throws {
        let realm = try Realm(configuration: configuration())
        let token = try realm.historyToken
        #expect(Realm.HistoryToken(token.description) == token)
        let data = try JSONEncoder().encode(["at": token])
        #expect(
            try JSONDecoder().decode([String: Realm.HistoryToken].self, from: data)["at"] == token
        )
        for text in ["", "1", "1.", ".1", "1.x", "1.2.3", "-1.2", "9999999999999999999.1"] {
            #expect(Realm.HistoryToken(text) == nil, "\(text)")
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Realm.HistoryToken].self, from: Data("[\"1\"]".utf8))
        }
    }

    @Test("without retention there is no history, and no trace of one")
    func off() throws {
        let realm = try Realm(configuration: configuration(nil))
        try realm.write { realm.create(HistoryItem.self, value: ["name": "a"]) }
        #expect(code { _ = try realm.historyToken } == .historyNotKept)
        let token = try #require(Realm.HistoryToken("1.0"))
        #expect(code { _ = try realm.history(since: token) } == .historyNotKept)
        #expect(realm.state.reader.snapshot.history == nil)
        let store = realm.state.reader.store
        #expect(try store.pages.read(HistorySettings.address) == nil)
    }

    @Test("whoever writes keeps the history, with or without the setting")
    func everyWriter() throws {
        var token: Realm.HistoryToken?
        do { token = try Realm(configuration: configuration(.commits(1000))).historyToken }
        do {
            let realm = try Realm(configuration: configuration(nil))
            try realm.write { realm.create(HistoryItem.self, value: ["name": "a"]) }
        }
        let realm = try Realm(configuration: configuration(.commits(1000)))
        #expect(
            try realm.history(since: try #require(token)).texts == ["inserted HistoryItem a"]
        )
        // Setting what is set changes nothing.
        #expect(try realm.history(since: try #require(token)).commits.count == 1)
    }

    @Test("a history that was given up and begun anew does not know older tokens")
    func endedAndBegun() throws {
        var tokens: [Realm.HistoryToken] = []
        do {
            let realm = try Realm(configuration: configuration())
            tokens.append(try realm.historyToken)
            try realm.write { realm.create(HistoryNote.self) }
            tokens.append(try realm.historyToken)
        }
        do {
            let realm = try Realm(configuration: configuration(Realm.HistoryRetention.none))
            #expect(code { _ = try realm.history(since: tokens[0]) } == .historyNotKept)
            #expect(code { _ = try realm.historyToken } == .historyNotKept)
            try realm.write { realm.create(HistoryNote.self) }
        }
        let realm = try Realm(configuration: configuration())
        for token in tokens {
            #expect(code { _ = try realm.history(since: token) } == .historyTokenExpired)
        }
        let token = try realm.historyToken
        try realm.write { realm.create(HistoryNote.self) }
        #expect(try realm.history(since: token).texts == ["inserted HistoryNote"])
        try realm.verify()
    }

    @Test("a Realm that is open takes up a retention that is set later")
    func setWhileOpen() throws {
        let realm = try Realm(configuration: configuration(nil))
        let same = try Realm(configuration: configuration(.unlimited))
        #expect(same == realm)
        let token = try realm.historyToken
        try realm.write {
            realm.create(HistoryNote.self)
            #expect(
                code { _ = try Realm(configuration: configuration(.commits(1))) } == .alreadyOpen
            )
            #expect(code { _ = try Realm(configuration: configuration(.unlimited)) } == nil)
        }
        #expect(try realm.history(since: token).texts == ["inserted HistoryNote"])
    }

    @Test("a token of another store, or of a state that was put back, is expired")
    func otherStores() throws {
        let url = URL(fileURLWithPath: folder.path("history.domesday"))
        let kept = URL(fileURLWithPath: folder.path("kept.domesday"))
        do {
            let realm = try Realm(configuration: configuration())
            try realm.write { realm.create(HistoryNote.self, value: ["text": "a"]) }
        }
        OpenRealms.waitForClosing(url.path)
        try FileManager.default.copyItem(at: url, to: kept)
        var token: Realm.HistoryToken?
        do {
            let realm = try Realm(configuration: configuration())
            try realm.write { realm.create(HistoryNote.self, value: ["text": "lost"]) }
            token = try realm.historyToken
            let other = try Realm(configuration: configuration(.unlimited, "other.domesday"))
            for _ in 0..<5 { try other.write { other.create(HistoryNote.self) } }
            let foreign = try other.historyToken
            #expect(code { _ = try realm.history(since: foreign) } == .historyTokenExpired)
            let end = try other.history(since: foreign).token
            #expect(end == foreign)
            #expect(
                code { _ = try other.history(since: try #require(token)) } == .historyTokenExpired
            )
        }
        OpenRealms.waitForClosing(url.path)
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
        try FileManager.default.copyItem(at: kept, to: url)
        let realm = try Realm(configuration: configuration())
        #expect(code { _ = try realm.history(since: try #require(token)) } == .historyTokenExpired)
        try realm.write { realm.create(HistoryNote.self, value: ["text": "other"]) }
        #expect(code { _ = try realm.history(since: try #require(token)) } == .historyTokenExpired)
    }

    @Test("commits are kept as many as were asked for, and not for ever")
    func trimming() throws {
        var configuration = configuration(.commits(100))
        configuration.inMemoryIdentifier = "history \(UUID().uuidString)"
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(HistoryItem.self, value: ["name": "a"]) }
        let item = try #require(realm.objects(HistoryItem.self).first)
        let first = try realm.historyToken
        var tokens = [first]
        for number in 1...1000 {
            try realm.write { item.number = number }
            tokens.append(try realm.historyToken)
            for back in [1, 50, 100] where back <= number {
                let history = try realm.history(since: tokens[number - back])
                #expect(history.commits.count == back)
                #expect(history.texts == ["modified number HistoryItem a"])
            }
        }
        let error = #expect(throws: Realm.Error.self) { try realm.history(since: first) }
        #expect(error?.code == .historyTokenExpired)
        #expect(error?.description.contains("is kept from version") == true)
        let history = try #require(realm.state.reader.snapshot.history)
        let kept = realm.state.reader.snapshot.version - history.first
        #expect(100...400 ~= kept)
        for version in 1..<history.first {
            let store = realm.state.reader.store
            #expect(try store.pages.read(history.address(of: version)) == nil)
        }
        try realm.verify()
    }

    @Test("commits are kept as long as was asked for", arguments: [0, 3600])
    func trimmingByTime(seconds: Int) throws {
        var configuration = configuration(.time(.seconds(seconds)))
        configuration.inMemoryIdentifier = "history \(UUID().uuidString)"
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(HistoryItem.self, value: ["name": "a"]) }
        let item = try #require(realm.objects(HistoryItem.self).first)
        let first = try realm.historyToken
        for number in 1...600 { try realm.write { item.number = number } }
        if seconds == 0 {
            #expect(code { _ = try realm.history(since: first) } == .historyTokenExpired)
            let history = try #require(realm.state.reader.snapshot.history)
            #expect(realm.state.reader.snapshot.version - history.first <= 256)
        } else {
            #expect(try realm.history(since: first).commits.count == 600)
        }
        #expect(Realm.HistoryRetention.time(.milliseconds(1)).limit == .seconds(1))
    }

    @Test("a commit made while a clock was ahead is not kept for ever, nor those behind it")
    func trimmingBehindTheFuture() throws {
        var configuration = configuration(.time(.seconds(0)))
        configuration.inMemoryIdentifier = "history \(UUID().uuidString)"
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(HistoryItem.self, value: ["name": "a"]) }
        let reader = realm.state.reader
        let version = reader.snapshot.version
        let history = try #require(reader.snapshot.history)
        let ahead = Date().timeIntervalSinceReferenceDate + 1e6
        let record = HistoryRecord(.init(date: ahead, mark: 1, author: "", changesSchema: false))
        let blob = record.encoded().blob()
        blob.version = version
        let writer = try reader.store.pages.beginWrite()
        try writer.write(blob, at: history.address(of: version))
        try writer.commit()
        let item = try #require(realm.objects(HistoryItem.self).first)
        for number in 1...600 { try realm.write { item.number = number } }
        let first = try #require(reader.snapshot.history).first
        #expect(first > version && reader.snapshot.version - first <= 256)
    }

    @Test("commits of an author can be left out, but for what they deleted")
    func authors() throws {
        let realm = try Realm(configuration: configuration())
        try realm.write {
            for name in ["a", "b"] { realm.create(HistoryItem.self, value: ["name": name]) }
        }
        let token = try realm.historyToken
        #expect(realm.transactionAuthor == nil)
        func item(_ name: String) throws -> HistoryItem {
            try #require(realm.object(ofType: HistoryItem.self, forPrimaryKey: name))
        }
        realm.transactionAuthor = "cloud"
        try realm.write {
            realm.create(HistoryItem.self, value: ["name": "pulled"])
            realm.create(HistoryItem.self, value: ["name": "pulled and changed"])
            realm.create(HistoryItem.self, value: ["name": "pulled and deleted"])
            try item("b").number = 1
        }
        realm.transactionAuthor = nil
        try realm.write {
            try item("a").number = 2
            try item("pulled and changed").number = 2
            realm.delete(try item("pulled and deleted"))
            realm.create(HistoryItem.self, value: ["name": "made and deleted"])
        }
        realm.transactionAuthor = "cloud"
        try realm.write {
            realm.delete(try item("made and deleted"))
            realm.delete(try item("a"))
        }
        let history = try realm.history(since: token, leavingOut: ["cloud"])
        #expect(
            history.texts == [
                "deleted HistoryItem pulled and deleted",
                "modified number HistoryItem pulled and changed",
            ]
        )
        #expect(history.commits.map(\.author) == ["cloud", nil, "cloud"])
    }

    @Test("in a write and frozen, a Realm tells the history of the version it shows")
    func writingAndFrozen() throws {
        let realm = try Realm(configuration: configuration())
        let start = try realm.historyToken
        try realm.write { realm.create(HistoryItem.self, value: ["name": "a", "number": 1]) }
        let frozen = realm.freeze()
        let token = try realm.historyToken
        #expect(try frozen.historyToken == token)
        try realm.write {
            let item = try #require(realm.objects(HistoryItem.self).first)
            item.number = 5
            #expect(try realm.historyToken == token)
            #expect(try realm.history(since: start).texts == ["inserted HistoryItem a"])
            let change = try realm.history(since: start).changes[0]
            realm.delete(item)
            #expect(realm.object(ofType: HistoryItem.self, for: change) == nil)
            #expect(try realm.history(since: start).texts == ["inserted HistoryItem a"])
        }
        #expect(try realm.history(since: start).texts == [])
        let history = try frozen.history(since: start)
        #expect(history.texts == ["inserted HistoryItem a"])
        let item = frozen.object(ofType: HistoryItem.self, for: history.changes[0])
        #expect(item?.number == 1)
        let later = try realm.historyToken
        #expect(code { _ = try frozen.history(since: later) } == .invalidInput)
    }

    @Test("a write that is cancelled or fails leaves nothing in the history")
    func cancelled() throws {
        let realm = try Realm(configuration: configuration())
        let token = try realm.historyToken
        realm.beginWrite()
        realm.create(HistoryItem.self, value: ["name": "a"])
        realm.cancelWrite()
        try realm.write {}
        #expect(try realm.history(since: token).commits.isEmpty)
        #expect(try realm.historyToken == token)
    }

    @Test("a migration is told as such, and properties by their present names")
    func migrations() throws {
        let path = folder.path("migrated.domesday")
        func configuration(_ version: UInt64, _ names: [String]) -> Realm.Configuration {
            var configuration = Realm.Configuration(
                fileURL: URL(fileURLWithPath: path),
                schemaVersion: version,
                objectTypes: []
            )
            configuration.objectSchemas = [
                ObjectSchema(
                    className: "Thing",
                    properties: names.map { Property($0, .int) }
                )
            ]
            configuration.historyRetention = .unlimited
            return configuration
        }
        var token: Realm.HistoryToken?
        do {
            let realm = try Realm(configuration: configuration(0, ["a", "b"]))
            try realm.write { realm.dynamicCreate("Thing", value: ["a": 1, "b": 1]) }
            token = try realm.historyToken
            let thing = try #require(realm.dynamicObjects("Thing").first)
            try realm.write { thing["a"] = 2 }
            try realm.write { thing["b"] = 2 }
        }
        let realm = try Realm(configuration: configuration(1, ["c", "b"]))
        let thing = try #require(realm.dynamicObjects("Thing").first)
        try realm.write { thing["c"] = 3 }
        let history = try realm.history(since: try #require(token))
        // The column of "a" is gone.
        #expect(history.texts == ["modified c,b Thing"])
        #expect(history.commits.map(\.changesSchema) == [false, false, true, false])
        try realm.verify()
    }
}
