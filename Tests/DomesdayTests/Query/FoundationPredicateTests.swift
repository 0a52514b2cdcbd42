import Domesday
import Foundation
import Testing

/// One condition in four forms: as text, as `NSPredicate`, in Swift, by Foundation's macro.
@Suite("Four forms of one condition")
struct FoundationPredicateTests {
    let database: RandomPeople
    let people: Results<QueryPerson>

    init() throws {
        database = try RandomPeople(count: 120, seed: Scale.seed)
        people = database.realm.objects(QueryPerson.self)
    }

    private func expect(
        _ text: String,
        _ predicate: Foundation.Predicate<QueryPerson>,
        _ typed: ((Query<QueryPerson>) -> Query<Bool>)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let serials = try people.tryFilter(text).map(\.serial)
        let byMacro = try people.tryFilter(predicate).map(\.serial)
        #expect(byMacro == serials, sourceLocation: sourceLocation)
        let parsed = NSPredicate(format: text)
        #expect(people.filter(parsed).map(\.serial) == serials, sourceLocation: sourceLocation)
        #expect(
            people.filter { parsed.evaluate(with: $0) }.map(\.serial) == serials,
            sourceLocation: sourceLocation
        )
        if let typed {
            #expect(people.where(typed).map(\.serial) == serials, sourceLocation: sourceLocation)
        }
    }

    @Test("comparisons and logic")
    func comparisons() throws {
        try expect("number > 2", #Predicate { $0.number > 2 }) { $0.number > 2 }
        try expect("number <= 2", #Predicate { $0.number <= 2 }) { $0.number <= 2 }
        try expect("2 < number", #Predicate { 2 < $0.number })
        try expect(
            "number == 1 OR number != 1 AND isGood == true",
            #Predicate {
                $0.number == 1 || $0.number != 1 && $0.isGood
            }
        ) { $0.number == 1 || $0.number != 1 && $0.isGood }
        try expect("NOT (number == 1)", #Predicate { !($0.number == 1) }) { !($0.number == 1) }
        try expect("optionalNumber == nil", #Predicate { $0.optionalNumber == nil }) {
            $0.optionalNumber == nil
        }
        try expect("optionalNumber == 3", #Predicate { $0.optionalNumber == 3 }) {
            $0.optionalNumber == 3
        }
        let bound = 5
        try expect("number < 5", #Predicate { $0.number < bound }) { $0.number < bound }
        let odd = QueryMood.Angry
        #expect(
            people.filter("mood == %@", odd).map(\.serial)
                == people.where { $0.mood == odd }.map(\.serial)
        )
    }

    @Test("arithmetic and optionals")
    func arithmetic() throws {
        try expect("number + serial * 2 > 20", #Predicate { $0.number + $0.serial * 2 > 20 })
        try expect("number / 2 == 1", #Predicate { $0.number / 2 == 1 })
        try expect("ratio / 2 > 0.2", #Predicate { $0.ratio / 2 > 0.2 })
        try expect("0 - number == 1", #Predicate { -$0.number == 1 })
        try expect(
            "(optionalNumber != nil AND optionalNumber > 1) OR (optionalNumber == nil AND 7 > 1)",
            #Predicate { ($0.optionalNumber ?? 7) > 1 }
        )
        try expect("boss.number == 3", #Predicate { $0.boss?.number == 3 }) {
            $0.boss.number == 3
        }
        try expect("boss != nil AND boss.name == 'a'", #Predicate { $0.boss!.name == "a" }) {
            $0.boss != nil && $0.boss.name == "a"
        }
        try expect(
            "boss.name CONTAINS 'a'",
            #Predicate { $0.boss?.name.contains("a") ?? false }
        ) { $0.boss.name.contains("a") }
        try expect(
            "boss == nil OR boss.name CONTAINS 'a'",
            #Predicate { $0.boss?.name.contains("a") ?? true }
        )
        try expect("boss.name CONTAINS 'a'", #Predicate { $0.boss?.name.contains("a") == true })
        try expect("optionalFlag == true", #Predicate { $0.optionalFlag ?? false }) {
            $0.optionalFlag == true
        }
    }

    @Test("text")
    func text() throws {
        try expect("name CONTAINS 'b'", #Predicate { $0.name.contains("b") }) {
            $0.name.contains("b")
        }
        try expect("name BEGINSWITH 'a'", #Predicate { $0.name.starts(with: "a") }) {
            $0.name.starts(with: "a")
        }
        try expect("name == ''", #Predicate { $0.name.isEmpty })
        let part = "é"
        try expect("name ENDSWITH 'é' OR name CONTAINS 'é'", #Predicate { $0.name.contains(part) })
        {
            $0.name.contains(part)
        }
    }

    @Test("collections and ranges")
    func collections() throws {
        try expect("3 IN numbers", #Predicate { $0.numbers.contains(3) }) { $0.numbers.contains(3) }
        let wanted = [1, 5, 9]
        try expect("number IN {1, 5, 9}", #Predicate { wanted.contains($0.number) }) {
            $0.number.in(wanted)
        }
        try expect("number BETWEEN {1, 5}", #Predicate { (1...5).contains($0.number) }) {
            $0.number.contains(1...5)
        }
        let range = 1..<5
        try expect("number >= 1 AND number < 5", #Predicate { range.contains($0.number) }) {
            $0.number.contains(1..<5)
        }
        try expect("friends.@count > 1", #Predicate { $0.friends.count > 1 }) {
            $0.friends.count > 1
        }
        try expect("friends.@count == 0", #Predicate { $0.friends.isEmpty })
        try expect("ANY friends.number > 5", #Predicate { $0.friends.contains { $0.number > 5 } }) {
            $0.friends.number > 5
        }
        try expect(
            "ALL friends.number > 5",
            #Predicate { $0.friends.allSatisfy { $0.number > 5 } }
        )
        try expect(
            "SUBQUERY(friends, $f, $f.number > 1).@count == 2",
            #Predicate { $0.friends.filter { $0.number > 1 }.count == 2 }
        ) { ($0.friends.number > 1).count == 2 }
        try expect(
            "SUBQUERY(friends, $f, $f.number == number).@count > 0",
            #Predicate { person in person.friends.contains { $0.number == person.number } }
        )
        try expect("staff.@count > 0", #Predicate { $0.staff.count > 0 }) { $0.staff.count > 0 }
        try expect("numbers.@max > 4", #Predicate { $0.numbers.max()! > 4 }) { $0.numbers.max > 4 }
    }

    @Test("trees of conditions with random constants give the same rows in all four forms")
    func trees() throws {
        var random = SplitMix64(seed: Scale.seed)
        func number() -> Int { Int.random(in: -2..<10, using: &random) }
        for _ in 0..<20 * Scale.factor {
            let (a, b, c) = (number(), number(), number())
            let text = ["a", "b", "é", "A", ""][Int.random(in: 0..<5, using: &random)]
            let (ratio, few) = (Double(a) / 8, abs(c) % 3)
            let some = [a, b, 7]
            try expect(
                "NOT (number > \(a) AND name CONTAINS '\(text)') OR boss.number == \(b)",
                #Predicate {
                    !($0.number > a && $0.name.contains(text)) || $0.boss?.number == b
                }
            ) { !($0.number > a && $0.name.contains(text)) || $0.boss.number == b }
            try expect(
                "ANY friends.number > \(a) AND NOT (isGood == true OR optionalNumber == \(b))",
                #Predicate { person in
                    person.friends.contains { $0.number > a }
                        && !(person.isGood || person.optionalNumber == b)
                }
            ) { $0.friends.number > a && !($0.isGood == true || $0.optionalNumber == b) }
            try expect(
                "(number IN {\(a), \(b), 7} OR boss == nil) AND ratio <= \(ratio)",
                #Predicate {
                    (some.contains($0.number) || $0.boss == nil) && $0.ratio <= ratio
                }
            ) { ($0.number.in(some) || $0.boss == nil) && $0.ratio <= ratio }
            try expect(
                "NOT (number BETWEEN {\(a), \(a + 3)} OR NOT \(b) IN numbers) "
                    + "OR name BEGINSWITH '\(text)' AND friends.@count > \(few)",
                #Predicate {
                    !((a...(a + 3)).contains($0.number) || !$0.numbers.contains(b))
                        || $0.name.starts(with: text) && $0.friends.count > few
                }
            ) {
                !($0.number.contains(a...(a + 3)) || !$0.numbers.contains(b))
                    || $0.name.starts(with: text) && $0.friends.count > few
            }
            try expect(
                "SUBQUERY(friends, $f, $f.number > \(a) AND NOT $f.name == '\(text)').@count > 0 "
                    + "AND (optionalNumber == nil OR optionalNumber < \(c))",
                #Predicate { person in
                    person.friends.filter { $0.number > a && !($0.name == text) }.count > 0
                        && (person.optionalNumber == nil || (person.optionalNumber ?? 99) < c)
                }
            ) {
                ($0.friends.number > a && !($0.friends.name == text)).count > 0
                    && ($0.optionalNumber == nil || $0.optionalNumber < c)
            }
        }
    }

    @Test("what has no meaning for a database is refused by its name")
    func refused() throws {
        func message(_ predicate: Foundation.Predicate<QueryPerson>) -> String {
            let error = #expect(throws: Realm.Error.self) { try people.tryFilter(predicate) }
            #expect(error?.code == .invalidInput)
            return error.map { "\($0)" } ?? ""
        }
        #expect(
            message(#Predicate { $0.number % 2 == 0 })
                .contains("#Predicate: 'IntRemainder' cannot be queried")
        )
        #expect(message(#Predicate { $0.name.count > 2 }).contains("it is no @Persisted property"))
        #expect(
            message(#Predicate { $0.isGood && $0.numbers[0] == 1 })
                .contains("'CollectionIndexSubscript' cannot be queried")
        )
    }
}
