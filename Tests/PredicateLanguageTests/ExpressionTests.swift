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

    @Test("a number and a truth value of equal worth differ")
    func typesDiffer() {
        #expect(Expression.value(1 as Int64) != .value(1.0))
        #expect(Expression.value(1 as Int64) != .value(true))
        #expect(Expression.value(nil) != .value(0 as Int64))
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
        let expression = Expression.keyPath(KeyPath(steps: row.expected))
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
        let age = KeyPath(variable: "x", steps: [.property("age")])
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
                    left: .keyPath(KeyPath(variable: "x", steps: [.property("age")])),
                    op: .greater,
                    right: .value(1 as Int64)
                )
            ),
            .comparison(Comparison(left: .variable("x"), op: .equal, right: path("best"))),
        ])
        let expected = Expression.subquery(
            collection: KeyPath(steps: [.property("dogs")]),
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
