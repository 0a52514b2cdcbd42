import Domesday
import Testing

/// What each operator finds, over a handful of objects in sight.
@Suite("Filters")
struct FilterTests {
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
            let ada = realm.create(
                QueryPerson.self,
                value: [
                    "serial": 1, "number": 36, "optionalNumber": 7, "ratio": 0.5, "name": "Ada",
                    "nickname": "Countess", "isGood": true, "numbers": [1, 2, 3],
                    "words": ["x", NSNull(), "Yes"], "kind": QueryKind.low,
                    "address": ["street": "St James's Square", "code": 12],
                ] as [String: Any]
            )
            let grace = realm.create(
                QueryPerson.self,
                value: [
                    "serial": 2, "number": 85, "ratio": -1.5, "name": "Grace", "boss": ada,
                    "numbers": [3], "kind": QueryKind.high, "friends": [ada],
                ] as [String: Any]
            )
            realm.create(
                QueryPerson.self,
                value: [
                    "serial": 3, "number": 41, "optionalNumber": -7, "ratio": Double.nan,
                    "name": "ÁLAN", "nickname": "", "isGood": true, "boss": grace,
                    "friends": [ada, grace, ada], "mood": QueryMood.Angry,
                ] as [String: Any]
            )
            realm.create(
                QueryPerson.self,
                value: [
                    "serial": 4, "number": 41, "optionalNumber": 0, "ratio": 41.0,
                    "name": "ada%*?", "boss": grace,
                ] as [String: Any]
            )
        }
    }

    private func serials(_ text: String, _ args: Any...) throws -> [Int] {
        let results: Results<QueryPerson>
        switch args.count {
        case 0: results = try people.tryFilter(text)
        case 1: results = try people.tryFilter(text, args[0])
        default: results = try people.tryFilter(text, args[0], args[1])
        }
        // Counted first: a count may come from an index alone.
        let count = results.count
        let serials = results.map(\.serial)
        #expect(count == serials.count)
        return serials
    }

    @Test("numbers")
    func numbers() throws {
        #expect(try serials("number == 41") == [3, 4])
        #expect(try serials("number != 41") == [1, 2])
        #expect(try serials("number < 41") == [1])
        #expect(try serials("number <= %d", 41) == [1, 3, 4])
        #expect(try serials("number > 40.5") == [2, 3, 4])
        #expect(try serials("41 < number") == [2])
        #expect(try serials("number BETWEEN {36, 41}") == [1, 3, 4])
        #expect(try serials("number IN %@", [36, 85, 99]) == [1, 2])
        #expect(try serials("ratio < 1") == [1, 2])
        #expect(try serials("ratio != 0.5") == [2, 3, 4])
        #expect(try serials("ratio == %@", Double.nan) == [])
        #expect(try serials("ratio == number") == [4])
        #expect(try serials("isGood == true") == [1, 3])
        #expect(try serials("kind == %@", QueryKind.high) == [2])
    }

    @Test("nil equals nil and differs from every value")
    func null() throws {
        #expect(try serials("optionalNumber == nil") == [2])
        #expect(try serials("optionalNumber != nil") == [1, 3, 4])
        #expect(try serials("optionalNumber != 7") == [2, 3, 4])
        #expect(try serials("optionalNumber < 1") == [3, 4])
        #expect(try serials("NOT optionalNumber < 1") == [1, 2])
        #expect(try serials("nickname == nil") == [2, 4])
        #expect(try serials("nickname == ''") == [3])
        #expect(try serials("optionalNumber IN {0, nil}") == [2, 4])
    }

    @Test("text")
    func text() throws {
        #expect(try serials("name == 'Ada'") == [1])
        #expect(try serials("name ==[c] 'ADA'") == [1])
        #expect(try serials("name BEGINSWITH 'Ad'") == [1])
        #expect(try serials("name BEGINSWITH[c] 'AD'") == [1, 4])
        #expect(try serials("name CONTAINS 'a'") == [1, 2, 4])
        #expect(try serials("name CONTAINS[cd] 'la'") == [3])
        #expect(try serials("name ENDSWITH 'ce'") == [2])
        #expect(try serials("name LIKE '*a'") == [1])
        #expect(try serials("name LIKE[c] 'a?a*'") == [1, 4])
        #expect(try serials("name LIKE %@", "ada%\\*\\?") == [4])
        #expect(try serials("name < 'B'") == [1])
        #expect(try serials("name IN {'Ada', 'Grace'}") == [1, 2])
        #expect(try serials("mood == %@", QueryMood.Angry) == [3])
    }

    @Test("nil is no number, also where an index keeps both at one place")
    func nullBesideLeast() throws {
        try realm.write { people[0].number = .min }
        #expect(try serials("number == nil") == [])
        #expect(try serials("number IN {nil, 85}") == [2])
        #expect(try serials("number == %@", Int.min) == [1])
    }

    @Test("a wildcard after a backslash stands for itself, in the store and in memory")
    func escapes() throws {
        let predicate = NSPredicate(format: "name LIKE %@", #"ada%\*\?"#)
        #expect(people.filter(predicate).map(\.serial) == [4])
        #expect(people.filter { predicate.evaluate(with: $0) }.map(\.serial) == [4])
    }

    @Test("a message quotes the text as it was written")
    func quotes() {
        let error = #expect(throws: Realm.Error.self) { try people.tryFilter("nam == 'a..b'") }
        #expect("\(error.map { "\($0)" } ?? "")".hasSuffix("(at offset 0). In: nam == 'a..b'"))
    }

    @Test("logic")
    func logic() throws {
        #expect(try serials("number == 41 AND isGood == true") == [3])
        #expect(try serials("number == 36 OR number == 85") == [1, 2])
        #expect(try serials("NOT (number == 36 OR number == 85)") == [3, 4])
        #expect(try serials("TRUEPREDICATE") == [1, 2, 3, 4])
        #expect(try serials("FALSEPREDICATE") == [])
        #expect(try serials("1 == 1 AND number == 36") == [1])
    }

    @Test("links, and what lies behind them")
    func links() throws {
        let ada = try #require(realm.object(ofType: QueryPerson.self, forPrimaryKey: 1))
        #expect(try serials("boss == %@", ada) == [2])
        #expect(try serials("boss == nil") == [1])
        #expect(try serials("boss.name == 'Grace'") == [3, 4])
        #expect(try serials("boss.boss.name == 'Ada'") == [3, 4])
        #expect(try serials("boss.number < 50") == [2])
        #expect(try serials("boss.optionalNumber == nil") == [1, 3, 4])
        #expect(try serials("boss.optionalNumber != 7") == [1, 3, 4])
        #expect(try serials("address.code == 12") == [1])
    }

    @Test("collections")
    func collections() throws {
        let ada = try #require(realm.object(ofType: QueryPerson.self, forPrimaryKey: 1))
        #expect(try serials("ANY friends.name == 'Grace'") == [3])
        #expect(try serials("ALL friends.number < 50") == [1, 2, 4])
        #expect(try serials("NONE friends.name == 'Grace'") == [1, 2, 4])
        #expect(try serials("ANY friends == %@", ada) == [2, 3])
        #expect(try serials("%@ IN friends", ada) == [2, 3])
        #expect(try serials("friends CONTAINS %@", ada) == [2, 3])
        #expect(try serials("ANY numbers > 2") == [1, 2])
        #expect(try serials("3 IN numbers") == [1, 2])
        #expect(try serials("ANY words ==[c] 'yes'") == [1])
        #expect(try serials("ANY words == nil") == [1])
        #expect(try serials("ANY staff.number == 41") == [2])
        #expect(try serials("ANY admirers.name == 'Grace'") == [1])
        #expect(try serials("friends.@count == 3") == [3])
        #expect(try serials("staff.@count > 1") == [2])
        #expect(try serials("admirers.@count == 3") == [1])
        #expect(try serials("staff.@count == 0") == [3, 4])
        #expect(try serials("numbers.@count == 0") == [3, 4])
        #expect(try serials("numbers.@sum == 6") == [1])
        #expect(try serials("numbers.@min == nil") == [3, 4])
        #expect(try serials("friends.@max.number == 85") == [3])
        #expect(try serials("friends.@avg.number > 40") == [3])
        #expect(try serials("SUBQUERY(friends, $x, $x.number == 36).@count == 2") == [3])
        #expect(try serials("SUBQUERY(staff, $x, $x.isGood == true).@count == 1") == [2])
    }

    @Test("Swift conditions")
    func swift() {
        #expect(people.where { $0.number > 40 && $0.name.starts(with: "G") }.map(\.serial) == [2])
        #expect(people.where { $0.isGood }.count == 2)
        #expect(people.where { $0.friends.name == "Grace" }.map(\.serial) == [3])
        #expect(people.where { $0.staff.count == 2 }.map(\.serial) == [2])
        #expect(people.where { $0.number.in(Set([36, 85])) }.map(\.serial) == [1, 2])
        #expect(people.where { $0.boss.name == "Ada" }.map(\.serial) == [2])
    }

    @Test("filters and sorts of lists and linking objects")
    func lists() throws {
        let three = try #require(realm.object(ofType: QueryPerson.self, forPrimaryKey: 3))
        #expect(three.friends.filter("number == 36").map(\.serial) == [1, 1])
        #expect(three.friends.sorted(by: \.number, ascending: false).map(\.serial) == [2, 1, 1])
        let grace = try #require(realm.object(ofType: QueryPerson.self, forPrimaryKey: 2))
        #expect(grace.staff.filter("isGood == true").map(\.serial) == [3])
        #expect(grace.staff.sorted(byKeyPath: "name").map(\.serial) == [4, 3])
        #expect(grace.staff.max(of: \.number) == 41)
    }

    @Test("order")
    func order() {
        #expect(people.sorted(byKeyPath: "name").map(\.serial) == [1, 2, 4, 3])
        #expect(people.sorted(by: \.number, ascending: false).map(\.serial) == [2, 3, 4, 1])
        #expect(people.sorted(byKeyPath: "optionalNumber").map(\.serial) == [2, 3, 4, 1])
        #expect(people.sorted(byKeyPath: "ratio").map(\.serial) == [3, 2, 1, 4])
        #expect(people.sorted(byKeyPath: "boss.name").map(\.serial) == [1, 2, 3, 4])
        let both = people.sorted(by: [
            SortDescriptor(keyPath: "number", ascending: false), SortDescriptor(keyPath: "name"),
        ])
        #expect(both.map(\.serial) == [2, 4, 3, 1])
        #expect(both.first?.serial == 2 && both.last?.serial == 1)
        #expect(both.prefix(2).map(\.serial) == [2, 4])
        #expect(both[1].serial == 4)
    }

    @Test("figures of a column")
    func aggregates() {
        #expect(people.sum(of: \.number) == 36 + 85 + 41 + 41)
        #expect(people.min(of: \.number) == 36 && people.max(ofProperty: "number") == 85)
        #expect(people.average(ofProperty: "number") == 50.75)
        #expect(people.sum(of: \.optionalNumber) == 0)
        #expect(people.average(of: \.optionalNumber) == 0)
        #expect(people.min(of: \.optionalNumber) == -7)
        #expect(people.max(of: \.ratio) == 41)
        let none = people.filter("number == 0")
        #expect(none.sum(of: \.number) == 0 && none.min(of: \.number) == nil)
        #expect(people.filter("number == 41").sum(of: \.number) == 82)
    }

    @Test("positions")
    func positions() throws {
        let grace = try #require(realm.object(ofType: QueryPerson.self, forPrimaryKey: 2))
        #expect(people.index(of: grace) == 1)
        #expect(people.filter("number == 41").index(of: grace) == nil)
        #expect(people.index(matching: "number == 41") == 2)
        #expect(people.index(matching: { $0.name == "Grace" }) == 1)
        #expect(people.objects(at: [0, 3]).map(\.serial) == [1, 4])
    }

    @Test("live: what changes shows, also within a write")
    func live() throws {
        let rich = people.filter("number == 41")
        #expect(rich.count == 2)
        try realm.write {
            people[0].number = 41
            #expect(rich.map(\.serial) == [1, 3, 4])
            realm.delete(rich)
            #expect(rich.isEmpty && people.count == 1)
        }
        #expect(rich.isEmpty && people.map(\.serial) == [2])
    }

    @Test("live within a write: each change shows, whichever way it is made")
    func liveInWrite() throws {
        let middle = people.filter("ratio BETWEEN {0, 1}").sorted(byKeyPath: "small")
        let bosses = people.filter("boss.number > 80")
        let popular = people.filter("ANY friends.isGood == true")
        try realm.write {
            // The second set of a property takes another way than the first.
            for ratio in [0.25, 7, 0.75] { people[1].ratio = ratio }
            #expect(middle.map(\.serial) == [1, 2])
            people[1].ratio = 7
            #expect(middle.map(\.serial) == [1])
            people[1].ratio = 0.5
            people[0].small = 5
            #expect(middle.map(\.serial) == [2, 1])
            #expect(bosses.count == 2)
            people[1].number = 5
            #expect(bosses.isEmpty && popular.map(\.serial) == [2, 3])
            people[1].friends.removeAll()
            #expect(popular.map(\.serial) == [3])
            people[0].isGood = false
            people[2].isGood = false
            #expect(popular.isEmpty)
            // What the query does not read changes nothing of it.
            for index in middle.indices { middle[index].number = index }
            #expect(middle.map(\.number) == [0, 1])
        }
    }

    @Test("a cancelled write leaves queries as they were")
    func cancelled() throws {
        let rich = people.filter("number == 41")
        #expect(rich.count == 2)
        realm.beginWrite()
        people[0].number = 41
        #expect(rich.count == 3)
        realm.cancelWrite()
        #expect(rich.map(\.serial) == [3, 4])
    }

    @Test("selected properties, also while the store changes")
    func select() throws {
        let rows = people.sorted(byKeyPath: "name").select(\.name, \.number, \.optionalNumber)
        #expect(rows.map(\.0) == ["Ada", "Grace", "ada%*?", "ÁLAN"])
        #expect(rows.map(\.2) == [7, nil, 0, -7])
        #expect(rows[1] == ("Grace", 85, nil))
        #expect(people.filter("number == 41").select(\.serial).map { $0 } == [3, 4])
        #expect(people.select(\.numbers).map { Array($0) } == [[1, 2, 3], [3], [], []])
        try realm.write {
            var seen: [Int] = []
            for (serial, number) in people.select(\.serial, \.number) {
                seen.append(number)
                realm.object(ofType: QueryPerson.self, forPrimaryKey: serial)?.number += 100
            }
            #expect(seen == [36, 85, 41, 41] && people.sum(of: \.number) == 603)
        }
    }

    @Test("plans")
    func plans() {
        #expect(people.explain() == "all 4 objects of QueryPerson")
        #expect(
            people.filter("serial == 3").explain() == "index on QueryPerson.serial: 1 objects"
        )
        #expect(
            people.filter("number > 40 AND ratio < 5").sorted(byKeyPath: "name").explain()
                == """
                index on QueryPerson.number: 3 objects, each tested
                sort by name ascending: 1 objects
                """
        )
        #expect(people.filter("ratio < 5").explain() == "scan of 4 objects of QueryPerson")
    }

    @Test(
        "what is wrong, where, and what is near",
        arguments: [
            (
                "nmae == 'x'",
                "Invalid keypath 'nmae': Property 'nmae' not found in object of type 'QueryPerson'. Did you mean 'name'? (at offset 0). In: nmae == 'x'"
            ),
            (
                "isGood == true AND boss.nam == 'x'",
                "Property 'nam' not found in object of type 'QueryPerson'. Did you mean 'name'? (at offset 19)"
            ),
            (
                "number == 'x'",
                "Cannot compare value 'x' of type 'String' to property 'number' of type 'int' (at offset 7)"
            ),
            (
                "friends.number == 4",
                "Key paths that include a collection property must use aggregate operations"
            ),
            (
                "ANY number == 4",
                "Aggregate operations can only be used on key paths that include an collection property"
            ),
            (
                "number.x == 4",
                "Property 'number' is not a link or collection and can only appear at the end of a keypath."
            ),
            ("number CONTAINS 4", "Operator 'CONTAINS' not supported for type 'int'"),
            (
                "number BETWEEN {1}",
                "NSArray object must contain exactly two objects for BETWEEN operations"
            ),
            ("number ==", "Unable to parse the predicate at offset 9"),
            ("isGood > true", "Operator '>' not supported for type 'bool'"),
            ("number.@count == 1", "@count can only be used on collections"),
        ] as [(String, String)]
    )
    func errors(_ text: String, _ message: String) {
        let error = #expect(throws: Realm.Error.self) { try people.tryFilter(text) }
        #expect(error?.code == .invalidInput)
        #expect("\(error.map { "\($0)" } ?? "")".contains(message))
    }
}
