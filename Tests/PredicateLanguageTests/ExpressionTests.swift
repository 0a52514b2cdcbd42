import Foundation
import PredicateLanguage
import Testing

@Suite("Literals and key paths")
struct ExpressionTests {
    static let literals: [(String, any Hashable & Sendable)] = [
        ("0", 0 as Int64), ("42", 42 as Int64), ("-42", -42 as Int64), ("007", 7 as Int64),
        ("0x1F", 31 as Int64), ("0Xff", 255 as Int64), ("-0x10", -16 as Int64),
        ("0b101", 5 as Int64), ("0o17", 15 as Int64),
        ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
        ("1.5", 1.5), ("-1.5", -1.5), (".5", 0.5), ("-.5", -0.5), ("1e3", 1000.0), ("1E+3", 1000.0),
        ("2.5e-3", 0.0025), ("5e-324", Double.leastNonzeroMagnitude),
        ("TRUE", true), ("true", true), ("YES", true), ("False", false), ("NO", false),
        ("'x'", "x"), ("\"x\"", "x"), ("''", ""), ("'%@ %K $x'", "%@ %K $x"), ("'50%'", "50%"),
        ("'a\"b'", "a\"b"), ("\"a'b\"", "a'b"),
        (#"'\n\t\r\b\f'"#, "\n\t\r\u{8}\u{C}"), (#"'\'\"\\\/'"#, "'\"\\/"),
        (#"'\u0041\u00e9'"#, "Aé"), (#"'\uD83D\uDE00'"#, "😀"), ("'é😀\n'", "é😀\n"),
    ]

    @Test("a literal is read with its type", arguments: literals)
    func literal(_ text: String, _ expected: any Hashable & Sendable) throws {
        #expect(try parse("a == \(text)") == compare("a", .equal, expected))
        #expect(
            try parse("\(text) == a")
                == .comparison(Comparison(left: .value(expected), op: .equal, right: path("a")))
        )
    }

    @Test("NULL and NIL are nil", arguments: ["NULL", "null", "NIL", "nil"])
    func null(_ text: String) throws {
        #expect(try parse("a == \(text)") == compare("a", .equal, nil))
    }

    static let richLiterals: [(String, any Hashable & Sendable)] = [
        ("uuid(3b241101-e2bb-4255-8caf-4136c566a962)", someUUID),
        ("UUID('3B241101-E2BB-4255-8CAF-4136C566A962')", someUUID),
        ("B64\"AQID\"", Data([1, 2, 3])), ("b64''", Data()),
        ("T0:0", Date(timeIntervalSince1970: 0)),
        ("T1709214300:500000000", Date(timeIntervalSince1970: 1_709_214_300.5)),
        ("1970-01-01@00:00:00", Date(timeIntervalSince1970: 0)),
        ("2024-02-29T13:45:00", Date(timeIntervalSince1970: 1_709_214_300)),
        ("2024-02-29@13:45:00:250000000", Date(timeIntervalSince1970: 1_709_214_300.25)),
        ("1600-03-01@00:00:00", Date(timeIntervalSince1970: -11_670_912_000)),
        ("1.5f", 1.5), ("0.1f", Double(Float(0.1))), ("1f", 1.0),
        ("inf", Double.infinity), ("Infinity", Double.infinity),
    ]

    private static let someUUID = UUID(
        uuid: (
            0x3b, 0x24, 0x11, 0x01, 0xe2, 0xbb, 0x42, 0x55, 0x8c, 0xaf, 0x41, 0x36, 0xc5, 0x66,
            0xa9, 0x62
        )
    )

    @Test("identifiers, data and dates have literals", arguments: richLiterals)
    func richLiteral(_ text: String, _ expected: any Hashable & Sendable) throws {
        #expect(try parse("a == \(text)") == compare("a", .equal, expected))
    }

    @Test("words of such literals are names elsewhere")
    func literalNames() throws {
        #expect(try parse("uuid == 1") == compare("uuid", .equal, 1))
        #expect(try parse("T1 == 1") == compare("T1", .equal, 1))
        #expect(try parse("B64 == 1") == compare("B64", .equal, 1))
        #expect(try parse("nan == 1") == compare("nan", .equal, 1))
        #expect(try parse("sort == 1") == compare("sort", .equal, 1))
    }

    @Test("numbered arguments are taken where no placeholder is")
    func numberedArguments() throws {
        #expect(
            try parse("$K1 == $0 AND b == $0", 5, "a")
                == .and([compare("a", .equal, 5), compare("b", .equal, 5)])
        )
        #expect(failure(of: "a == $2", [1])?.code == .missingArgument)
        #expect(failure(of: "$K0 == 1", [1])?.code == .wrongArgumentType)
    }

    @Test("multiplication binds closer than addition, and both to the left")
    func arithmetic() throws {
        let (a, b, c) = (path("a"), path("b"), path("c"))
        func left(of text: String) throws -> PredicateLanguage.Expression? {
            guard case .comparison(let comparison) = try parse("\(text) == 1") else { return nil }
            return comparison.left
        }
        #expect(
            try left(of: "a + b * c") == .arithmetic(.add, a, .arithmetic(.multiply, b, c))
        )
        #expect(
            try left(of: "a * b - c") == .arithmetic(.subtract, .arithmetic(.multiply, a, b), c)
        )
        #expect(
            try left(of: "a - b - c") == .arithmetic(.subtract, .arithmetic(.subtract, a, b), c)
        )
        #expect(
            try left(of: "(a - b)/c") == .arithmetic(.divide, .arithmetic(.subtract, a, b), c)
        )
        #expect(try left(of: "a -1") == .arithmetic(.subtract, a, .value(1 as Int64)))
    }

    @Test("a number and a truth value of equal worth differ")
    func typesDiffer() {
        #expect(PredicateLanguage.Expression.value(1 as Int64) != .value(1.0))
        #expect(PredicateLanguage.Expression.value(1 as Int64) != .value(true))
        #expect(PredicateLanguage.Expression.value(nil) != .value(0 as Int64))
    }

    static let paths: [Row<[PathStep]>] = [
        Row("a", [.property("a")]),
        Row("_a1", [.property("_a1")]),
        Row("größe.名前.🐶", [.property("größe"), .property("名前"), .property("🐶")]),
        Row("a . b", [.property("a"), .property("b")]),
        Row("SELF", []), Row("self", []), Row("SELF.a", [.property("a")]),
        Row("a.self", [.property("a")]),
        Row("a.#self", [.property("a"), .property("self")]),
        Row("a.@count", [.property("a"), .operation("@count")]),
        Row("@count", [.operation("@count")]),
        Row("a.@sum.b", [.property("a"), .operation("@sum"), .property("b")]),
        Row("a.b.@avg", [.property("a"), .property("b"), .operation("@avg")]),
        Row("m.@allKeys", [.property("m"), .operation("@allKeys")]),
        Row("@links.Dog.owner", [.operation("@links"), .property("Dog"), .property("owner")]),
        Row("m['k']", [.property("m"), .index(.value("k"))]),
        Row("m[\"k\"].b", [.property("m"), .index(.value("k")), .property("b")]),
        Row("any[0]", [.property("any"), .index(.value(0 as Int64))]),
        Row(
            "any[0]['k'][#any]",
            [.property("any"), .index(.value(0 as Int64)), .index(.value("k")), .anyElement]
        ),
        Row("a[*]", [.property("a"), .anyElement]),
        Row("a[FIRST]", [.property("a"), .firstElement]),
        Row("a[last].b", [.property("a"), .lastElement, .property("b")]),
        Row("a[SIZE]", [.property("a"), .elementCount]),
        Row("a[$i]", [.property("a"), .index(.variable("i"))]),
        Row("SELF[0]", [.index(.value(0 as Int64))]),
        Row("true.a", [.property("true"), .property("a")]),
        Row("nil[0]", [.property("nil"), .index(.value(0 as Int64))]),
    ]

    @Test("a key path is split into steps", arguments: paths)
    func keyPath(_ row: Row<[PathStep]>) throws {
        let expression = PredicateLanguage.Expression.keyPath(
            PredicateLanguage.KeyPath(steps: row.expected)
        )
        #expect(
            try parse("\(row.text) == 1")
                == .comparison(
                    Comparison(left: expression, op: .equal, right: .value(1 as Int64))
                )
        )
        #expect(
            try parse("1 == \(row.text)")
                == .comparison(
                    Comparison(left: .value(1 as Int64), op: .equal, right: expression)
                )
        )
    }

    @Test("a variable stands alone or begins a path")
    func variables() throws {
        let age = PredicateLanguage.KeyPath(variable: "x", steps: [.property("age")])
        #expect(
            try parse("$x.age == $0")
                == .comparison(
                    Comparison(left: .keyPath(age), op: .equal, right: .variable("0"))
                )
        )
    }

    @Test("a subquery has a collection, a variable, a predicate and what follows")
    func subquery() throws {
        let inner = PredicateNode.and([
            .comparison(
                Comparison(
                    left: .keyPath(
                        PredicateLanguage.KeyPath(variable: "x", steps: [.property("age")])
                    ),
                    op: .greater,
                    right: .value(1 as Int64)
                )
            ),
            .comparison(Comparison(left: .variable("x"), op: .equal, right: path("best"))),
        ])
        let expected = PredicateLanguage.Expression.subquery(
            collection: PredicateLanguage.KeyPath(steps: [.property("dogs")]),
            variable: "x",
            predicate: inner,
            trailing: [.operation("@count")]
        )
        #expect(
            try parse("subquery(dogs, $x, $x.age > %d AND $x == best).@count > 2", 1)
                == .comparison(
                    Comparison(left: expected, op: .greater, right: .value(2 as Int64))
                )
        )
    }

    @Test("variables get values, but not those of a subquery")
    func substitution() throws {
        let template = try PredicateParser.parse(
            "a == $v AND b IN {1, $v} AND m[$v] == 1 AND SUBQUERY(d, $v, $v == $w).@count == 1"
        )
        #expect(
            template.substituting(["v": 2, "w": nil])
                == (try PredicateParser.parse(
                    "a == 2 AND b IN {1, 2} AND m[2] == 1 AND SUBQUERY(d, $v, $v == NULL).@count == 1"
                ))
        )
    }
}
