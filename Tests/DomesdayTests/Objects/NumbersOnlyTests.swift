import Foundation
import Testing

@testable import Domesday

private class Reading: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted var count: Int
    @Persisted var level: Double?
    @Persisted var note: String?
    @Persisted var words: List<String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class LaterReading: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted var count: Int
    @Persisted var level: Double?
    @Persisted var note: String?
    @Persisted var words: List<String>
    @Persisted var rank: Int
    @Persisted var title: String?

    override class func _realmObjectName() -> String? { "Reading" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

// A write that changes numbers alone leaves the texts of its objects on disk.
@Suite("Changing numbers of objects whose texts nobody has read")
struct NumbersOnlyTests {
    private struct Expected: Equatable {
        var count: Int
        var level: Double?
        var note: String?
        var words: [String]

        init(_ reading: Reading) {
            (count, level, note) = (reading.count, reading.level, reading.note)
            words = Array(reading.words)
        }

        init(_ number: Int) {
            (count, level) = (number, number % 3 == 0 ? nil : Double(number) / 8)
            note = number % 4 == 0 ? nil : "note \(number)"
            words = (0..<(number % 5)).map { "word \($0) of \(number)" }
        }
    }

    private let folder: TemporaryFolder
    private static let count = 600

    init() throws {
        folder = try TemporaryFolder()
        let realm = try open()
        try realm.write {
            for number in 0..<Self.count {
                let expected = Expected(number)
                let reading = Reading()
                reading.key = Self.key(number)
                (reading.count, reading.level) = (expected.count, expected.level)
                reading.note = expected.note
                reading.words.append(objectsIn: expected.words)
                realm.add(reading)
            }
        }
    }

    private static func key(_ number: Int) -> String { "key of reading \(number)" }

    private func open<T: Object>(_ type: T.Type) throws -> Realm {
        try Realm(
            configuration: .init(
                fileURL: folder.url.appendingPathComponent("readings.domesday"),
                schemaVersion: type == Reading.self ? 0 : 1,
                objectTypes: [type]
            )
        )
    }

    private func open() throws -> Realm { try open(Reading.self) }

    private func expectAll(
        _ expected: (Int) -> Expected?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let realm = try open()
        for number in 0..<Self.count {
            let reading = realm.object(ofType: Reading.self, forPrimaryKey: Self.key(number))
            #expect(reading.map(Expected.init) == expected(number), sourceLocation: sourceLocation)
        }
        #expect(throws: Never.self, sourceLocation: sourceLocation) { try realm.verify() }
    }

    private func change(_ numbers: [Int], _ body: (Realm, Reading) -> Void) throws {
        let realm = try open()
        for number in numbers {
            try realm.write {
                let key = Self.key(number)
                guard let reading = realm.object(ofType: Reading.self, forPrimaryKey: key) else {
                    Issue.record("\(key) is missing")
                    return
                }
                body(realm, reading)
            }
        }
    }

    @Test("numbers change, one commit each; texts and lists stay")
    func numbers() throws {
        let changed = [3, 255, 256, 300, 599]
        try change(changed) { _, reading in
            reading.count += 1000
            reading.level = -1
        }
        try expectAll { number in
            var expected = Expected(number)
            if changed.contains(number) { (expected.count, expected.level) = (number + 1000, -1) }
            return expected
        }
    }

    @Test("a text, a list, nil after a number, in the same write")
    func textsBehindNumbers() throws {
        let changed = [0, 7, 258, 599]
        try change(changed) { _, reading in
            reading.count = -5
            reading.note = "changed"
            reading.words.insert("first", at: 0)
            reading.level = nil
        }
        try change([8]) { _, reading in
            reading.count = -6
            reading.note = nil
        }
        try expectAll { number in
            var expected = Expected(number)
            if changed.contains(number) {
                expected.count = -5
                (expected.note, expected.level) = ("changed", nil)
                expected.words.insert("first", at: 0)
            } else if number == 8 {
                (expected.count, expected.note) = (-6, nil)
            }
            return expected
        }
    }

    @Test("text read after a number was changed, in the write and behind it")
    func reading() throws {
        try change([10]) { _, reading in
            reading.count = 1
            #expect(reading.note == "note 10" && reading.key == Self.key(10))
        }
        let realm = try open()
        let reading = try #require(
            realm.object(ofType: Reading.self, forPrimaryKey: Self.key(300))
        )
        try realm.write { reading.count = 2 }
        #expect(reading.words.count == 0 && reading.note == nil && reading.count == 2)
    }

    @Test("an object deleted, one added, after a number of a neighbour was changed")
    func deletingAndAdding() throws {
        try change([590]) { realm, reading in
            reading.count = 77
            realm.create(Reading.self, value: ["key": "new", "note": "new"])
            let neighbour = realm.object(ofType: Reading.self, forPrimaryKey: Self.key(591))
            if let neighbour { realm.delete(neighbour) }
        }
        try expectAll { number in
            if number == 591 { return nil }
            var expected = Expected(number)
            if number == 590 { expected.count = 77 }
            return expected
        }
        let new = try open().object(ofType: Reading.self, forPrimaryKey: "new")
        #expect(new?.note == "new")
    }

    @Test("a frozen version keeps its numbers and finds its texts")
    func frozen() throws {
        let realm = try open()
        let frozen = realm.freeze()
        try change([20]) { _, reading in reading.count = 1 }
        try change([20]) { _, reading in reading.note = "other" }
        let before = try #require(
            frozen.object(ofType: Reading.self, forPrimaryKey: Self.key(20))
        )
        #expect(Expected(before) == Expected(20))
        let after = try #require(
            realm.object(ofType: Reading.self, forPrimaryKey: Self.key(20))
        )
        #expect(after.count == 1 && after.note == "other")
    }

    @Test("a cancelled write leaves everything")
    func cancelled() throws {
        let realm = try open()
        realm.beginWrite()
        let reading = realm.object(ofType: Reading.self, forPrimaryKey: Self.key(30))
        reading?.count = 0
        reading?.note = "gone"
        realm.cancelWrite()
        try expectAll { Expected($0) }
    }

    @Test("numbers of a class with properties added since: their texts are there")
    func addedProperties() throws {
        do {
            let realm = try open(LaterReading.self)
            for number in [1, 257] {
                try realm.write {
                    let reading = realm.object(
                        ofType: LaterReading.self,
                        forPrimaryKey: Self.key(number)
                    )
                    reading?.rank = 9
                }
            }
        }
        let realm = try open(LaterReading.self)
        for number in 0..<Self.count {
            let reading = try #require(
                realm.object(ofType: LaterReading.self, forPrimaryKey: Self.key(number))
            )
            let expected = Expected(number)
            #expect(reading.note == expected.note && Array(reading.words) == expected.words)
            #expect(reading.rank == ([1, 257].contains(number) ? 9 : 0) && reading.title == nil)
        }
        #expect(throws: Never.self) { try realm.verify() }
    }
}
