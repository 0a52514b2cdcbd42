import PredicateLanguage
import Testing

@Suite("Combinations")
struct LogicTests {
    static var one: PredicateNode { compare("a", .equal, 1) }
    static var two: PredicateNode { compare("b", .equal, 2) }
    static var three: PredicateNode { compare("c", .equal, 3) }

    static let texts: [Row<PredicateNode>] = [
        Row("a == 1 AND b == 2", .and([one, two])),
        Row("a == 1 && b == 2", .and([one, two])),
        Row("a == 1 and b == 2&&c == 3", .and([one, two, three])),
        Row("a == 1 OR b == 2", .or([one, two])),
        Row("a == 1 || b == 2 or c == 3", .or([one, two, three])),
        Row("NOT a == 1", .not(one)),
        Row("!a == 1", .not(one)),
        Row("!!(a == 1)", .not(.not(one))),
        Row("not NOT a == 1", .not(.not(one))),
        Row("a == 1 OR b == 2 AND c == 3", .or([one, .and([two, three])])),
        Row("a == 1 AND b == 2 OR c == 3", .or([.and([one, two]), three])),
        Row("a == 1 AND (b == 2 OR c == 3)", .and([one, .or([two, three])])),
        Row("NOT a == 1 AND b == 2", .and([.not(one), two])),
        Row("NOT (a == 1 AND b == 2)", .not(.and([one, two]))),
        Row("a == 1 AND (b == 2 AND c == 3)", .and([one, .and([two, three])])),
        Row("((a == 1))", one),
        Row("(a) == (1)", one),
        Row("((a)) == 1 AND (b == 2)", .and([one, two])),
        Row("TRUEPREDICATE", .constant(true)),
        Row("falsepredicate", .constant(false)),
        Row(
            "TRUEPREDICATE AND NOT FALSEPREDICATE",
            .and([.constant(true), .not(.constant(false))])
        ),
        Row("\n a\t==\u{A0}1\r\n", one),
    ]

    @Test("NOT binds closer than AND, AND closer than OR", arguments: texts)
    func tree(_ row: Row<PredicateNode>) throws {
        #expect(try parse(row.text) == row.expected)
    }

    @Test(
        "a quantifier belongs to the left side",
        arguments: [
            ("ANY", .any), ("SOME", .any), ("some", .any), ("ALL", .all),
            ("NONE", Quantifier.none), ("none", Quantifier.none),
        ] as [(String, Quantifier)]
    )
    func quantifier(_ spelling: String, _ expected: Quantifier) throws {
        #expect(
            try parse("\(spelling) a.b == 1 ")
                == .comparison(
                    Comparison(
                        left: path("a", "b"),
                        op: .equal,
                        right: .value(1 as Int64),
                        quantifier: expected
                    )
                )
        )
    }

    static let names = [
        "and", "or", "not", "any", "some", "all", "none", "in", "between", "contains", "like",
        "beginswith", "endswith", "matches", "subquery", "truepredicate", "falsepredicate",
        "ANY", "NOT", "In", "first", "size",
    ]

    @Test("a keyword before an operator is a name", arguments: names)
    func keywordAsName(_ name: String) throws {
        #expect(try parse("\(name) == 1") == compare(name, .equal, 1))
        #expect(try parse("\(name) IN {1}") == compare(name, .in, [1]))
        #expect(try parse("NOT \(name) == 1") == .not(compare(name, .equal, 1)))
        #expect(
            try parse("a == 1 AND \(name) > 1") == .and([Self.one, compare(name, .greater, 1)])
        )
        #expect(
            try parse("\(name).\(name) == 1")
                == .comparison(
                    Comparison(left: path(name, name), op: .equal, right: .value(1 as Int64))
                )
        )
    }

    @Test(
        "a number sign makes any keyword a name",
        arguments: names + ["self", "TRUE", "no", "nil", "null"]
    )
    func escapedKeyword(_ name: String) throws {
        #expect(try parse("#\(name) == 1") == compare(name, .equal, 1))
        #expect(
            try parse("a == #\(name)")
                == .comparison(Comparison(left: path("a"), op: .equal, right: path(name)))
        )
    }

    @Test("a quantifier or NOT before a name that is an operator stays what it is")
    func keywordBeforeOperatorName() throws {
        #expect(try parse("NOT in == 1") == .not(compare("in", .equal, 1)))
        #expect(try parse("NOT contains CONTAINS 'x'") == .not(compare("contains", .contains, "x")))
        #expect(try parse("not CONTAINS 'x'") == compare("not", .contains, "x"))
        #expect(
            try parse("ANY in IN {1}")
                == .comparison(
                    Comparison(
                        left: path("in"),
                        op: .in,
                        right: Expression(normalizing: [1]),
                        quantifier: .any
                    )
                )
        )
    }
}
