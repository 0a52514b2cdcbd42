import PredicateLanguage
import Testing

typealias Predicate = PredicateLanguage.Predicate

/// Parses, for the shortest tests.
func parse(
    _ format: String,
    _ arguments: Any?...
) throws(PredicateSyntaxError) -> PredicateNode {
    try PredicateParser.parse(format, arguments: arguments).root
}

/// The error that a text gives, or `nil` if it is accepted.
func failure(of format: String, _ arguments: [Any?] = []) -> PredicateSyntaxError? {
    do {
        _ = try PredicateParser.parse(format, arguments: arguments)
        return nil
    } catch {
        return error
    }
}

/// A path of names.
func path(_ names: String...) -> Expression {
    .keyPath(KeyPath(steps: names.map { $0.hasPrefix("@") ? .operation($0) : .property($0) }))
}

/// A comparison of a path with one name and a value.
func compare(
    _ name: String,
    _ op: ComparisonOperator,
    _ value: Any?,
    _ options: StringOptions = []
) -> PredicateNode {
    .comparison(
        Comparison(
            left: path(name),
            op: op,
            right: Expression(normalizing: value),
            options: options
        )
    )
}

/// Small repeatable randomness (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A row of a table of tests: a text and what it must become.
struct Row<Expected>: @unchecked Sendable, CustomTestStringConvertible {
    // @unchecked: rows are constants made of strings, numbers and names.
    let text: String
    let expected: Expected

    init(_ text: String, _ expected: Expected) {
        self.text = text
        self.expected = expected
    }

    var testDescription: String { text }
}
