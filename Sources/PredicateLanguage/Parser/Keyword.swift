/// A word with a meaning of its own, apart from the operators.
///
/// **Shape.** The raw value is the spelling in upper case; the text may use any case.
enum Keyword: String, CaseIterable {
    case and = "AND"
    case or = "OR"
    case not = "NOT"
    case quantifyAny = "ANY"
    case quantifySome = "SOME"
    case quantifyAll = "ALL"
    case quantifyNone = "NONE"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case null = "NULL"
    case `nil` = "NIL"
    case `self` = "SELF"
    case subquery = "SUBQUERY"
    case infinity = "INFINITY"
    case inf = "INF"
    case nan = "NAN"
    /// An operator of `NSPredicate`, known only to be refused.
    case matches = "MATCHES"

    /// What a reserved word is.
    enum Meaning {
        case keyword(Keyword)
        case comparison(ComparisonOperator)
    }

    /// All reserved words, in upper case.
    static let meanings: [String: Meaning] = {
        var meanings: [String: Meaning] = [:]
        for keyword in Keyword.allCases { meanings[keyword.rawValue] = .keyword(keyword) }
        for comparison in ComparisonOperator.allCases {
            meanings[comparison.symbol] = .comparison(comparison)
        }
        return meanings
    }()

    /// Whether an operand can end in this word.
    var canEndOperand: Bool {
        switch self {
        case .and, .or, .not, .quantifyAny, .quantifySome, .quantifyAll, .quantifyNone, .matches:
            false
        default: true
        }
    }

    /// Whether a name must be written `#name` at the beginning of a path.
    static func isReserved(_ name: String) -> Bool {
        meanings[name.uppercased()] != nil
    }

    /// Whether a name, not escaped, is the object itself.
    static func isSelf(_ name: String) -> Bool {
        name.utf8.count == 4 && name.uppercased() == Keyword.`self`.rawValue
    }
}
