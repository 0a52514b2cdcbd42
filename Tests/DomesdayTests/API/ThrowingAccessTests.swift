import Foundation
import Testing

@testable import Domesday

private class CheckedNote: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var title = ""
    @Persisted var body = Data()
    @Persisted var next: CheckedNote?
    @Persisted var links: List<CheckedNote>
    @Persisted var words: List<String>
    @Persisted(originProperty: "links") var linked: LinkingObjects<CheckedNote>

    static let count = 600

    static func title(of number: Int) -> String { "note \(number)" }
    static func bodyCount(of number: Int) -> Int { number % 50 == 0 ? 9000 : 40 }
}

private struct WrongValue: Error {
    let what: String
}

private func require(_ isRight: Bool, _ what: @autoclosure () -> String) throws {
    if !isRight { throw WrongValue(what: what()) }
}

/// The ways to read that throw, and what each must find in the store of these tests.
private enum Reading: String, CaseIterable, Sendable {
    case objects, whereCount, whereObjects, sorted, filtered, look, value, lists, backLinks

    var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    func run(_ realm: Realm) throws {
        let notes = realm.objects(CheckedNote.self)
        switch self {
        case .objects:
            var numbers: [Int] = []
            try notes.tryForEach { note in
                try Self.check(note)
                numbers.append(note.number)
            }
            try require(numbers == Array(0..<CheckedNote.count), "numbers")
            try require(try notes.tryCount() == CheckedNote.count, "count")
        case .whereCount:
            for number in stride(from: 0, to: CheckedNote.count, by: 37) {
                let title = CheckedNote.title(of: number)
                try require(
                    try notes.tryWhere { $0.title == title }.tryCount() == 1,
                    "count of \(title)"
                )
            }
            try require(
                try notes.tryWhere { $0.title.ends(with: "7") }.tryCount() == CheckedNote.count
                    / 10,
                "scan"
            )
        case .whereObjects:
            let title = CheckedNote.title(of: 123)
            var numbers: [Int] = []
            try notes.tryWhere { $0.title == title }.tryForEach { numbers.append($0.number) }
            try require(numbers == [123], "\(numbers)")
        case .sorted:
            var titles: [String] = []
            try notes.trySorted(byKeyPath: "title", ascending: false).tryForEach {
                titles.append($0.title)
            }
            let expected = (0..<CheckedNote.count).map { CheckedNote.title(of: $0) }
            try require(titles == expected.sorted(by: >), "order")
        case .filtered:
            let found = try notes.tryFilter("next.number >= 590 AND links.@count == 2")
            try require(try found.tryCount() == 9, "filtered")
        case .look:
            for number in stride(from: 0, to: CheckedNote.count, by: 7) {
                guard
                    let note = try realm.tryObject(ofType: CheckedNote.self, forPrimaryKey: number)
                else { throw WrongValue(what: "no object \(number)") }
                try Self.check(note)
            }
            try require(
                try realm.tryObject(ofType: CheckedNote.self, forPrimaryKey: -1) == nil,
                "an object too many"
            )
        case .value:
            try notes.tryForEach { note in
                guard let next = try note.tryValue(forKey: "next") as? CheckedNote else {
                    return try require(note.number == 0, "no next")
                }
                let title = try next.tryValue(forKey: "title") as? String
                try require(title == CheckedNote.title(of: note.number - 1), "next")
                try Self.check(next)
            }
        case .lists:
            try notes.tryForEach { note in
                let number = note.number
                var numbers: [Int] = []
                try note.links.tryForEach { linked in
                    try Self.check(linked)
                    numbers.append(linked.number)
                }
                try require(numbers == (number == 0 ? [] : [number - 1, number]), "links")
                try require(try note.links.tryCount() == numbers.count, "count of links")
                var words: [String] = []
                try note.words.tryForEach { words.append($0) }
                try require(words == ["a", "\(number)"], "words")
                let lower = try note.links.tryWhere { $0.number < number }.tryCount()
                try require(lower == (number == 0 ? 0 : 1), "where in links")
                let text = try note.links.tryFilter("number < %d", number).tryCount()
                try require(text == lower, "text in links")
            }
        case .backLinks:
            try notes.tryForEach { note in
                let number = note.number
                // Of itself, and of the next one.
                let expected = [number, number + 1].filter { $0 > 0 && $0 < CheckedNote.count }
                var numbers: [Int] = []
                try note.linked.tryForEach { numbers.append($0.number) }
                try require(numbers == expected, "back-links of \(number): \(numbers)")
                try require(try note.linked.tryCount() == expected.count, "count of back-links")
                let sorted = try note.linked.trySorted(byKeyPath: "number").tryCount()
                try require(sorted == expected.count, "sorted back-links")
            }
        }
    }

    private static func check(_ note: CheckedNote) throws {
        try require(note.title == CheckedNote.title(of: note.number), "title of \(note.number)")
        try require(note.body.count == CheckedNote.bodyCount(of: note.number), "body")
    }
}

private final class CheckedShelf: Object {
    @Persisted var names: List<String>
    @Persisted var tags: MutableSet<String>
    @Persisted var sizes: Map<String, Int>
}

@Suite("Throwing access")
struct ThrowingAccessTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func configuration(_ path: String) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: URL(fileURLWithPath: path),
            objectTypes: [CheckedNote.self]
        )
    }

    private func makeStore(_ path: String) throws {
        let realm = try Realm(configuration: configuration(path))
        try realm.write {
            var last: CheckedNote?
            for number in 0..<CheckedNote.count {
                let note = CheckedNote()
                note.number = number
                note.title = CheckedNote.title(of: number)
                note.body = Data(
                    repeating: UInt8(number % 251),
                    count: CheckedNote.bodyCount(of: number)
                )
                note.words.append(objectsIn: ["a", "\(number)"])
                note.next = last
                if let last { note.links.append(objectsIn: [last, note]) }
                realm.add(note)
                last = note
            }
        }
    }

    @Test(
        "whatever a loop over a store reads can be read by what throws",
        arguments: Reading.allCases
    )
    fileprivate func sound(_ reading: Reading) throws {
        let path = folder.path("sound")
        try makeStore(path)
        let realm = try Realm(configuration: configuration(path))
        try reading.run(realm)
        try realm.verify()
        // In a write it reads what the write has changed.
        try realm.write {
            let note = CheckedNote()
            note.number = 1000
            realm.add(note)
            #expect(try realm.objects(CheckedNote.self).tryCount() == CheckedNote.count + 1)
            #expect(try realm.tryObject(ofType: CheckedNote.self, forPrimaryKey: 1000) == note)
            #expect(try note.tryValue(forKey: "title") as? String == "")
            realm.delete(note)
            try reading.run(realm)
            try realm.verify()
        }
    }

    @Test("a flipped bit makes a read throw, and verify too; none traps or returns a wrong value")
    func flippedBits() throws {
        let source = folder.path("original")
        try makeStore(source)
        let original = try Data(contentsOf: URL(fileURLWithPath: source))
        var random = SplitMix64(seed: Scale.seed)
        print("seed \(Scale.seed)")
        var thrown: [Reading: Int] = [:]
        var refusedCount = 0
        // The header, each page once, then anywhere.
        let heads = (0..<4).map { _ in Int.random(in: 0..<100, using: &random) }
        let pages = (0..<original.count / 4096).map {
            $0 * 4096 + Int.random(in: 0..<4096, using: &random)
        }
        let anywhere = (0..<(20 * (Scale.factor - 1))).map { _ in
            Int.random(in: 0..<original.count, using: &random)
        }
        for (number, offset) in (heads + pages + anywhere).enumerated() {
            var bytes = original
            bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let path = folder.path("damaged")
            try SQLitePageStore.deleteFiles(path)
            try bytes.write(to: URL(fileURLWithPath: path))
            // Each in a Realm that has loaded nothing yet; some of them by turns, all in a long proof.
            let readings = Reading.allCases.filter {
                Scale.factor > 1 || ($0.number + number) % 4 == 0
            }
            for reading in readings {
                var isSound = true
                do {
                    let realm = try Realm(configuration: configuration(path))
                    do { try reading.run(realm) } catch let error as Realm.Error {
                        isSound = false
                        thrown[reading, default: 0] += 1
                        let isNamed = error.description.contains("'\(path)'")
                        #expect(isNamed, "bit at \(offset), \(reading): \(error)")
                        #expect(throws: Realm.Error.self) { try realm.verify() }
                    }
                } catch let error as Realm.Error {
                    // Refused when it was opened.
                    refusedCount += 1
                    #expect(error.description.contains("'\(path)'"), "bit at \(offset): \(error)")
                    break
                } catch { Issue.record("bit at \(offset), \(reading), \(isSound): \(error)") }
            }
        }
        for reading in Reading.allCases { #expect(thrown[reading, default: 0] > 0, "\(reading)") }
        #expect(refusedCount > 0)
    }

    @Test("mistakes in conditions and orders are thrown")
    func mistakes() throws {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: "mistakes", objectTypes: [CheckedNote.self])
        )
        let notes = realm.objects(CheckedNote.self)
        let sorting = #expect(throws: Realm.Error.self) { try notes.trySorted(byKeyPath: "tilte") }
        #expect(sorting?.code == .invalidInput)
        #expect(sorting?.description.contains("tilte") == true)
        #expect(throws: Realm.Error.self) {
            try notes.trySorted(by: [SortDescriptor(keyPath: "number"), "links.number"])
        }
        #expect(try notes.trySorted(by: ["number"]).tryCount() == 0)
        #expect(throws: Realm.Error.self) { try notes.tryFilter("tilte == 1") }
        let stranger = CheckedNote()
        #expect(throws: Realm.Error.self) { try notes.tryWhere { $0.next == stranger } }
        #expect(try notes.tryFilter(NSPredicate(format: "number == 1")).tryCount() == 0)
        let unknown = #expect(throws: Realm.Error.self) {
            try notes.tryFilter(NSPredicate(format: "tilte == 1"))
        }
        #expect(unknown?.code == .invalidInput)
        #expect(unknown?.description.contains("tilte") == true)
        let block = #expect(throws: Realm.Error.self) {
            try notes.tryFilter(NSPredicate { _, _ in true })
        }
        #expect(block?.code == .invalidInput)
    }

    @Test("mistakes in conditions and orders of values and of maps are thrown")
    func mistakesAboutValues() throws {
        let realm = try Realm(
            configuration: .init(
                inMemoryIdentifier: "mistakes about values",
                objectTypes: [CheckedShelf.self]
            )
        )
        let shelf = CheckedShelf(value: ["names": ["b", "a"], "sizes": ["x": 3, "y": 1]])
        try realm.write { realm.add(shelf) }
        let names = shelf.names
        #expect(try Array(names.trySorted(byKeyPath: "self")) == ["a", "b"])
        #expect(try Array(names.tryWhere { $0 == "b" }) == ["b"])
        #expect(try Array(names.tryFilter(NSPredicate(format: "SELF == 'a'"))) == ["a"])
        #expect(throws: Realm.Error.self) { try names.trySorted(byKeyPath: "length") }
        #expect(throws: Realm.Error.self) {
            try names.tryFilter(NSPredicate(format: "length == 1"))
        }
        let sizes = shelf.sizes
        #expect(try Array(sizes.trySorted(byKeyPath: "self")) == [1, 3])
        #expect(
            try Array(sizes.trySorted(by: [SortDescriptor(keyPath: "self", ascending: false)])) == [
                3, 1,
            ]
        )
        #expect(try Array(sizes.tryFilter("SELF > %d", 1)) == [3])
        #expect(try Array(sizes.tryFilter(NSPredicate(format: "SELF < 2"))) == [1])
        #expect(try Array(sizes.tryWhere { $0 > 2 }) == [3])
        #expect(throws: Realm.Error.self) { try sizes.tryFilter("length == 1") }
        #expect(throws: Realm.Error.self) { try sizes.tryFilter("SELF ==") }
        #expect(throws: Realm.Error.self) { try sizes.trySorted(byKeyPath: "length") }
    }

    @Test("mistakes are thrown whatever collection it is")
    func mistakesAboutCollections() throws {
        let realm = try Realm(
            configuration: .init(
                inMemoryIdentifier: "mistakes about collections",
                objectTypes: [CheckedNote.self, CheckedShelf.self]
            )
        )
        let shelf = CheckedShelf()
        shelf.tags.insert(objectsIn: ["b", "a", "c"])
        try realm.write {
            let notes = (0..<3).map { CheckedNote(value: ["number": $0]) }
            notes[0].links.append(notes[2])
            notes[1].links.append(notes[2])
            realm.add(notes)
            realm.add(shelf)
        }
        func check<Collection: RealmCollection>(
            _ collection: Collection,
            finds kept: [Collection.Element],
            _ format: String,
            inOrderOf keyPath: String
        ) throws where Collection.Element: Equatable {
            #expect(try Array(collection.tryFilter(format)) == kept)
            #expect(try Array(collection.tryFilter(NSPredicate(format: format))) == kept)
            let descending = SortDescriptor(keyPath: keyPath, ascending: false)
            #expect(
                try Array(collection.tryFilter(format).trySorted(by: [descending]))
                    == kept.reversed()
            )
            for wrong in ["tilte == 1", "SELF ==", "tilte.@count > 1"] {
                #expect(throws: Realm.Error.self) { try collection.tryFilter(wrong) }
            }
            #expect(throws: Realm.Error.self) { try collection.trySorted(byKeyPath: "tilte") }
            #expect(throws: Realm.Error.self) {
                try collection.tryFilter(NSPredicate { _, _ in true })
            }
        }
        let notes = realm.objects(CheckedNote.self).sorted(byKeyPath: "number")
        let linked = try #require(notes.last).linked
        try check(shelf.tags, finds: ["a", "b"], "SELF < 'c'", inOrderOf: "self")
        try check(AnyRealmCollection(shelf.tags), finds: ["b"], "SELF == 'b'", inOrderOf: "self")
        try check(linked, finds: [notes[0], notes[1]], "number < 9", inOrderOf: "number")
        try check(AnyRealmCollection(linked), finds: [notes[1]], "number > 0", inOrderOf: "number")
        try check(AnyRealmCollection(notes), finds: [notes[2]], "number == 2", inOrderOf: "title")
        #expect(try Array(shelf.tags.tryWhere { $0 == "b" }) == ["b"])
        #expect(try linked.tryWhere { $0.number == 1 }.map(\.number) == [1])
    }

    @Test("a body's error ends the loop")
    func bodyThrows() throws {
        let path = folder.path("body")
        try makeStore(path)
        let realm = try Realm(configuration: configuration(path))
        var count = 0
        #expect(throws: WrongValue.self) {
            try realm.objects(CheckedNote.self).tryForEach { _ in
                count += 1
                if count == 300 { throw WrongValue(what: "enough") }
            }
        }
        #expect(count == 300)
    }

    @Test("unmanaged objects and lists read as they are")
    func unmanaged() throws {
        let note = CheckedNote(value: ["number": 3, "words": ["x", "y"]])
        #expect(try note.tryValue(forKey: "number") as? Int == 3)
        var words: [String] = []
        try note.words.tryForEach { words.append($0) }
        #expect(try words == ["x", "y"] && note.words.tryCount() == 2)
        #expect(try note.linked.tryCount() == 0)
    }
}
