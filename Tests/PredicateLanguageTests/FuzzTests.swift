import PredicateLanguage
import Testing

@Suite("Hostile text")
struct FuzzTests {
    static let pieces = [
        "a", "in", "IN", "NOT", "ANY", "NONE", "AND", "OR", "SUBQUERY", "SUBQUERY(a, $x,", "SELF",
        "BETWEEN", "LIKE", "MATCHES", "TRUEPREDICATE", "nil", "TRUE", "==", "=", "<", "<>", "!",
        "&&", "||", "(", ")", "{", "}", "[", "]", "[c]", "[cd]", "[#any]", "[FIRST]", ",", ".",
        "*", "-", "5", "-5", "1.5e3", "0x1F", "'x'", "\"", "'", "\\", "%@", "%K", "%d", "%f", "%%",
        "%", "@count", "$x", "#in", "é", "😀", "\n", "\0", "a == 1", "a == 1 AND ", "(a == 1)",
    ]

    @Test("bytes are read or refused, and every offset is in the text", arguments: UInt64(0)..<20)
    func bytes(_ seed: UInt64) {
        var random = SeededGenerator(state: seed)
        let common = Array("a ='\"\\%@Kd$#(){}[].,<>!&|-+*/0xe1.5u \n".utf8)
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? common.randomElement(using: &random) ?? 0
                    : UInt8.random(in: .min ... .max, using: &random)
            }
            check(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test("tokens in any order are read or refused", arguments: UInt64(0)..<20)
    func tokens(_ seed: UInt64) {
        var random = SeededGenerator(state: seed)
        for _ in 0..<500 {
            let count = Int.random(in: 0..<12, using: &random)
            let separator = Bool.random(using: &random) ? " " : ""
            check(
                (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }
                    .joined(separator: separator)
            )
        }
    }

    @Test("every beginning of a text is read or refused")
    func beginnings() {
        let text =
            "ANY é[%@].@sum.%K BETWEEN[c] {0x1F, 'x\\uD83D\\uDE00'} AND NOT "
            + "(SUBQUERY(a, $x, $x.b LIKE[c] \"*\").@count >= -1.5e3 || SELF IN #in)"
        for count in 0...text.unicodeScalars.count {
            check(String(String.UnicodeScalarView(text.unicodeScalars.prefix(count))))
        }
    }

    private func check(_ text: String) {
        let predicate: Predicate
        do {
            predicate = try PredicateParser.parse(text, arguments: ["a", "b", 5])
        } catch {
            #expect((0...text.utf8.count).contains(error.utf8Offset))
            #expect(error.caretDescription.hasSuffix("^"))
            return
        }
        let (format, arguments) = predicate.canonicalFormat
        let again = try? PredicateParser.parse(format, arguments: arguments)
        #expect(again == predicate, "\(text)")
    }
}
