import Foundation
import PredicateLanguage
import Testing

@testable import Domesday

private let day = Date(timeIntervalSinceReferenceDate: 86_400)
private let token = UUID(uuidString: "00000000-0000-0000-0000-00000000002A") ?? UUID()

@Suite("Typed queries")
struct TypedQueryTests {
    @Test("a member is compared with a value")
    func values() {
        expect("(number == %@)", [1]) { $0.number == 1 }
        expect("(number != %@)", [1]) { $0.number != 1 }
        expect("(small > %@)", [1]) { $0.small > 1 }
        expect("(ratio >= %@)", [1.5]) { $0.ratio >= 1.5 }
        expect("(single < %@)", [Float(0.5)]) { $0.single < 0.5 }
        expect("(birth <= %@)", [day]) { $0.birth <= day }
        expect("(name == %@)", ["Al"]) { $0.name == "Al" }
        expect("(name > %@)", ["Al"]) { $0.name > "Al" }
        expect("(payload <= %@)", [Data([1])]) { $0.payload <= Data([1]) }
        expect("(token == %@)", [token]) { $0.token == token }
        expect("(isGood != %@)", [true]) { $0.isGood != true }
    }

    @Test("nil is a value of optional members, and of links")
    func nilValues() {
        expect("(optionalNumber == %@)", [NSNull()]) { $0.optionalNumber == nil }
        expect("(nickname != %@)", [NSNull()]) { $0.nickname != nil }
        expect("(optionalNumber > %@)", [3]) { $0.optionalNumber > 3 }
        expect("(boss == %@)", [NSNull()]) { $0.boss == nil }
        expect("(address != %@)", [NSNull()]) { $0.address != nil }
    }

    @Test("an object is a value of a link")
    func objects() {
        let person = QueryPerson()
        expect("(boss == %@)", [person]) { $0.boss == person }
        expect("(%@ IN friends)", [person]) { $0.friends.contains(person) }
        expect("(ANY friends == %@)", [person]) { $0.friends == person }
        expect("(ANY staff IN %@)", [[person]]) { $0.staff.containsAny(in: [person]) }
    }

    @Test("a member is compared with another column")
    func columns() {
        expect("(number == number)", []) { $0.number == $0.number }
        expect("(number < boss.number)", []) { $0.number < $0.boss.number }
        expect("(birth >= boss.boss.birth)", []) { $0.birth >= $0.boss.boss.birth }
        expect("(name != boss.name)", []) { $0.name != $0.boss.name }
        expect("(name BEGINSWITH nickname)", []) { $0.name.starts(with: $0.nickname) }
    }

    @Test("a collection's column may stand on the right: the sides are exchanged")
    func mirrored() {
        expect("(ANY friends.number < number)", []) { $0.number > $0.friends.number }
        expect("(ANY friends.name == name)", []) { $0.name == $0.friends.name }
    }

    @Test("conditions are combined two by two")
    func logic() {
        expect("((number > %@) && (ratio < %@))", [1, 2.0]) { $0.number > 1 && $0.ratio < 2 }
        expect("(((number == %@) || (number == %@)) || (number == %@))", [1, 2, 3]) {
            $0.number == 1 || $0.number == 2 || $0.number == 3
        }
        expect("((number == %@) || ((number == %@) && (number == %@)))", [1, 2, 3]) {
            $0.number == 1 || $0.number == 2 && $0.number == 3
        }
        expect("NOT (number == %@)", [1]) { !($0.number == 1) }
        expect("(NOT (number == %@) && NOT ((name == %@) || (name == %@)))", [1, "a", "b"]) {
            !($0.number == 1) && !($0.name == "a" || $0.name == "b")
        }
    }

    @Test("three conditions joined alike are one node of the tree")
    func flat() {
        let query = Query<QueryPerson>()
        let all = query.number == 1 && query.number == 2 && query.number == 3
        #expect(all.predicate.description == "number == 1 AND number == 2 AND number == 3")
        guard case .and(let nodes) = all.predicate.root else {
            Issue.record("not a conjunction")
            return
        }
        #expect(nodes.count == 3)
    }

    @Test("a truth value is a condition by itself")
    func bareBool() {
        expect("(isGood == true)", []) { $0.isGood }
        expect("(isGood == false)", []) { !$0.isGood }
        expect("((isGood == true) && (boss.isGood == false))", []) { $0.isGood && !$0.boss.isGood }
        expect("NOT ((isGood == true) || (number == %@))", [1]) { !($0.isGood || $0.number == 1) }
        expect("(ANY friends.isGood == true)", []) { $0.friends.isGood }
    }

    @Test("closed ranges are BETWEEN, half-open ones two comparisons")
    func ranges() {
        expect("(number BETWEEN {%@, %@})", [1, 5]) { $0.number.contains(1...5) }
        expect("((number >= %@) && (number < %@))", [1, 5]) { $0.number.contains(1..<5) }
        expect("(optionalRatio BETWEEN {%@, %@})", [0.5, 1.0]) {
            $0.optionalRatio.contains(0.5...1)
        }
        expect("((optionalDate >= %@) && (optionalDate < %@))", [day, day + 1]) {
            $0.optionalDate.contains(day..<day + 1)
        }
        expect("(ANY friends.number BETWEEN {%@, %@})", [1, 5]) {
            $0.friends.number.contains(1...5)
        }
        expect("NOT (number BETWEEN {%@, %@})", [1, 5]) { !$0.number.contains(1...5) }
        expect("(kind BETWEEN {%@, %@})", [1, 9]) { $0.kind.contains(.low ... .high) }
    }

    @Test("in takes any sequence")
    func membership() {
        expect("(number IN %@)", [[1, 2]]) { $0.number.in([1, 2]) }
        expect("(optionalNumber IN %@)", [[1, nil] as [Int?]]) { $0.optionalNumber.in([1, nil]) }
        expect("(name IN %@)", [["a"]]) { $0.name.in(Set(["a"])) }
        expect("(mood IN %@)", [["calm"]]) { $0.mood.in([.calm]) }
        expect("NOT (number IN %@)", [[] as [Int]]) { !$0.number.in([]) }
    }

    @Test("conditions on text")
    func text() {
        expect("(name CONTAINS %@)", ["a"]) { $0.name.contains("a") }
        expect("(name CONTAINS[cd] %@)", ["a"]) {
            $0.name.contains("a", options: [.caseInsensitive, .diacriticInsensitive])
        }
        expect("(name BEGINSWITH[c] %@)", ["a"]) {
            $0.name.starts(with: "a", options: .caseInsensitive)
        }
        expect("(nickname ENDSWITH[d] %@)", ["a"]) {
            $0.nickname.ends(with: "a", options: .diacriticInsensitive)
        }
        expect("(name ==[c] %@)", ["a"]) { $0.name.equals("a", options: [.caseInsensitive]) }
        expect("(name !=[d] %@)", ["a"]) {
            $0.name.notEquals("a", options: [.diacriticInsensitive])
        }
        expect("(name LIKE %@)", ["a?*"]) { $0.name.like("a?*") }
        expect("(name LIKE[c] boss.name)", []) { $0.name.like($0.boss.name, caseInsensitive: true) }
        expect("(ANY friends.name CONTAINS %@)", ["a"]) { $0.friends.name.contains("a") }
        expect("(nickname CONTAINS %@)", [NSNull()]) { $0.nickname.contains(nil) }
    }

    @Test("conditions on data")
    func data() {
        let bytes = Data([1, 2])
        expect("(payload CONTAINS %@)", [bytes]) { $0.payload.contains(bytes) }
        expect("(optionalPayload BEGINSWITH %@)", [bytes]) {
            $0.optionalPayload.starts(with: bytes)
        }
        expect("(payload ENDSWITH optionalPayload)", []) {
            $0.payload.ends(with: $0.optionalPayload)
        }
    }

    @Test("enums become their raw values")
    func enums() {
        expect("(kind == %@)", [5]) { $0.kind == .middle }
        expect("(kind > %@)", [1]) { $0.kind > .low }
        expect("(mood == %@)", ["Angry"]) { $0.mood == .Angry }
        expect("(mood == %@)", [NSNull()]) { $0.mood == nil }
        expect("(kind IN %@)", [[1, 9]]) { $0.kind.in([.low, .high]) }
        expect("(kind == %@)", [3]) { $0.kind.rawValue == 3 }
        expect("(mood BEGINSWITH %@)", ["A"]) { $0.mood.rawValue.starts(with: "A") }
        expect("(ANY kinds == %@)", [1]) { $0.kinds == .low }
        expect("(ANY kinds >= %@)", [2]) { $0.kinds.rawValue >= 2 }
        expect("(%@ IN kinds)", [1]) { $0.kinds.contains(.low) }
    }
}

@Suite("Typed queries over collections")
struct TypedCollectionQueryTests {
    @Test("one element suffices")
    func elements() {
        expect("(ANY numbers == %@)", [1]) { $0.numbers == 1 }
        expect("(ANY numbers != %@)", [1]) { $0.numbers != 1 }
        expect("(ANY numbers > %@)", [1]) { $0.numbers > 1 }
        expect("(ANY words == %@)", [NSNull()]) { $0.words == nil }
        expect("(%@ IN words)", ["a"]) { $0.words.contains("a") }
        expect("(%@ IN words)", [NSNull()]) { $0.words.contains(nil) }
        expect("(ANY numbers IN %@)", [[1, 2]]) { $0.numbers.containsAny(in: [1, 2]) }
        expect("(ANY friends.number > %@)", [1]) { $0.friends.number > 1 }
        expect("(ANY boss.friends.boss.name == %@)", ["a"]) { $0.boss.friends.boss.name == "a" }
        expect("(ANY addresses.street == %@)", ["a"]) { $0.addresses.street == "a" }
        expect("(address.code == %@)", [1]) { $0.address.code == 1 }
        expect("(ANY staff.friends.number == %@)", [1]) { $0.staff.friends.number == 1 }
    }

    @Test("the whole collection has a count and extremes")
    func aggregates() {
        expect("(friends.@count > %@)", [1]) { $0.friends.count > 1 }
        expect("(admirers.@count == %@)", [0]) { $0.admirers.count == 0 }
        expect("(boss.numbers.@count == number)", []) { $0.boss.numbers.count == $0.number }
        expect("(numbers.@min > %@)", [1]) { $0.numbers.min > 1 }
        expect("(numbers.@max == %@)", [1]) { $0.numbers.max == 1 }
        expect("(numbers.@sum <= %@)", [1]) { $0.numbers.sum <= 1 }
        expect("(ratios.@avg != %@)", [1.5]) { $0.ratios.avg != 1.5 }
        expect("(friends.@count == numbers.@count)", []) { $0.friends.count == $0.numbers.count }
    }

    @Test("an operation on a member stands behind the collection")
    func memberAggregates() {
        expect("(friends.@min.number > %@)", [1]) { $0.friends.number.min > 1 }
        expect("(friends.@max.birth == %@)", [day]) { $0.friends.birth.max == day }
        expect("(staff.@sum.optionalNumber == %@)", [1]) { $0.staff.optionalNumber.sum == 1 }
        expect("(boss.friends.@avg.ratio < %@)", [1.5]) { $0.boss.friends.ratio.avg < 1.5 }
    }

    @Test("a collection within a range: its least and greatest element are")
    func ranges() {
        expect("((numbers.@min >= %@) && (numbers.@max <= %@))", [1, 5]) {
            $0.numbers.contains(1...5)
        }
        expect("((ratios.@min >= %@) && (ratios.@max < %@))", [0.0, 1.0]) {
            $0.ratios.contains(0.0..<1.0)
        }
    }

    @Test("a condition's count is a subquery")
    func subqueries() {
        expect("(SUBQUERY(friends, $col1, ($col1.number > %@)).@count > %@)", [3, 1]) {
            ($0.friends.number > 3).count > 1
        }
        expect(
            "(SUBQUERY(staff, $col1, (($col1.isGood == true) && ($col1.boss.name == %@))).@count"
                + " == %@)",
            ["a", 0]
        ) { ($0.staff.isGood && $0.staff.boss.name == "a").count == 0 }
        expect("(SUBQUERY(boss.friends, $col1, ($col1.number == number)).@count >= %@)", [1]) {
            ($0.boss.friends.number == $0.number).count >= 1
        }
        expect("(SUBQUERY(numbers, $col1, ($col1 > %@)).@count > %@)", [3, 1]) {
            ($0.numbers > 3).count > 1
        }
    }

    @Test("subqueries are numbered from the outside, from the left")
    func manySubqueries() {
        expect(
            "((SUBQUERY(friends, $col1, ($col1.number > %@)).@count > %@) && "
                + "(SUBQUERY(staff, $col2, ($col2.number > %@)).@count > %@))",
            [1, 2, 3, 4]
        ) { ($0.friends.number > 1).count > 2 && ($0.staff.number > 3).count > 4 }
        expect(
            "(SUBQUERY(friends, $col1, (($col1.number > %@) && "
                + "(SUBQUERY($col1.staff, $col2, ($col2.number > %@)).@count > %@))).@count > %@)",
            [1, 2, 3, 4]
        ) { ($0.friends.number > 1 && ($0.friends.staff.number > 2).count > 3).count > 4 }
        expect(
            "(SUBQUERY(friends, $col1, (ANY $col1.staff.number > %@)).@count > %@)",
            [1, 2]
        ) { ($0.friends.staff.number > 1).count > 2 }
        expect(
            "(SUBQUERY(friends, $col1, (($col1.number > %@) && (friends.@count > %@))).@count > %@)",
            [1, 2, 3]
        ) { ($0.friends.number > 1 && $0.friends.count > 2).count > 3 }
    }

    @Test("an element of a scalar collection is the query itself")
    func scalars() {
        let query = Query<Int>() > 5
        #expect(query._constructPredicate().0 == "(self > %@)")
        #expect(query.predicate.description == "SELF > 5")
    }
}

@Suite("Typed queries that trap")
struct TypedQueryTrapTests {
    @Test("two collections cannot be compared")
    func twoCollections() async {
        await #expect(processExitsWith: .failure) {
            _ = Query<QueryPerson>().friends.number == Query<QueryPerson>().staff.number
        }
    }

    @Test("a subquery needs a collection")
    func noCollection() async {
        await #expect(processExitsWith: .failure) {
            _ = ((Query<QueryPerson>().number > 1).count > 2).predicate
        }
    }

    @Test("a subquery is about one collection")
    func mixedCollections() async {
        await #expect(processExitsWith: .failure) {
            let query = Query<QueryPerson>()
            _ = ((query.friends.number > 1 && query.staff.number > 1).count > 2).predicate
        }
    }
}

/// Checks the text and arguments of a query, and that its tree is what the text parses to.
private func expect(
    _ text: String,
    _ arguments: [Any],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ query: (Query<QueryPerson>) -> Query<Bool>
) {
    let made = query(Query<QueryPerson>._constructForTesting())
    let (madeText, madeArguments) = made._constructPredicate()
    #expect(madeText == text, sourceLocation: sourceLocation)
    #expect(
        PredicateLanguage.Expression(normalizing: madeArguments)
            == PredicateLanguage.Expression(normalizing: arguments),
        sourceLocation: sourceLocation
    )
    do throws(PredicateSyntaxError) {
        let parsed = try PredicateParser.parse(text, arguments: arguments)
        #expect(
            made.predicate.root == parsed.root.flattened,
            sourceLocation: sourceLocation
        )
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}

extension PredicateNode {
    /// `(a AND b) AND c` as `a AND b AND c`.
    fileprivate var flattened: PredicateNode {
        switch self {
        case .and(let nodes):
            let nodes = nodes.map(\.flattened)
            guard case .and(let first) = nodes[0] else { return .and(nodes) }
            return .and(first + nodes.dropFirst())
        case .or(let nodes):
            let nodes = nodes.map(\.flattened)
            guard case .or(let first) = nodes[0] else { return .or(nodes) }
            return .or(first + nodes.dropFirst())
        case .not(let node): return .not(node.flattened)
        case .constant, .comparison: return self
        }
    }
}
