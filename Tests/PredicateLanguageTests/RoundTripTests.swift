import PredicateLanguage
import Testing

@Suite("Printing")
struct RoundTripTests {
    static let texts: [(String, String)] = [
        ("a=1 and b<>'x\"' or not c=<-0x10", #"a == 1 AND b != "x\"" OR NOT c <= -16"#),
        ("(a == 1 or b == 2) && (c == 3)", "(a == 1 OR b == 2) AND c == 3"),
        ("a == 1 AND (b == 2 AND c == 3)", "a == 1 AND (b == 2 AND c == 3)"),
        ("! (a == 1 and b == 2)", "NOT (a == 1 AND b == 2)"),
        ("some a.b ==[dc] yes", "ANY a.b ==[cd] TRUE"),
        ("in in {1,nil, 1e3}", "#in IN {1, NULL, 1000.0}"),
        ("self.@count > 1", "@count > 1"),
        ("self == a.#self", "SELF == a.#self"),
        ("SELF['k'][#any][first] == 1", #"SELF["k"][#any][FIRST] == 1"#),
        ("subquery(a, $x, $x.b == 1).@count > 1", "SUBQUERY(a, $x, $x.b == 1).@count > 1"),
        (#"a == '\n\t\r\\\u0001é'"#, #"a == "\n\t\r\\\u0001é""#),
        ("truepredicate", "TRUEPREDICATE"),
        ("(a+1)*2-b/(c-d)-1 == 3", "(a + 1) * 2 - b / (c - d) - 1 == 3"),
        ("((a - (b - c))) == -1", "a - (b - c) == -1"),
        ("a-1 == b -1", "a - 1 == b - 1"),
        ("1 == any a.b", "ANY a.b == 1"),
        ("1 < all a.b", "ALL a.b > 1"),
        (
            "a == 1 sort(b, c desc) limit(5) Distinct(d.e)",
            "a == 1 SORT(b ASC, c DESC) LIMIT(5) DISTINCT(d.e)"
        ),
        ("a == oid('507F1F77bcf86cd799439011')", "a == oid(507f1f77bcf86cd799439011)"),
        (
            "a == UUID(3b241101-e2bb-4255-8caf-4136c566a962)",
            "a == uuid(3B241101-E2BB-4255-8CAF-4136C566A962)"
        ),
        ("a == b64'AQID'", "a == B64\"AQID\""),
        (
            "a == OBJ('Dog', 5) or b in {obj(\"D g\", 'x')}",
            #"a == obj("Dog", 5) OR b IN {obj("D g", "x")}"#
        ),
        ("obj == O7 AND a == L3:7", "obj == O7 AND a == L3:7"),
        ("a == binary('abc')", "a == B64\"YWJj\""),
        ("a.@keys == 'x' and a.@values == 1", "a.@allKeys == \"x\" AND a.@allValues == 1"),
        ("a.@type == 'int'", "a.@type == \"int\""),
    ]

    @Test("canonical text is upper case, minimal parentheses, double quotes", arguments: texts)
    func canonical(_ text: String, _ expected: String) throws {
        #expect(try PredicateParser.parse(text).description == expected)
    }

    @Test("values without a literal become arguments")
    func arguments() throws {
        let predicate = try PredicateParser.parse(
            "%K IN {%@, 1, %@}",
            arguments: ["two words", Double.infinity, 1...2]
        )
        let (text, arguments) = predicate.canonicalFormat
        #expect(text == "%K IN {%@, 1, %@}")
        #expect(arguments.count == 3)
        #expect(try PredicateParser.parse(text, arguments: arguments) == predicate)
    }

    @Test("what is empty or single in a tree built in code is printed as what it means")
    func degenerate() {
        #expect(PredicateNode.and([]).description == "TRUEPREDICATE")
        #expect(PredicateNode.not(.or([])).description == "NOT FALSEPREDICATE")
        #expect(PredicateNode.not(.or([compare("a", .equal, 1)])).description == "NOT (a == 1)")
    }

    @Test("a random tree is read back as it was printed", arguments: UInt64(0)..<40)
    func randomTrees(_ seed: UInt64) throws {
        var trees = RandomTrees(random: SeededGenerator(state: seed))
        for _ in 0..<50 {
            let predicate = Predicate(root: trees.node(depth: 4), ordering: trees.ordering())
            let (text, arguments) = predicate.canonicalFormat
            let again = try PredicateParser.parse(text, arguments: arguments)
            #expect(again == predicate, "\(text)")
            #expect(again.description == text)
        }
    }
}
