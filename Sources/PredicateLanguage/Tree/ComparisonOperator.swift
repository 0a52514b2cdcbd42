/// The operator of a comparison.
///
/// To add one written as a word, add a case: the lexer, the printer and the keyword escapes follow.
/// To add one written with signs, add its spellings to ``signs`` too.
///
/// **Shape.** The raw value is the canonical spelling.
package enum ComparisonOperator: String, CaseIterable, Hashable, Sendable {
    /// `==` or `=`.
    case equal = "=="
    /// `!=` or `<>`.
    case notEqual = "!="
    /// `<`.
    case less = "<"
    /// `<=` or `=<`.
    case lessOrEqual = "<="
    /// `>`.
    case greater = ">"
    /// `>=` or `=>`.
    case greaterOrEqual = ">="
    /// Not less than the first of two bounds, not greater than the second.
    case between = "BETWEEN"
    /// Equal to an element of the right side.
    case `in` = "IN"
    /// The left text or data begins with the right.
    case beginsWith = "BEGINSWITH"
    /// The left text or data ends with the right.
    case endsWith = "ENDSWITH"
    /// The left text or data has the right within it, or the left collection has the right element.
    case contains = "CONTAINS"
    /// The left text matches the right pattern: `?` is one character, `*` any number of them.
    case like = "LIKE"
    /// The left text has the words on the right, as full-text search understands them.
    case text = "TEXT"
    /// The left object is a place within the shape on the right.
    case geoWithin = "GEOWITHIN"

    /// The canonical spelling.
    package var symbol: String { rawValue }

    /// Tells why the operator cannot take the options, or `nil` if it can.
    ///
    /// The sentences are RealmSwift's.
    package func refusal(of options: StringOptions) -> String? {
        switch self {
        case .equal, .notEqual, .in, .beginsWith, .endsWith, .contains:
            nil
        case .like:
            options.contains(.diacriticInsensitive)
                ? "Operator 'LIKE' not supported with diacritic-insensitive modifier." : nil
        case .text, .geoWithin:
            options.isEmpty
                ? nil : "Operator '\(symbol)' not supported with modifier \(options.symbol)."
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
            options.isEmpty ? nil : "Lexicographical comparisons must be case-sensitive"
        }
    }

    /// The operator that says the same with the sides exchanged; nil if there is none.
    package var mirrored: ComparisonOperator? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        case .between, .in, .beginsWith, .endsWith, .contains, .like, .text, .geoWithin: nil
        }
    }

    /// All spellings made of signs.
    static let signs: [String: ComparisonOperator] = [
        "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual,
        "<": .less, "<=": .lessOrEqual, "=<": .lessOrEqual,
        ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
    ]
}
