import Foundation

/// One word, sign, literal or placeholder of a format string.
struct Token {
    /// What it is.
    enum Kind: Equatable {
        /// A name or a keyword; only its place tells which.
        case word(String)
        /// `#word`: a name even if it is a keyword. Without the `#`.
        case escapedWord(String)
        /// `@word`, with the `@`.
        case operation(String)
        /// `$word`, without the `$`.
        case variable(String)
        /// A constant: a number or a string.
        case literal(Literal)
        /// A placeholder, and which argument it takes, from 0.
        case placeholder(Placeholder, argument: Int)
        /// A comparison operator made of signs.
        case comparison(ComparisonOperator)
        /// `&&`
        case and
        /// `||`
        case or
        /// `!`
        case not
        /// Brackets and separators.
        case mark(Mark)
        /// After the last token; its offset is the length of the text.
        case end
    }

    /// A constant written in the text.
    enum Literal: Equatable {
        case integer(Int64)
        case double(Double)
        case string(String)
        case date(Date)
        case uuid(UUID)
        case objectId(ObjectIdLiteral)
        case data(Data)
        case link(LinkLiteral)
    }

    /// A bracket or separator.
    enum Mark: Character {
        case openParenthesis = "("
        case closeParenthesis = ")"
        case openBrace = "{"
        case closeBrace = "}"
        case openBracket = "["
        case closeBracket = "]"
        case comma = ","
        case dot = "."
        case star = "*"
        case plus = "+"
        case minus = "-"
        case slash = "/"
    }

    let kind: Kind
    /// What the word means where a keyword can stand; `nil` for anything else than a word.
    var keyword: Keyword?
    /// Which operator the word or the signs are, where an operator can stand.
    var comparisonOperator: ComparisonOperator?
    /// Where it stands: UTF-8 offsets into the format string.
    let utf8Range: Range<Int>

    init(_ kind: Kind, _ utf8Range: Range<Int>) {
        self.kind = kind
        self.utf8Range = utf8Range
        switch kind {
        case .word(let word):
            switch Keyword.meanings[word.uppercased()] {
            case .keyword(let known): keyword = known
            case .comparison(let known): comparisonOperator = known
            case nil: break
            }
        case .comparison(let comparison):
            comparisonOperator = comparison
        default:
            break
        }
    }

    /// The operation that the sign is between two operands.
    var arithmeticOperator: ArithmeticOperator? {
        switch kind {
        case .mark(.plus): .add
        case .mark(.minus): .subtract
        case .mark(.star): .multiply
        case .mark(.slash): .divide
        default: nil
        }
    }

    /// Whether it is `$0` or `$K0`.
    var isNumbered: Bool {
        guard case .variable(let name) = kind else { return false }
        return Int(name.hasPrefix("K") ? name.dropFirst() : name[...]) != nil
    }

    /// Whether an operand can end here, so that a minus behind it is no sign of a number.
    var canEndOperand: Bool {
        switch kind {
        case .word:
            comparisonOperator == nil && keyword?.canEndOperand ?? true
        case .escapedWord, .operation, .variable, .literal, .placeholder: true
        case .mark(.closeParenthesis), .mark(.closeBracket): true
        case .comparison, .and, .or, .not, .mark, .end: false
        }
    }
}

/// What a placeholder takes.
enum Placeholder: Equatable {
    /// `%@`: anything.
    case object
    /// `%K`: a key path as text.
    case keyPath
    /// `%d` and its kin: an integer.
    case integer
    /// `%f` and its kin: a number.
    case double

    /// How it is named in messages.
    var symbol: String {
        switch self {
        case .object: "%@"
        case .keyPath: "%K"
        case .integer: "%d"
        case .double: "%f"
        }
    }
}
