import PredicateLanguage
import Testing

@Suite("Syntax errors")
struct SyntaxErrorTests {
    static let texts: [(String, PredicateSyntaxError.Code, Int)] = [
        ("a == 1 ; b", .unexpectedCharacter, 7),
        ("a == “x”", .unexpectedCharacter, 5),
        ("a == \0", .unexpectedCharacter, 5),
        ("a == @", .unexpectedCharacter, 5),
        ("a == # b", .unexpectedCharacter, 5),
        ("$ == 1", .unexpectedCharacter, 0),
        ("a == \\", .unexpectedCharacter, 5),
        ("a == 'x", .unclosedString, 5),
        ("a == \"x'", .unclosedString, 5),
        ("a == 'x\\'", .unclosedString, 5),
        ("a == 'x\\", .unclosedString, 5),
        (#"a == 'x\q'"#, .invalidEscape, 7),
        (#"a == 'x\u12'"#, .invalidEscape, 7),
        (#"a == 'x\uD800'"#, .invalidEscape, 7),
        (#"a == 'x\uD800\u0041'"#, .invalidEscape, 7),
        (#"a == 'x\uDC00'"#, .invalidEscape, 7),
        ("a == 9223372036854775808", .invalidNumber, 5),
        ("a == 0x", .invalidNumber, 5),
        ("a == 0xG", .invalidNumber, 5),
        ("a == 12ab", .invalidNumber, 5),
        ("a == 1e999", .invalidNumber, 5),
        ("a == 1e", .invalidNumber, 5),
        ("a === 1", .unknownOperator, 2),
        ("a >< 1", .unknownOperator, 2),
        ("a & b", .unknownOperator, 2),
        ("a == 1 | b == 1", .unknownOperator, 7),
        ("a is 1", .unknownOperator, 2),
        ("a CONTAINZ 'x'", .unknownOperator, 2),
        ("a MATCHES 'x'", .unsupportedOperator, 2),
        ("a matches[c] 'x'", .unsupportedOperator, 2),
        ("a == uuid(xyz)", .invalidLiteral, 5),
        ("a == oid('123')", .invalidLiteral, 5),
        ("a == oid(123", .unclosedString, 5),
        ("a == B64'?'", .invalidLiteral, 5),
        ("a == 2023-02-29@00:00:00", .invalidLiteral, 5),
        ("a == 2023-01-01@24:00:00", .invalidLiteral, 5),
        ("a == 2023-01-01@00:00:00:", .invalidLiteral, 5),
        ("a == 1.5g", .invalidNumber, 5),
        ("a +", .unexpectedEnd, 3),
        ("a + == 2", .unexpectedToken, 4),
        ("a == 1 + * 2", .unexpectedToken, 9),
        ("a == 1 SORT(b UP)", .unexpectedToken, 14),
        ("a == 1 SORT()", .unexpectedToken, 12),
        ("a == 1 SORT(b", .unexpectedEnd, 13),
        ("a == 1 LIMIT(-1)", .invalidOperand, 13),
        ("a == 1 LIMIT('x')", .invalidOperand, 13),
        ("a == 1 DISTINCT(b,)", .unexpectedToken, 18),
        ("a == 1 DISTINCT(b) AND c == 1", .unexpectedToken, 19),
        ("a IN ANY {1}", .unexpectedToken, 5),
        ("ANY a == ANY b", .unexpectedToken, 9),
        ("a ==[n] 'x'", .unsupportedModifier, 5),
        ("a <[c] 'x'", .unsupportedModifier, 2),
        ("a LIKE[cd] 'x'", .unsupportedModifier, 2),
        ("a == %s", .unknownPlaceholder, 5),
        ("a == %%", .unknownPlaceholder, 5),
        ("a == %", .unknownPlaceholder, 5),
        ("a == %l@", .unknownPlaceholder, 5),
        ("a == %@", .missingArgument, 5),
        ("%K == 1", .missingArgument, 0),
        ("a BETWEEN {1}", .invalidOperand, 10),
        ("== 1", .unexpectedToken, 0),
        ("a == == 1", .unexpectedToken, 5),
        ("a == AND b == 1", .unexpectedToken, 5),
        ("AND b == 1", .unexpectedToken, 0),
        ("a == 1 b == 2", .unexpectedToken, 7),
        ("a == 1)", .unexpectedToken, 6),
        ("(a == 1 b", .unexpectedToken, 8),
        ("a NOT IN {1}", .unexpectedToken, 2),
        ("a 1", .unexpectedToken, 2),
        ("a.5 == 1", .unexpectedToken, 1),
        ("a..b == 1", .unexpectedToken, 2),
        ("a[b] == 1", .unexpectedToken, 2),
        ("a[] == 1", .unexpectedToken, 2),
        ("a[0 == 1", .unexpectedToken, 4),
        ("a IN {1 2}", .unexpectedToken, 8),
        ("a IN {1,}", .unexpectedToken, 8),
        ("a ==[5] 'x'", .unexpectedToken, 5),
        ("SUBQUERY(a, b, c == 1).@count > 1", .unexpectedToken, 12),
        ("SUBQUERY(a $b, c == 1).@count > 1", .unexpectedToken, 11),
        ("SUBQUERY({1}, $b, c == 1).@count > 1", .unexpectedToken, 9),
        ("NOW() == a", .unexpectedToken, 3),
        ("", .unexpectedEnd, 0),
        (" \n", .unexpectedEnd, 2),
        ("a", .unexpectedEnd, 1),
        ("a ==", .unexpectedEnd, 4),
        ("NOT", .unexpectedEnd, 3),
        ("a == 1 AND", .unexpectedEnd, 10),
        ("(a == 1", .unexpectedEnd, 7),
        ("a IN {1", .unexpectedEnd, 7),
        ("a.", .unexpectedEnd, 2),
        ("a[", .unexpectedEnd, 2),
        ("é ==", .unexpectedEnd, 5),
    ]

    @Test("a mistake has its code and its place", arguments: texts)
    func code(_ text: String, _ code: PredicateSyntaxError.Code, _ offset: Int) {
        let error = failure(of: text)
        #expect(error?.code == code)
        #expect(error?.utf8Offset == offset)
        #expect(error?.format == text)
    }

    @Test("an argument too many is a mistake at the end")
    func tooManyArguments() {
        let error = failure(of: "a == %@", [1, 2])
        #expect(error?.code == .tooManyArguments)
        #expect(error?.utf8Offset == 7)
        #expect(error?.message == "expected 1 arguments, one for each placeholder, found 2")
    }

    @Test("a message names what was expected and what was found")
    func message() {
        #expect(
            failure(of: "name like")?.message == "expected a key path or a value, found the end"
        )
        #expect(
            failure(of: "a isnt 1")?.description
                == "Unable to parse the predicate at offset 2: "
                + "expected a comparison operator, found 'isnt'"
        )
        #expect(
            failure(of: "a == 'secret' 'secret'")?.message
                == "expected AND, OR or the end, found a string"
        )
    }

    @Test("the caret stands under the place, in its line")
    func caret() {
        #expect(failure(of: "é === 1")?.caretDescription == "é === 1\n  ^")
        #expect(failure(of: "a == 1\n\tAND b\nOR c == 1")?.caretDescription == "OR c == 1\n^")
        #expect(failure(of: "a == 1 AND\n\tb =< ;\n")?.caretDescription == "\tb =< ;\n\t     ^")
        #expect(failure(of: "")?.caretDescription == "\n^")
        #expect(
            failure(of: "a")?.debugDescription
                == "Unable to parse the predicate at offset 1: "
                + "expected a comparison operator, found the end\na\n ^"
        )
    }

    /// A text in which one part can be repeated around a core.
    struct Nesting: CustomTestStringConvertible {
        var before = ""
        let open: String
        let core: String
        let close: String
        var after = ""
        var depth = 1

        var testDescription: String { before + open + core + close + after }

        func text(_ count: Int) -> String {
            before + String(repeating: open, count: count) + core
                + String(repeating: close, count: count) + after
        }
    }

    static let nestings = [
        Nesting(open: "(", core: "a == 1", close: ")"),
        Nesting(open: "NOT ", core: "a == 1", close: ""),
        Nesting(open: "!", core: "a == 1", close: ""),
        Nesting(before: "a == ", open: "(", core: "1", close: ")"),
        Nesting(open: "(", core: "a", close: ")", after: " == 1"),
        Nesting(before: "a IN ", open: "{", core: "1", close: "}"),
        Nesting(before: "a == 1 ", open: "+ 1 ", core: "", close: ""),
        Nesting(before: "a == 1 ", open: "* 1 ", core: "", close: ""),
        Nesting(
            open: "SUBQUERY(a, $x, ",
            core: "b == 1",
            close: ").@count > 0",
            depth: PredicateParser.subqueryDepth
        ),
    ]

    @Test("the deepest text is read and printed; a deeper one is an error", arguments: nestings)
    func depth(_ nesting: Nesting) throws {
        let count = PredicateParser.maximumDepth / nesting.depth
        let deepest = try PredicateParser.parse(nesting.text(count))
        #expect(try PredicateParser.parse(deepest.description) == deepest)
        for count in [count + 1, 10_000, 100_000] {
            #expect(failure(of: nesting.text(count))?.code == .nestedTooDeep)
            #expect(
                failure(of: nesting.before + String(repeating: nesting.open, count: count)) != nil
            )
        }
        let offset = nesting.before.utf8.count + count * nesting.open.utf8.count
        #expect(failure(of: nesting.text(count + 1))?.utf8Offset == offset)
    }
}
