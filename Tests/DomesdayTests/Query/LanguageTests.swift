import Domesday
import Foundation
import Testing

/// What Realm's own language and this database add to that of `NSPredicate`.
@Suite("The language beyond NSPredicate's")
struct LanguageTests {
    let realm: Realm
    let people: Results<QueryPerson>

    init() throws {
        realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [QueryPerson.self, QueryAddress.self]
            )
        )
        people = realm.objects(QueryPerson.self)
        try realm.write {
            for serial in 1...6 {
                let person = realm.create(
                    QueryPerson.self,
                    value: [
                        "serial": serial, "number": serial * 10, "small": serial,
                        "ratio": Double(serial) / 2, "name": ["a", "b", "c"][serial % 3],
                        "numbers": Array(1...serial), "birth": Date(timeIntervalSince1970: 0),
                        "payload": Data([1, 2, UInt8(serial)]),
                    ] as [String: Any]
                )
                person.optionalNumber = serial < 3 ? nil : serial
                person.boss = people.first
                person.friends.append(objectsIn: people)
            }
            people[1].token = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
            people[2].identifier = try ObjectId(string: "507f1f77bcf86cd799439011")
            people[3].birth = Date(timeIntervalSince1970: 1_709_214_300.25)
        }
    }

    private func serials(_ text: String) throws -> [Int] {
        try people.tryFilter(text).map(\.serial)
    }

    @Test("arithmetic between columns and constants")
    func arithmetic() throws {
        #expect(try serials("number + small == 22") == [2])
        #expect(try serials("number - small * 9 == serial") == [1, 2, 3, 4, 5, 6])
        #expect(try serials("(number - small) * 2 > 80") == [5, 6])
        #expect(try serials("number / 4 == 7") == [3])
        #expect(try serials("number / 4 == 2") == [1])
        #expect(try serials("number / 4.0 == 7.5") == [3])
        #expect(try serials("60 <= number + 10") == [5, 6])
        #expect(try serials("number == ratio * 20") == [1, 2, 3, 4, 5, 6])
        #expect(try serials("serial + 1 IN {3, 4, 99}") == [2, 3])
        #expect(try serials("serial + 1 BETWEEN {3, 5}") == [2, 3, 4])
        #expect(try serials("optionalNumber + 1 == nil") == [1, 2])
        #expect(try serials("serial / (small - 3) == nil") == [3])
        #expect(try serials("ANY numbers == small - 1") == [2, 3, 4, 5, 6])
        #expect(try serials("friends.@count + 0 == serial") == [1, 2, 3, 4, 5, 6])
        #expect(try serials("boss.number + 10 == number") == [2])
    }

    @Test("integers beyond 64 bits are calculated as floating-point numbers")
    func overflow() throws {
        try realm.write { people[0].number = .max }
        #expect(try serials("number + 1 > 9223372036854775806") == [1])
        #expect(try serials("number * 2 == 18446744073709551616.0") == [1])
    }

    @Test("literals of identifiers, data and dates")
    func literals() throws {
        #expect(try serials("token == uuid(01020304-0506-0708-090a-0b0c0d0e0f10)") == [2])
        #expect(try serials("identifier == oid(507f1f77bcf86cd799439011)") == [3])
        #expect(try serials("birth == 2024-02-29@13:45:00:250000000") == [4])
        #expect(try serials("birth > T5:0") == [4])
        #expect(try serials("payload == B64\"AQID\"") == [3])
        let predicate = NSPredicate(format: "identifier == oid(507f1f77bcf86cd799439011)")
        #expect(people.filter { predicate.evaluate(with: $0) }.map(\.serial) == [3])
    }

    @Test("lists may hold key paths, and a quantifier may be about a list")
    func lists() throws {
        #expect(try serials("number IN {small, 20, ratio}") == [2])
        #expect(try serials("ratio BETWEEN {1, small - 2}") == [4, 5, 6])
        #expect(try serials("ANY {10, 20} == number") == [1, 2])
        #expect(try serials("number == ANY {10, 20}") == [1, 2])
        #expect(try serials("NONE {10, 20} == number") == [3, 4, 5, 6])
        #expect(try serials("ALL {10, small} < number") == [2, 3, 4, 5, 6])
        #expect(try serials("3 IN {small, serial}") == [3])
        #expect(try serials("2 == ANY numbers") == [2, 3, 4, 5, 6])
        #expect(try serials("ALL numbers IN {1, 2}") == [1, 2])
    }

    @Test("ALL and NONE with IN and a modifier")
    func manyTexts() throws {
        try realm.write { people[0].words.append(objectsIn: ["X", "y"]) }
        #expect(try serials("ALL words IN[c] {'x', 'Y'} AND words.@count > 0") == [1])
        #expect(try serials("NONE words IN[c] {'x'}") == [2, 3, 4, 5, 6])
    }

    @Test("a subquery may ask for the object outside")
    func outer() throws {
        #expect(
            try serials("SUBQUERY(friends, $f, $f.number + 10 == number).@count == 1") == [
                2, 3, 4, 5, 6,
            ]
        )
        #expect(
            try serials("SUBQUERY(friends, $f, $f.name == name).@count > 0")
                == people.filter { person in person.friends.contains { $0.name == person.name } }
                .map(\.serial)
        )
        #expect(
            try serials("SUBQUERY(friends, $f, $f.serial IN numbers AND number > 20).@count > 3")
                == people.filter { $0.number > 20 && $0.friends.count > 3 }.map(\.serial)
        )
        let nested = "SUBQUERY($f.friends, $g, $g.small == small - 2).@count > 0"
        #expect(
            try serials("SUBQUERY(friends, $f, \(nested)).@count > 0")
                == people.filter { person in
                    person.friends.contains { friend in
                        friend.friends.contains { $0.small == person.small - 2 }
                    }
                }.map(\.serial)
        )
    }

    @Test("@links leads back without a property of its own")
    func links() throws {
        #expect(try serials("@links.QueryPerson.boss.@count > 0") == [1])
        #expect(
            try serials("ANY @links.QueryPerson.friends.serial == 6")
                == people.filter { $0.admirers.contains { $0.serial == 6 } }.map(\.serial)
        )
        #expect(
            try serials("@links.@count > 5")
                == people.filter { $0.staff.count + $0.admirers.count > 5 }.map(\.serial)
        )
        let error = #expect(throws: Realm.Error.self) {
            try people.tryFilter("@links.QueryPerson.number.@count > 0")
        }
        #expect(
            "\(error.map { "\($0)" } ?? "")".contains(
                "Property 'QueryPerson.number' is no link to objects of type 'QueryPerson'."
            )
        )
    }

    @Test("SORT, DISTINCT and LIMIT follow a condition, in the order in which they apply")
    func trailers() throws {
        #expect(try serials("number > 10 SORT(number DESC) LIMIT(2)") == [6, 5])
        #expect(try serials("TRUEPREDICATE DISTINCT(name)") == [1, 2, 3])
        #expect(try serials("TRUEPREDICATE SORT(serial DESC) DISTINCT(name)") == [6, 5, 4])
        #expect(try serials("TRUEPREDICATE LIMIT(3) SORT(serial DESC)") == [3, 2, 1])
        #expect(try serials("TRUEPREDICATE SORT(name ASC, serial DESC) LIMIT(3)") == [6, 3, 4])
        let predicate = NSPredicate(format: "TRUEPREDICATE SORT(serial DESC) LIMIT(1)")
        #expect(people.filter(predicate).map(\.serial) == [6])
    }

    @Test(
        "what is wrong with it",
        arguments: [
            ("name + 1 == 2", "Arithmetic needs numbers, and 'name' of type 'string' is none"),
            ("number + 'x' == 2", "Arithmetic needs numbers, and 'x' of type 'String' is none"),
            ("number + 1 CONTAINS 2", "Operator 'CONTAINS' not supported between numbers"),
            (
                "name == number + 1",
                "Operator '==' not supported for type 'string' of property 'name'"
            ),
            ("friends.number + 1 == 2", "Key paths that include a collection property must use"),
            ("$x.number == 2", "Unknown variable '$x'"),
            ("number == {1, small}", "A list stands on the right side of IN and BETWEEN only"),
            (
                "TRUEPREDICATE SORT(nam)",
                "Cannot sort on key path 'nam': property 'QueryPerson.nam' does not exist."
            ),
            (
                "TRUEPREDICATE DISTINCT(friends)",
                "Cannot distinct on key path 'friends': property 'QueryPerson.friends' is of unsupported type 'array'."
            ),
            ("@links.QueryPerson.@count > 1", "@links.QueryPerson must be followed by a property."),
        ]
    )
    func errors(_ text: String, _ message: String) {
        let error = #expect(throws: Realm.Error.self) { try people.tryFilter(text) }
        #expect("\(error.map { "\($0)" } ?? "")".contains(message))
    }
}
