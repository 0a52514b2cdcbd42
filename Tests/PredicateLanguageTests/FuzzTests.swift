import Foundation
import PredicateLanguage
import Testing

/// How long the proofs run: 1 in `make test`, more in `make soak`.
private enum FuzzScale {
    static let factor = Int(ProcessInfo.processInfo.environment["DOMESDAY_SCALE"] ?? "") ?? 1
}

/// About 17,000 texts, and more than a million and a half of them a hundred times longer: each is
/// read or refused. At scale 1 they take a minute; the limit counts waiting for other tests as well.
@Suite("Hostile text", .timeLimit(.minutes(60)))
struct FuzzTests {
    static let pieces = [
        "a", "in", "IN", "NOT", "ANY", "NONE", "AND", "OR", "SUBQUERY", "SUBQUERY(a, $x,", "SELF",
        "BETWEEN", "LIKE", "MATCHES", "TRUEPREDICATE", "nil", "TRUE", "==", "=", "<", "<>", "!",
        "&&", "||", "(", ")", "{", "}", "[", "]", "[c]", "[cd]", "[#any]", "[FIRST]", ",", ".",
        "*", "-", "5", "-5", "1.5e3", "0x1F", "'x'", "\"", "'", "\\", "%@", "%K", "%d", "%f", "%%",
        "%", "@count", "$x", "#in", "é", "😀", "\n", "\0", "+", "/", "uuid(", "oid(", "B64'",
        "T1:", "2024-02-29@", "1:2:3", " SORT(", " LIMIT(1)", " DISTINCT(a)", "ASC", "inf", "NaN",
        "$0",
        "TEXT", "GEOWITHIN", "geoBox(", "geoCircle([0, 5], 1)", "geoPolygon({[0, 0], ", "[5, 0]",
        "[LAST]", "[SIZE]", "$K1", "obj(", "obj('A', 1)", "O7", "L1:7", "binary('a')", ".@type",
        "a == 1", "a == 1 AND ", "(a == 1)",
    ]

    @Test("bytes are read or refused, and every offset is in the text", arguments: UInt64(0)..<20)
    func bytes(_ seed: UInt64) {
        var random = SeededGenerator(state: seed)
        let common = Array("a ='\"\\%@Kd$#(){}[].,<>!&|-+*/0xe1.5u \n".utf8)
        for _ in 0..<300 * FuzzScale.factor {
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
        for _ in 0..<500 * FuzzScale.factor {
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

    @Test("a valid text with a few bytes changed is read or refused", arguments: UInt64(0)..<20)
    func mutations(_ seed: UInt64) {
        var random = SeededGenerator(state: seed &+ 1_000)
        for _ in 0..<25 * FuzzScale.factor {
            var trees = RandomTrees(random: random)
            let text = PredicateLanguage.Predicate(
                root: trees.node(depth: 3),
                ordering: trees.ordering()
            ).description
            random = trees.random
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                default: bytes.insert(bytes[bytes.count - 1 - place], at: place)
                }
            }
            check(String(decoding: bytes, as: UTF8.self))
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
