import Foundation
import PredicateLanguage
import Testing

@testable import Domesday

@Suite("The evaluator: values")
struct EvaluatorValueTests {
    let person = QueryPerson(value: [
        "number": 3, "ratio": 1.5, "single": Float(0.1), "name": "Zoé", "isGood": true,
        "birth": Date(timeIntervalSinceReferenceDate: 100), "kind": QueryKind.middle,
        "payload": Data([1, 2, 3]),
    ])

    @Test("nil equals nil only, and has no order but that of two nils")
    func nils() throws {
        try expect(person, true, ["optionalNumber == nil", "nil == optionalNumber"])
        try expect(person, false, ["optionalNumber != nil", "number == nil"])
        try expect(
            person,
            true,
            ["optionalNumber != 5", "number != nil", "NOT optionalNumber == 5"]
        )
        try expect(
            person,
            false,
            [
                "optionalNumber < 5", "optionalNumber > 5", "optionalNumber <= 5",
                "5 >= optionalNumber",
            ]
        )
        try expect(person, true, ["optionalNumber <= nil", "optionalNumber >= optionalNumber"])
        try expect(person, false, ["optionalNumber < nil", "number > nil", "number >= nil"])
        try expect(person, false, ["optionalNumber BETWEEN {0, 9}", "optionalNumber IN {1, 2}"])
        try expect(person, true, ["optionalNumber IN {1, nil}", "NOT optionalNumber IN {1, 2}"])
    }

    @Test("numbers are compared by value, a Float with a rounded constant")
    func numbers() throws {
        try expect(person, true, ["number == 3", "number == 3.0", "number < 3.5", "3.5 > number"])
        try expect(person, true, ["ratio > 1", "ratio <= 1.5", "single == 0.1", "single < number"])
        try expect(person, true, ["single <= 0.1", "single != ratio"])
        try expect(person, true, ["number BETWEEN {3, 3}", "number IN {2, 3}", "isGood == 1"])
        try expect(person, false, ["number BETWEEN {4, 2}", "number != 3.0", "isGood == 0"])
        person.serial = Int.max
        try expect(person, false, ["serial == 9223372036854775807.0", "serial >= 9.3e18"])
        try expect(person, true, ["serial < 9223372036854775808.0", "serial > -1e300"])
    }

    @Test("NaN differs from everything and has no order")
    func notANumber() throws {
        person.ratio = .nan
        let nan = [Double.nan]
        try expect(
            person,
            false,
            ["ratio == %@", "ratio <= %@", "ratio >= %@", "ratio IN {%@}"],
            nan
        )
        try expect(person, true, ["ratio != %@"], nan)
        try expect(person, false, ["ratio == ratio", "ratio > 0", "ratio <= 0", "ratio == nil"])
        try expect(person, true, ["ratio != ratio", "ratio != nil"])
    }

    @Test("dates, data, identifiers and enums")
    func others() throws {
        try expect(person, true, ["birth < %@", "birth != %@"], [Date.distantFuture])
        try expect(person, true, ["token == %@"], [person.token])
        try expect(person, false, ["token == %@"], [UUID()])
        try expect(person, true, ["identifier IN %@"], [[person.identifier]])
        try expect(person, true, ["payload == %@", "payload >= %@"], [Data([1, 2, 3])])
        try expect(person, true, ["payload < %@", "payload != %@"], [Data([1, 3])])
        try expect(person, true, ["payload CONTAINS %@", "payload ENDSWITH %@"], [Data([2, 3])])
        try expect(person, false, ["payload BEGINSWITH %@"], [Data([2])])
        try expect(person, true, ["kind == 5", "kind < 9", "mood == nil"])
    }

    @Test("links are compared with objects")
    func links() throws {
        let boss = QueryPerson(value: ["number": 9])
        try expect(person, true, ["boss == nil", "boss != %@", "boss.number == nil"], [boss])
        person.boss = boss
        try expect(
            person,
            true,
            ["boss == %@", "%@ == boss", "boss IN {%@}", "boss != nil"],
            [boss]
        )
        try expect(person, true, ["boss.number > number", "boss.boss.number == nil"])
        try expect(person, true, ["SELF == %@", "SELF IN {%@}"], [person])
        person.address = QueryAddress(value: ["street": "a", "code": 1])
        try expect(person, true, ["address == %@"], [QueryAddress(value: ["a", 1])])
        try expect(person, false, ["address == %@"], [QueryAddress(value: ["a", 2])])
    }

    @Test("what cannot be compared is refused")
    func refused() throws {
        try expectRefusal(person, "number == 'a'", "'int' to one of type 'string'")
        try expectRefusal(person, "nothing == 1", "Property 'nothing' not found")
        try expectRefusal(person, "name.length == 1", "can only appear at the end of a keypath")
        try expectRefusal(person, "number BEGINSWITH 'a'", "Operator 'BEGINSWITH' not supported")
        try expectRefusal(person, "friends.number == 1", "must use aggregate operations")
        try expectRefusal(person, "ANY number == 1", "can only be used on key paths that include")
        try expectRefusal(person, "friends.@count.@min == 1", "@count must appear at the end")
        try expectRefusal(person, "friends.@max.numbers.@min == 1", "at most one collection")
        try expectRefusal(person, "isGood > 0", "Cannot compare")
    }
}

@Suite("The evaluator: text")
struct EvaluatorTextTests {
    let person = QueryPerson(value: ["name": "Zoé Ärger", "nickname": ""])

    @Test("text is compared scalar by scalar")
    func plain() throws {
        try expect(person, true, ["name == 'Zoé Ärger'", "name > 'Zo'", "name BEGINSWITH 'Zo'"])
        try expect(person, false, ["name == 'zoé ärger'", "name == %@"], ["Zoe\u{301} Ärger"])
        try expect(person, true, ["'B' < 'a'", "'z' < 'é'", "'Z' < 'a'"])
        try expect(person, true, ["nickname == ''", "nickname != nil", "nickname < 'a'"])
    }

    @Test("[c] folds case one scalar for one, [d] ignores accents")
    func modifiers() throws {
        try expect(person, true, ["name ==[c] 'ZOÉ ÄRGER'", "name ==[cd] 'zoe arger'"])
        try expect(person, false, ["name ==[c] 'zoe arger'", "name ==[d] 'zoe arger'"])
        try expect(person, true, ["name ==[d] %@"], ["Zoe\u{301} Ärger"])
        try expect(person, true, ["name !=[c] 'x'", "name IN[cd] {'x', 'ZOE ARGER'}"])
        try expect(person, true, ["name BEGINSWITH[d] 'Zoe'", "name ENDSWITH[c] 'ÄRGER'"])
        try expect(person, true, ["name CONTAINS[cd] 'E A'"])
        try expect(person, false, ["'ß' ==[c] 'SS'", "'ı' ==[c] 'i'", "'İ' ==[c] 'i'"])
        try expect(
            person,
            true,
            ["'ẞ' ==[c] 'ß'", "'ſ' ==[c] 'S'", "'ς' ==[c] 'Σ'", "'K' ==[c] 'k'"]
        )
    }

    @Test("nothing contains nil or an empty text")
    func emptyParts() throws {
        try expect(
            person,
            false,
            [
                "name CONTAINS ''", "name BEGINSWITH ''", "name ENDSWITH nil",
                "nickname CONTAINS ''", "nickname CONTAINS 'a'", "name CONTAINS nickname",
            ]
        )
        person.nickname = nil
        try expect(person, false, ["nickname CONTAINS 'a'", "nickname ENDSWITH nickname"])
        try expect(person, true, ["NOT nickname CONTAINS 'a'"])
    }

    @Test(
        "LIKE: ? is one scalar, * any number of them",
        arguments: [
            ("", "", true), ("", "*", true), ("", "?", false), ("a", "?", true), ("ab", "?", false),
            ("abc", "a*c", true), ("abc", "*b*", true), ("abc", "a*b", false), ("abc", "***", true),
            ("aab", "*ab", true), ("é", "?", true), ("e\u{301}", "?", false), ("👍🏽", "??", true),
            ("abcabc", "a*c?b*", true), ("abcabc", "a*c?c*", false), ("abcabc", "a*c?b?", true),
            ("a", "A", false),
        ]
    )
    func like(_ text: String, _ pattern: String, _ isMatch: Bool) throws {
        try expect(person, isMatch, ["%@ LIKE %@"], [text, pattern])
        if isMatch { try expect(person, true, ["%@ LIKE[c] %@"], [text, pattern.uppercased()]) }
    }

    @Test("LIKE and nil")
    func likeNil() throws {
        person.nickname = nil
        try expect(person, false, ["nickname LIKE '*'", "name LIKE nickname"])
        try expect(person, true, ["nickname LIKE nil"])
    }
}

@Suite("The evaluator: collections")
struct EvaluatorCollectionTests {
    let person = QueryPerson(value: [
        "number": 2,
        "numbers": [1, 2, 2, 5], "ratios": [0.5, nil, Double.nan, 1.5], "words": ["a", nil, "B"],
        "friends": [
            ["number": 1, "name": "Al", "boss": ["name": "Bo"]], ["number": 4, "name": "Cy"],
        ],
    ])
    let empty = QueryPerson()

    @Test("ANY needs one element, ALL every one, NONE not one")
    func quantifiers() throws {
        try expect(person, true, ["ANY numbers > 4", "SOME numbers == 1", "ANY numbers != 1"])
        try expect(person, false, ["ANY numbers > 5", "ALL numbers > 1", "NONE numbers == 5"])
        try expect(person, true, ["ALL numbers >= 1", "NONE numbers == 3", "NOT ANY numbers == 3"])
        try expect(
            person,
            true,
            ["ANY words == nil", "ANY words ==[c] 'b'", "ANY friends.number == 4"]
        )
        try expect(person, true, ["ANY numbers BETWEEN {3, 9}", "ANY numbers IN {0, 5}"])
        try expect(person, false, ["ANY numbers BETWEEN {3, 4}"])
        try expect(person, true, ["ANY friends.name BEGINSWITH 'C'", "ANY numbers == number"])
    }

    @Test("over nothing ANY is false, ALL and NONE are true")
    func nothing() throws {
        try expect(
            empty,
            false,
            ["ANY numbers > 0", "ANY numbers != 0", "ANY friends.name == nil"]
        )
        try expect(empty, true, ["ALL numbers > 0", "NONE numbers > 0"])
        try expect(empty, false, ["ANY boss.numbers > 0", "ANY boss.friends.name != 'a'"])
        try expect(empty, true, ["ALL boss.numbers > 0", "NONE boss.numbers > 0"])
    }

    @Test("a nil link behind a collection drops out, a nil value stays")
    func nilLinks() throws {
        try expect(person, true, ["ANY friends.boss.name == 'Bo'", "ANY friends.boss == nil"])
        try expect(
            person,
            false,
            ["ANY friends.boss.name == nil", "ANY friends.boss.name != 'Bo'"]
        )
        try expect(person, true, ["ALL friends.boss.name == 'Bo'", "ANY friends.nickname == nil"])
    }

    @Test("a collection contains an element")
    func membership() throws {
        try expect(
            person,
            true,
            ["2 IN numbers", "nil IN words", "'b' IN[c] words", "number IN numbers"]
        )
        try expect(person, false, ["3 IN numbers", "'b' IN words", "nil IN boss.words"])
        try expect(person, true, ["numbers CONTAINS 2", "%@ IN friends"], [person.friends[1]])
        try expect(empty, false, ["2 IN numbers", "nil IN words", "%@ IN friends"], [person])
        try expect(empty, false, ["boss.numbers CONTAINS 2", "2 IN boss.numbers"])
        try expect(person, true, ["number IN %@"], [person.numbers])
    }

    @Test("operations leave out nil, but for @count")
    func aggregates() throws {
        try expect(
            person,
            true,
            ["numbers.@count == 4", "ratios.@count == 4", "friends.@count == 2"]
        )
        try expect(
            person,
            true,
            ["numbers.@sum == 10", "numbers.@avg == 2.5", "numbers.@min == 1"]
        )
        try expect(person, true, ["numbers.@max == 5", "ratios.@min == 0.5", "ratios.@max == 1.5"])
        try expect(person, true, ["friends.@sum.number == 5", "friends.@avg.number == 2.5"])
        try expect(person, true, ["friends.@max.number == 4", "friends.@min.number < number"])
        try expect(person, true, ["friends.@min.birth <= %@"], [Date.distantFuture])
    }

    @Test("NaN makes a sum NaN, but is neither least nor greatest")
    func notANumber() throws {
        try expect(person, false, ["ratios.@sum == ratios.@sum", "ratios.@avg >= 0"])
        try expect(person, true, ["ratios.@sum != 0", "ratios.@avg != nil"])
        person.ratios.remove(at: 2)
        try expect(person, true, ["ratios.@sum == 2", "ratios.@avg == 1"])
        person.ratios.removeAll()
        person.ratios.append(.nan)
        try expect(person, true, ["ratios.@min == nil", "ratios.@max == nil"])
    }

    @Test("of nothing @count and @sum are 0, the rest is nil")
    func emptyAggregates() throws {
        try expect(empty, true, ["numbers.@count == 0", "numbers.@sum == 0", "ratios.@sum == 0"])
        try expect(
            empty,
            true,
            ["numbers.@min == nil", "numbers.@max == nil", "numbers.@avg == nil"]
        )
        try expect(
            empty,
            false,
            ["numbers.@min < 5", "numbers.@avg > 0", "friends.@max.number >= 0"]
        )
        try expect(empty, true, ["boss.numbers.@count == 0", "boss.friends.@sum.number == 0"])
        try expect(empty, true, ["boss.friends.@max.number == nil", "numbers.@max != 1"])
    }

    @Test("SUBQUERY counts the elements that satisfy its condition")
    func subqueries() throws {
        try expect(
            person,
            true,
            [
                "SUBQUERY(friends, $f, $f.number > 1).@count == 1",
                "SUBQUERY(friends, $f, $f.number > 9).@count == 0",
                "SUBQUERY(friends, $f, $f.number < number AND $f.boss.name == 'Bo').@count > 0",
                "SUBQUERY(numbers, $n, $n == 2).@count == 2",
                "SUBQUERY(words, $w, $w == nil).@count == 1",
                "SUBQUERY(friends, $f, SUBQUERY(numbers, $n, $n > $f.number).@count == 3).@count == 1",
            ]
        )
        try expect(empty, true, ["SUBQUERY(boss.friends, $f, $f.number > 0).@count == 0"])
        try expectRefusal(person, "SUBQUERY(friends, $f, $f.number > 0) == 1", "SUBQUERY is only")
        try expectRefusal(person, "SUBQUERY(friends, $f, $g.number > 0).@count == 1", "'$g'")
    }

    @Test("managed objects answer like unmanaged ones, and have linking objects")
    func managed() throws {
        let state = try makeRealmState([QueryPerson.self, QueryAddress.self])
        for (index, friend) in person.friends.enumerated() { friend.serial = index + 2 }
        person.friends[0].boss?.serial = 9
        person.serial = 1
        try state.write { try state.add(person, update: .error) }
        try expect(person, true, ["ANY numbers > 4", "ratios.@max == 1.5", "nil IN words"])
        try expect(person, true, ["SUBQUERY(friends, $f, $f.boss.name == 'Bo').@count == 1"])
        let friend = person.friends[0]
        try expect(friend, true, ["%@ IN admirers", "admirers.@count == 1"], [person])
        let boss = try #require(friend.boss)
        try expect(boss, true, ["ANY staff.name == 'Al'", "staff.@sum.number == 1"])
        try expect(person, false, ["ANY staff.name == 'Al'", "%@ IN staff"], [person])
    }
}

/// Checks that each text is true, or false, of the object; all take the same arguments, as many as
/// they have placeholders.
private func expect(
    _ object: QueryPerson,
    _ expected: Bool,
    _ texts: [String],
    _ arguments: [Any?] = [],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    for text in texts {
        let count = text.split(separator: "%@", omittingEmptySubsequences: false).count - 1
        let tree = try PredicateParser.parse(text, arguments: Array(arguments.prefix(count)))
        let result = try ObjectEvaluator(tree).matches(object)
        #expect(result == expected, "\(text)", sourceLocation: sourceLocation)
    }
}

private func expectRefusal(
    _ object: QueryPerson,
    _ text: String,
    _ message: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let tree = try PredicateParser.parse(text)
    let error = #expect(throws: EvaluationError.self, sourceLocation: sourceLocation) {
        try ObjectEvaluator(tree).matches(object)
    }
    #expect(error?.description.contains(message) == true, "\(text)", sourceLocation: sourceLocation)
}
