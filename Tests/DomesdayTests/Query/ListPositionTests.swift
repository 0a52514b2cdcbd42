import Foundation
import PredicateLanguage
import Testing

@testable import Domesday

@Suite("Positions in lists")
struct ListPositionTests {
    private let folder: TemporaryFolder
    private let realm: Realm

    init() throws {
        folder = try TemporaryFolder()
        realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: folder.url.appendingPathComponent("positions"),
                objectTypes: [QueryPerson.self, QueryAddress.self]
            )
        )
        try realm.write {
            for serial in 0..<40 {
                let person = realm.create(QueryPerson.self, value: ["serial": serial])
                person.number = serial % 5
                person.numbers.append(objectsIn: (0..<serial % 4).map { $0 * serial })
                person.words.append(objectsIn: serial % 3 == 0 ? [nil, "a"] : ["b"])
            }
            let people = Array(realm.objects(QueryPerson.self))
            for (serial, person) in people.enumerated() {
                for step in 0..<serial % 4 {
                    person.friends.append(people[(serial * (step + 1) + 3) % 40])
                }
                if serial % 3 > 0 { person.boss = people[serial / 2] }
            }
        }
    }

    @Test("name one element; where there is none, it is nil")
    func positions() throws {
        let people = realm.objects(QueryPerson.self)
        #expect(people.filter("numbers[1] == 7").map(\.serial) == [7])
        #expect(people.filter("numbers[LAST] == 14").map(\.serial) == [7, 14])
        #expect(people.filter("numbers[FIRST] == nil").count == 10)
        #expect(people.filter("numbers[SIZE] == 3").map(\.serial).first == 3)
        #expect(people.filter("friends[0] == %@", people[0]).map(\.serial) == [37])
        #expect(people.filter("friends[5] == nil").count == 40)
    }

    @Test(
        "mean in the store what they mean in memory",
        arguments: [
            "numbers[0] == 0", "numbers[FIRST] >= 0", "numbers[LAST] > 20", "numbers[2] == nil",
            "numbers[1] == number", "number < numbers[LAST]", "words[0] == nil",
            "words[LAST] BEGINSWITH 'a'", "words[1] != 'a'", "numbers[1] BETWEEN {3, 30}",
            "friends[0].number == 3", "friends[LAST].boss.number > 1", "friends[1].boss == nil",
            "friends[FIRST].friends[LAST].number == 2", "friends[2] == nil",
            "ANY friends[0].friends.number == 4", "ANY friends.friends[0].number == 2",
            "ANY friends.numbers[1] == nil", "NONE friends.friends[1] == nil",
            "ALL friends.numbers[LAST] > 5", "friends[1].numbers.@count == 3",
            "friends[SIZE] == 2", "numbers[SIZE] > 1", "boss.numbers[0] == 0",
            "boss.friends[LAST].number IN {1, 2}", "ANY boss.friends[0].numbers > 10",
            "numbers[0] + numbers[1] == 7", "friends[0].friends.@sum.number > 4",
            "SUBQUERY(friends, $f, $f.numbers[1] > 5).@count > 0",
        ]
    )
    func agreement(_ text: String) throws {
        let evaluator = ObjectEvaluator(try PredicateParser.parse(text))
        let people = realm.objects(QueryPerson.self)
        let expected = try people.filter { try evaluator.matches($0) }.map(\.serial)
        #expect(people.filter(text).map(\.serial) == expected)
        #expect(!expected.isEmpty && expected.count < 40, "it says nothing")
    }

    @Test("results follow a list that changes")
    func changes() throws {
        let people = realm.objects(QueryPerson.self)
        let found = people.filter("numbers[0] == 77 OR friends[0].number == 77")
        #expect(found.isEmpty)
        try realm.write { people[4].numbers.insert(77, at: 0) }
        #expect(found.map(\.serial) == [4])
        try realm.write {
            people[9].number = 77
            people[6].friends.insert(people[9], at: 0)
        }
        #expect(found.map(\.serial) == [4, 6])
    }

    @Test("are refused behind what is no list")
    func refusals() {
        let people = realm.objects(QueryPerson.self)
        for text in ["number[0] == 1", "boss[0] == nil", "staff[FIRST] == nil", "numbers[-1] == 1"]
        {
            #expect(throws: Realm.Error.self, "\(text)") { try people.tryFilter(text) }
        }
    }
}

@Suite("Collections outside of a Realm")
struct UnmanagedMatchingTests {
    @Test("find a position by text, predicate, block and closure")
    func positions() {
        let list = List<QueryPerson>()
        for number in 0..<5 { list.append(QueryPerson(value: ["number": number * 2])) }
        #expect(list.index(matching: "number > %@", 3) == 2)
        #expect(list.index(matching: NSPredicate(format: "number == 6")) == 3)
        #expect(list.index(matching: { $0.number == 8 }) == 4)
        #expect(list.index(matching: "number == 1") == nil)
        let block = NSPredicate { object, _ in (object as? QueryPerson)?.number == 2 }
        #expect(list.index(matching: block) == 1)
    }
}
