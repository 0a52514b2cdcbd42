import Domesday
import Foundation
import Testing

@Suite("Sorting, distinct objects, limits")
struct OrderingTests {
    /// A value as sorting sees it: nil before NaN before numbers before text.
    private enum Value: Comparable, Hashable {
        case null
        case notANumber
        case number(Double)
        case text([UInt8])

        init(_ number: Double?) {
            guard let number else {
                self = .null
                return
            }
            self = number.isNaN ? .notANumber : .number(number == 0 ? 0 : number)
        }

        init(_ text: String?) { self = text.map { .text(Array($0.utf8)) } ?? .null }

        static func < (a: Value, b: Value) -> Bool {
            switch (a, b) {
            case (.number(let a), .number(let b)): a < b
            case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
            default: a.rank < b.rank
            }
        }

        private var rank: Int {
            switch self {
            case .null: 0
            case .notANumber: 1
            case .number: 2
            case .text: 3
            }
        }
    }

    /// What can be sorted by, and what that is in Swift.
    private static let sortable: [(path: String, value: @Sendable (QueryPerson) -> Value)] = [
        ("number", { Value(Double($0.number)) }),
        ("optionalNumber", { Value($0.optionalNumber.map(Double.init)) }),
        ("ratio", { Value($0.ratio) }),
        ("optionalRatio", { Value($0.optionalRatio) }),
        ("name", { Value($0.name) }),
        ("nickname", { Value($0.nickname) }),
        ("birth", { Value($0.birth.timeIntervalSinceReferenceDate) }),
        ("isGood", { Value($0.isGood ? 1 : 0) }),
        ("boss.name", { Value($0.boss?.name) }),
        ("boss.boss.optionalNumber", { Value($0.boss?.boss?.optionalNumber.map(Double.init)) }),
        ("address.street", { Value($0.address?.street) }),
    ]

    private static let aggregates: [(path: String, value: @Sendable (QueryPerson) -> Value)] = [
        ("friends.@count", { Value(Double($0.friends.count)) }),
        ("staff.@count", { Value(Double($0.staff.count)) }),
        ("boss.friends.@count", { Value(Double($0.boss?.friends.count ?? 0)) }),
        ("numbers.@max", { Value($0.numbers.map(Double.init).max()) }),
        ("numbers.@sum", { Value($0.numbers.map(Double.init).reduce(0, +)) }),
        ("friends.@min.number", { Value($0.friends.map { Double($0.number) }.min()) }),
        (
            "friends.@avg.number",
            {
                let numbers = $0.friends.map { Double($0.number) }
                return Value(numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count))
            }
        ),
    ]

    /// A chain of calls, done with arrays: conditions before all else, unless a limit was set.
    private struct Chain {
        var source: [QueryPerson]
        var conditions: [(QueryPerson) -> Bool] = []
        var steps: [([QueryPerson]) -> [QueryPerson]] = []
        var isCut = false

        var result: [QueryPerson] {
            let matches = source.filter { person in conditions.allSatisfy { $0(person) } }
            return steps.reduce(matches) { $1($0) }
        }

        mutating func filter(_ condition: @escaping (QueryPerson) -> Bool) {
            if isCut { self = Chain(source: result) }
            conditions.append(condition)
        }
    }

    @Test("random chains give what arrays give", arguments: 0..<6)
    func chains(_ number: UInt64) throws {
        let count = [0, 1, 30, 60, 320, 600][Int(number)]
        let database = try RandomPeople(count: count, seed: Scale.seed &+ number)
        var random = SplitMix64(seed: Scale.seed ^ number)
        let all = Self.sortable + Self.aggregates
        for _ in 0..<60 * Scale.factor {
            var results = database.realm.objects(QueryPerson.self)
            var chain = Chain(source: database.people)
            var text: [String] = []
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                switch Int.random(in: 0..<5, using: &random) {
                case 0:
                    let keys = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                        (
                            all[Int.random(in: 0..<all.count, using: &random)],
                            Bool.random(using: &random)
                        )
                    }
                    results = results.sorted(
                        by: keys.map { SortDescriptor(keyPath: $0.0.path, ascending: $0.1) }
                    )
                    chain.steps.append { people in
                        people.enumerated().sorted { a, b in
                            for (key, isAscending) in keys {
                                let (x, y) = (key.value(a.element), key.value(b.element))
                                if x != y { return (x < y) == isAscending }
                            }
                            return a.offset < b.offset
                        }.map(\.element)
                    }
                    text.append("sort \(keys.map { "\($0.0.path) \($0.1)" })")
                case 1:
                    let keys = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                        Self.sortable[Int.random(in: 0..<Self.sortable.count, using: &random)]
                    }
                    results = results.distinct(by: keys.map(\.path))
                    chain.steps.append { people in
                        var known: Set<[Value]> = []
                        return people.filter { person in
                            known.insert(keys.map { $0.value(person) }).inserted
                        }
                    }
                    text.append("distinct \(keys.map(\.path))")
                case 2:
                    let limit = Int.random(in: 0..<40, using: &random)
                    results = results.limit(limit)
                    chain.steps.append { Array($0.prefix(limit)) }
                    chain.isCut = true
                    text.append("limit \(limit)")
                case 3:
                    let offset = Int.random(in: 0..<20, using: &random)
                    results = results.offset(offset)
                    chain.steps.append { Array($0.dropFirst(offset)) }
                    chain.isCut = true
                    text.append("offset \(offset)")
                default:
                    let bound = Int.random(in: 0..<6, using: &random)
                    results = results.filter("number > %d", bound)
                    chain.filter { $0.number > bound }
                    text.append("number > \(bound)")
                }
            }
            let expected = chain.result.map(\.serial)
            let context = Comment("DOMESDAY_SEED=\(Scale.seed), \(count): \(text)")
            #expect(results.count == expected.count, context)
            #expect(results.first?.serial == expected.first, context)
            #expect(results.prefix(3).map(\.serial) == Array(expected.prefix(3)), context)
            #expect(results.map(\.serial) == expected, context)
            #expect(results.sum(of: \.number) == chain.result.map(\.number).reduce(0, +), context)
        }
    }

    private func world() throws -> (Realm, Results<QueryPerson>) {
        let database = try RandomPeople(count: 0, seed: 1)
        let realm = database.realm
        try realm.write {
            for serial in 0..<10 {
                realm.create(
                    QueryPerson.self,
                    value: ["serial": serial, "number": serial % 3, "name": "\(serial % 4)"]
                )
            }
        }
        return (realm, realm.objects(QueryPerson.self))
    }

    @Test("a condition is asked before objects are made distinct, and after a limit")
    func order() throws {
        let (realm, people) = try world()
        #expect(people.distinct(by: ["name"]).map(\.serial) == [0, 1, 2, 3])
        #expect(people.distinct(by: ["name"]).filter("serial > 2").map(\.serial) == [3, 4, 5, 6])
        #expect(people.limit(4).filter("serial > 2").map(\.serial) == [3])
        #expect(people.distinct(by: [\QueryPerson.name]).count == 4)
        #expect(people.distinct(by: [] as [String]).count == 10)
        try realm.write { people[2].name = "0" }
        #expect(people.distinct(by: ["name"]).map(\.serial) == [0, 1, 3, 6])
    }

    @Test("live: limits show what comes and goes, and what was found is kept while nothing changes")
    func live() throws {
        let (realm, people) = try world()
        let oldest = people.sorted(byKeyPath: "serial", ascending: false).limit(2)
        let few = oldest.filter("number == 0")
        let page = people.sorted(byKeyPath: "serial").offset(8).limit(5)
        #expect(oldest.map(\.serial) == [9, 8] && few.map(\.serial) == [9])
        #expect(page.map(\.serial) == [8, 9] && page.count == 2)
        try realm.write {
            realm.delete(people[9])
            #expect(oldest.map(\.serial) == [8, 7] && few.isEmpty)
            people[7].number = 0
            #expect(few.map(\.serial) == [7])
        }
        #expect(page.map(\.serial) == [8])
        try realm.write { realm.delete(people.limit(3)) }
        #expect(people.map(\.serial) == [3, 4, 5, 6, 7, 8])
    }

    @Test("lists can be sorted, made distinct and cut")
    func lists() throws {
        let (realm, people) = try world()
        try realm.write { people[0].friends.append(objectsIn: [people[3], people[1], people[3]]) }
        let friends = people[0].friends
        #expect(friends.distinct(by: ["serial"]).map(\.serial) == [3, 1])
        #expect(friends.limit(2).map(\.serial) == [3, 1])
        #expect(friends.sorted(byKeyPath: "serial").offset(1).map(\.serial) == [3, 3])
    }

    @Test("Foundation's descriptors made of names sort")
    func foundation() throws {
        let (_, people) = try world()
        let sorted = people.sorted(by: [
            NSSortDescriptor(key: "number", ascending: false),
            NSSortDescriptor(key: "serial", ascending: true),
        ])
        #expect(sorted.map(\.serial) == [2, 5, 8, 1, 4, 7, 0, 3, 6, 9])
    }

    @Test("the plan tells what is sorted and kept")
    func plans() throws {
        let (_, people) = try world()
        #expect(
            people.filter("number > 0").sorted(byKeyPath: "name").limit(3).explain()
                == """
                index on QueryPerson.number: 6 objects
                sort by name ascending: 6 objects, keeping the first 3
                limit 3
                """
        )
        #expect(
            people.limit(5).filter("isGood == true").explain()
                == """
                all 10 objects of QueryPerson
                limit 5
                what was found before: 5 objects, each tested
                """
        )
    }

    @Test(
        "what cannot be sorted by",
        arguments: [
            ("x", "Cannot sort on key path 'x': property 'QueryPerson.x' does not exist."),
            (
                "friends",
                "Cannot sort on key path 'friends': property 'QueryPerson.friends' is of unsupported type 'array'."
            ),
            (
                "staff.name",
                "Cannot sort on key path 'staff.name': property 'QueryPerson.staff' is of unsupported type 'linking objects'."
            ),
            (
                "boss",
                "Cannot sort on key path 'boss': property 'QueryPerson.boss' is of unsupported type 'object'."
            ),
            (
                "friends.@unionOfObjects.name",
                "Cannot sort on key path 'friends.@unionOfObjects.name': KVC collection operators are not supported."
            ),
            ("number.@count", "Invalid keypath 'number.@count'"),
            ("friends.@max.name", "@max is not supported on string values."),
        ]
    )
    func unsortable(_ path: String, _ message: String) throws {
        let (_, people) = try world()
        let error = #expect(throws: Realm.Error.self) { try people.trySorted(byKeyPath: path) }
        #expect("\(error.map { "\($0)" } ?? "")".contains(message))
    }
}
