/// Splits a format string into tokens, before any argument is looked at.
struct Lexer {
    let format: String
    let bytes: [UInt8]
    /// The next byte to read.
    var position = 0
    /// How many placeholders were seen.
    var placeholderCount = 0

    /// Makes a lexer at the beginning of a text.
    init(_ format: String) {
        self.format = format
        bytes = Array(format.utf8)
    }

    /// Splits a text.
    ///
    /// - Returns: At least one token; the last, and only the last, is `.end`.
    /// - Complexity: O(*n*), *n* = length of the text.
    static func tokens(of format: String) throws(PredicateSyntaxError) -> [Token] {
        var lexer = Lexer(format)
        var tokens: [Token] = []
        repeat {
            let isAfterOperand = (tokens.last?.canEndOperand ?? false) && !endsInModifiers(tokens)
            tokens.append(try lexer.next(isAfterOperand: isAfterOperand))
        } while tokens.last?.kind != .end
        return tokens
    }

    /// Whether the last tokens are an operator and letters in brackets behind it.
    private static func endsInModifiers(_ tokens: [Token]) -> Bool {
        guard tokens.count >= 4, tokens[tokens.count - 1].kind == .mark(.closeBracket) else {
            return false
        }
        return tokens[tokens.count - 3].kind == .mark(.openBracket)
            && tokens[tokens.count - 4].comparisonOperator != nil
    }

    /// - Parameter isAfterOperand: Whether a minus here is an operator.
    private mutating func next(isAfterOperand: Bool) throws(PredicateSyntaxError) -> Token {
        skipWhitespace()
        let start = position
        guard let byte = byte() else { return Token(.end, start..<start) }
        let isMinus = isAfterOperand && byte == UInt8(ascii: "-")
        let kind =
            if !isMinus, let literal = try wordlikeLiteral() {
                Token.Kind.literal(literal)
            } else if !isMinus, beginsNumber() {
                Token.Kind.literal(try number())
            } else if let word = word() {
                Token.Kind.word(word)
            } else {
                try signs(beginningWith: byte)
            }
        return Token(kind, start..<position)
    }

    private mutating func signs(
        beginningWith byte: UInt8
    ) throws(PredicateSyntaxError) -> Token.Kind {
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): .literal(.string(try string()))
        case UInt8(ascii: "%"): try placeholder()
        case UInt8(ascii: "#"): .escapedWord(try prefixedWord())
        case UInt8(ascii: "@"): .operation("@" + (try prefixedWord()))
        case UInt8(ascii: "$"): .variable(try prefixedWord())
        case UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "!"):
            try comparison()
        case UInt8(ascii: "&"), UInt8(ascii: "|"): try connective(byte)
        default: try mark(byte)
        }
    }

    private mutating func comparison() throws(PredicateSyntaxError) -> Token.Kind {
        let start = position
        position += 1
        while let next = byte(), "=<>".utf8.contains(next) { position += 1 }
        let text = self.text(from: start)
        if text == "!" { return .not }
        guard let comparison = ComparisonOperator.signs[text] else {
            throw failure(.unknownOperator, at: start, "unknown operator '\(text)'")
        }
        return .comparison(comparison)
    }

    private mutating func connective(_ byte: UInt8) throws(PredicateSyntaxError) -> Token.Kind {
        let sign = Character(Unicode.Scalar(byte))
        guard self.byte(at: position + 1) == byte else {
            throw failure(
                .unknownOperator,
                at: position,
                "expected '\(sign)\(sign)', found '\(sign)'"
            )
        }
        position += 2
        return byte == UInt8(ascii: "&") ? .and : .or
    }

    private mutating func mark(_ byte: UInt8) throws(PredicateSyntaxError) -> Token.Kind {
        if byte < 0x80, let mark = Token.Mark(rawValue: Character(Unicode.Scalar(byte))) {
            position += 1
            return .mark(mark)
        }
        throw failure(
            .unexpectedCharacter,
            at: position,
            "unexpected character '\(scalar(at: position).escaped(asASCII: false))'"
        )
    }

    /// `%` and what follows, up to the letter that ends the placeholder.
    private mutating func placeholder() throws(PredicateSyntaxError) -> Token.Kind {
        let start = position
        position += 1
        while let next = byte(), "hlqLjzt".utf8.contains(next) { position += 1 }
        let hasLength = position > start + 1
        let placeholder: Placeholder? =
            switch byte().map({ Character(Unicode.Scalar($0)) }) {
            case "@" where !hasLength: .object
            case "K" where !hasLength: .keyPath
            case "d", "D", "i", "u", "U", "x", "X", "o", "O": .integer
            case "f", "F", "e", "E", "g", "G", "a", "A": .double
            default: nil
            }
        guard let placeholder else {
            throw failure(
                .unknownPlaceholder,
                at: start,
                byte() == UInt8(ascii: "%")
                    ? "expected a placeholder, found '%%': a percent sign stands only in a string"
                    : "expected a placeholder such as %@, %K, %d or %f, found '%'"
            )
        }
        position += 1
        defer { placeholderCount += 1 }
        return .placeholder(placeholder, argument: placeholderCount)
    }
}
