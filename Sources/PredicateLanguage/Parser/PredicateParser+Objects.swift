import Foundation

// object = "obj" "(" text "," simple ")"
// binary = "binary" "(" text ")"
//
// Both words are names of properties without the parenthesis.

extension PredicateParser {
    /// Reads `obj("Class", key)` or `binary("bytes")`; nil if none begins here.
    @inline(never)
    mutating func calledLiteral() throws(PredicateSyntaxError) -> Any? {
        guard case .word(let word) = current.kind, following.kind == .mark(.openParenthesis) else {
            return nil
        }
        switch word.lowercased() {
        case "obj": return try object()
        case "binary": return try binary()
        default: return nil
        }
    }

    private mutating func object() throws(PredicateSyntaxError) -> ObjectLiteral {
        let start = advance()
        try expect(.openParenthesis)
        let name = try text("the name of a class")
        try expect(.comma)
        let place = current
        guard case .value(let key) = try operand() else {
            throw failure(.invalidOperand, at: place, "expected the value of a primary key")
        }
        try expect(.closeParenthesis)
        guard let literal = ObjectLiteral(className: name, key: key) else {
            throw failure(.invalidOperand, at: start, "expected the value of a primary key")
        }
        return literal
    }

    private mutating func binary() throws(PredicateSyntaxError) -> Data {
        advance()
        try expect(.openParenthesis)
        let text = try text("a text")
        try expect(.closeParenthesis)
        return Data(text.utf8)
    }

    private mutating func text(_ expectation: String) throws(PredicateSyntaxError) -> String {
        switch current.kind {
        case .literal(.string(let text)):
            advance()
            return text
        case .placeholder(.object, let index):
            let place = current
            if let text = try argument(index, for: .object) as? String { return text }
            throw failure(.wrongArgumentType, at: place, "expected \(expectation)")
        default: throw unexpected(expectation)
        }
    }
}
