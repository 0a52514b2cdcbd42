import Testing

@testable import DebianPackages

@Suite("Relation")
struct RelationTests {
    @Test("a comma separates needs, a bar separates choices")
    func groups() throws {
        let parsed = try Relation.parseList("a, b | c (>= 1.2~) , d:any (<< 2:3-4)")
        #expect(
            parsed == [
                [Relation(name: "a")],
                [
                    Relation(name: "b"),
                    Relation(
                        name: "c",
                        condition: VersionCondition(.laterOrEqual, .init("1.2~"))
                    ),
                ],
                [
                    Relation(
                        name: "d",
                        architecture: "any",
                        condition: VersionCondition(.earlier, .init("2:3-4"))
                    )
                ],
            ]
        )
    }

    @Test("an empty field needs nothing, and a trailing comma is none")
    func nothing() throws {
        #expect(try Relation.parseList("").isEmpty)
        #expect(try Relation.parseList("a,\n b,").count == 2)
    }

    @Test("the old spelling of a comparison includes equality")
    func oldSpelling() throws {
        let relation = try #require(Relation.parseList("a (< 2)").first?.first)
        #expect(relation.condition?.comparison == .earlierOrEqual)
    }

    @Test(
        "what is no relation is an error that quotes it",
        arguments: ["a (>= 1", "a (1)", "a (>=)", "a b", "| a", "(>= 1)", "a (=> 1)"]
    )
    func wrong(text: String) {
        #expect(throws: StatusFileError.self) { try Relation.parseList(text) }
    }
}

@Suite("DebianVersion")
struct DebianVersionTests {
    @Test(
        "the first comes before the second",
        arguments: [
            ("1.0", "1.1"), ("1.9", "1.10"), ("1.0~rc1", "1.0"), ("1.0", "1.0a"),
            ("1.0a", "1.0+b"), ("1.0~~", "1.0~"), ("2.0", "1:1.0"), ("1.0-1", "1.0-2"),
            ("1.0", "1.0-1"), ("1.2-3-1", "1.2-3-2"), ("1", "99999999999999999999999"),
            ("2.36-9+deb12u3", "2.36-9+deb12u14"), ("1.0-1~bpo1", "1.0-1"),
        ]
    )
    func order(earlier: String, later: String) {
        #expect(DebianVersion(earlier) < DebianVersion(later))
        #expect(!(DebianVersion(later) < DebianVersion(earlier)))
        #expect(DebianVersion(earlier) != DebianVersion(later))
    }

    @Test(
        "different spellings of one version are equal",
        arguments: [("1.0", "1.00"), ("0:1", "1"), ("1.0", "1.0-0"), ("1.0", "1.0-")]
    )
    func equality(a: String, b: String) {
        #expect(DebianVersion(a) == DebianVersion(b))
        #expect(DebianVersion(a).hashValue == DebianVersion(b).hashValue)
    }

    @Test(
        "a condition compares as its symbol says",
        arguments: [
            ("<< 2", [true, false, false]), ("<= 2", [true, true, false]),
            ("= 2", [false, true, false]), (">= 2", [false, true, true]),
            (">> 2", [false, false, true]),
        ]
    )
    func conditions(text: String, expected: [Bool]) throws {
        let relation = try #require(Relation.parseList("a (\(text))").first?.first)
        let condition = try #require(relation.condition)
        #expect(["1", "2", "3"].map { condition.isSatisfied(by: .init($0)) } == expected)
        #expect(condition.description == text)
    }
}
