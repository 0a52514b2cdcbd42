import PredicateLanguage
import Testing

@Suite("Comparison operators")
struct OperatorTests {
    static let spellings: [(String, ComparisonOperator)] = [
        ("=", .equal), ("==", .equal), ("!=", .notEqual), ("<>", .notEqual),
        ("<", .less), ("<=", .lessOrEqual), ("=<", .lessOrEqual),
        (">", .greater), (">=", .greaterOrEqual), ("=>", .greaterOrEqual),
        ("IN", .in), ("BEGINSWITH", .beginsWith), ("ENDSWITH", .endsWith),
        ("CONTAINS", .contains), ("LIKE", .like),
    ]

    @Test("every spelling is read, with arguments of every kind", arguments: spellings)
    func spelling(_ spelling: String, _ expected: ComparisonOperator) throws {
        for value in [5 as Int64, 1.5, "x", true, nil] as [Any?] {
            #expect(try parse("a \(spelling) %@", value) == compare("a", expected, value))
        }
    }

    @Test("word operators are read in any case", arguments: spellings.filter { $0.0 > "A" })
    func anyCase(_ spelling: String, _ expected: ComparisonOperator) throws {
        #expect(try parse("a \(spelling.lowercased()) 'x'") == compare("a", expected, "x"))
        #expect(try parse("a \(spelling.capitalized()) 'x'") == compare("a", expected, "x"))
    }

    @Test("signs need no spaces", arguments: spellings.filter { $0.0 < "A" })
    func noSpaces(_ spelling: String, _ expected: ComparisonOperator) throws {
        #expect(try parse("a\(spelling)-5") == compare("a", expected, -5))
    }

    @Test("BETWEEN takes a list of two or an argument")
    func between() throws {
        #expect(try parse("a BETWEEN {1, 2}") == compare("a", .between, [1, 2]))
        #expect(try parse("a between {%@, %d}", 1, 2) == compare("a", .between, [1, 2]))
        #expect(try parse("a BETWEEN %@", [1, 2]) == compare("a", .between, [1, 2]))
        #expect(try parse("a BETWEEN %@", 1...2) == compare("a", .between, 1...2))
        #expect(
            try parse("a BETWEEN {b, 2}")
                == .comparison(
                    Comparison(
                        left: path("a"),
                        op: .between,
                        right: .list([path("b"), .value(2 as Int64)])
                    )
                )
        )
    }

    @Test(
        "BETWEEN refuses what is not two values",
        arguments: ["{}", "{1}", "{1, 2, 3}", "{a}", "5", "'x'", "NULL", "TRUE", "1.5"]
    )
    func betweenBounds(_ bounds: String) {
        let error = failure(of: "a BETWEEN \(bounds)")
        #expect(error?.code == .invalidOperand)
        #expect(error?.utf8Offset == 10)
        #expect(
            error?.message
                == "NSArray object must contain exactly two objects for BETWEEN operations"
        )
    }

    @Test("IN takes a list, an argument or a key path")
    func inOperator() throws {
        #expect(try parse("a IN {}") == compare("a", .in, [Any?]()))
        #expect(try parse("a IN {1, 'x', nil}") == compare("a", .in, [1, "x", nil] as [Any?]))
        #expect(try parse("a IN %@", ["x", "y"]) == compare("a", .in, ["x", "y"]))
        #expect(
            try parse("%@ IN a.b", 5)
                == .comparison(
                    Comparison(left: .value(5 as Int64), op: .in, right: path("a", "b"))
                )
        )
    }

    static let modifiers: [(String, StringOptions)] = [
        ("", []), ("[c]", .caseInsensitive), ("[d]", .diacriticInsensitive),
        ("[cd]", [.caseInsensitive, .diacriticInsensitive]),
        ("[dc]", [.caseInsensitive, .diacriticInsensitive]), (" [ C ] ", .caseInsensitive),
    ]

    @Test(
        "modifiers are read after operators that compare text",
        arguments: ["==", "!=", "IN", "BEGINSWITH", "ENDSWITH", "CONTAINS"],
        modifiers
    )
    func modifier(_ spelling: String, _ modifier: (String, StringOptions)) throws {
        let op = try #require(ComparisonOperator(rawValue: spelling))
        #expect(
            try parse("a \(spelling)\(modifier.0) 'x'") == compare("a", op, "x", modifier.1)
        )
    }

    @Test("LIKE takes [c]")
    func likeIgnoringCase() throws {
        #expect(try parse("a LIKE[c] '?x*'") == compare("a", .like, "?x*", .caseInsensitive))
    }

    @Test("LIKE refuses [d] in RealmSwift's words", arguments: ["[d]", "[cd]"])
    func likeRefusal(_ modifier: String) {
        let error = failure(of: "a LIKE\(modifier) 'x'")
        #expect(error?.code == .unsupportedModifier)
        #expect(error?.utf8Offset == 2)
        #expect(
            error?.message == "Operator 'LIKE' not supported with diacritic-insensitive modifier."
        )
    }

    @Test(
        "operators of order refuse modifiers in RealmSwift's words",
        arguments: ["<", "<=", ">", ">=", "=<", "=>", "BETWEEN"],
        ["[c]", "[d]", "[cd]"]
    )
    func orderRefusal(_ spelling: String, _ modifier: String) {
        let error = failure(of: "a \(spelling)\(modifier) 'x'")
        #expect(error?.code == .unsupportedModifier)
        #expect(error?.message == "Lexicographical comparisons must be case-sensitive")
    }

    @Test("a comparison knows where its operator and its paths stand")
    func offsets() throws {
        guard case .comparison(let comparison) = try parse("ANY é.b == c"),
            case .keyPath(let left) = comparison.left, case .keyPath(let right) = comparison.right
        else {
            Issue.record("no comparison of two paths")
            return
        }
        #expect(left.utf8Offset == 4)
        #expect(comparison.utf8Offset == 9)
        #expect(right.utf8Offset == 12)
    }
}

extension String {
    fileprivate func capitalized() -> String { prefix(1) + dropFirst().lowercased() }
}
