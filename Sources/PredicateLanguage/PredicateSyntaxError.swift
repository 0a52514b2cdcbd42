/// Thrown when a text is no predicate, or its arguments do not fit it.
///
/// **Threads.** A value; any thread.
package struct PredicateSyntaxError: Error, Hashable, Sendable {
    // Boxed, because every frame of the parser reserves room for an error, and frames are nested.
    private let details: Details

    private final class Details: Sendable {
        let code: Code
        let utf8Offset: Int
        let message: String
        let format: String

        init(code: Code, utf8Offset: Int, message: String, format: String) {
            self.code = code
            self.utf8Offset = utf8Offset
            self.message = message
            self.format = format
        }
    }

    init(_ code: Code, at utf8Offset: Int, in format: String, _ message: String) {
        details = Details(code: code, utf8Offset: utf8Offset, message: message, format: format)
    }

    /// What went wrong.
    package var code: Code { details.code }
    /// Where: a UTF-8 offset into the format string, from 0 to its length.
    package var utf8Offset: Int { details.utf8Offset }
    /// What was expected and what was found; no string literal and no argument is quoted in it.
    package var message: String { details.message }
    /// The text that was parsed.
    package var format: String { details.format }

    /// Compares all parts.
    package static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.utf8Offset == right.utf8Offset
            && left.message == right.message && left.format == right.format
    }

    /// Hashes what most often differs.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(utf8Offset)
        hasher.combine(format)
    }
}

extension PredicateSyntaxError {
    /// What went wrong, for a program; more may be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        /// The code's name.
        package var description: String { name }

        /// A character that has no meaning outside a string.
        package static let unexpectedCharacter = Code(name: "unexpectedCharacter")
        /// A quotation mark without its partner; the offset is that of the first.
        package static let unclosedString = Code(name: "unclosedString")
        /// A backslash followed by something that is no escape.
        package static let invalidEscape = Code(name: "invalidEscape")
        /// A number that is malformed or too large.
        package static let invalidNumber = Code(name: "invalidNumber")
        /// What stands in `uuid(...)`, `oid(...)`, `B64"..."` or a date is none.
        package static let invalidLiteral = Code(name: "invalidLiteral")
        /// Signs or a word where an operator must stand, but no such operator exists.
        package static let unknownOperator = Code(name: "unknownOperator")
        /// An operator of `NSPredicate` that this database does not have.
        package static let unsupportedOperator = Code(name: "unsupportedOperator")
        /// Letters in brackets that this operator does not take.
        package static let unsupportedModifier = Code(name: "unsupportedModifier")
        /// A `%` followed by something that takes no argument.
        package static let unknownPlaceholder = Code(name: "unknownPlaceholder")
        /// More placeholders than arguments; the offset is that of the first without one.
        package static let missingArgument = Code(name: "missingArgument")
        /// More arguments than placeholders; the offset is the end of the text.
        package static let tooManyArguments = Code(name: "tooManyArguments")
        /// An argument that its placeholder does not take.
        package static let wrongArgumentType = Code(name: "wrongArgumentType")
        /// An expression that the operator before it does not take.
        package static let invalidOperand = Code(name: "invalidOperand")
        /// Something well-formed, in the wrong place.
        package static let unexpectedToken = Code(name: "unexpectedToken")
        /// The text ends too early.
        package static let unexpectedEnd = Code(name: "unexpectedEnd")
        /// More than ``PredicateParser/maximumDepth`` levels.
        package static let nestedTooDeep = Code(name: "nestedTooDeep")
    }
}

extension PredicateSyntaxError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The message and the offset, without the text.
    package var description: String {
        "Unable to parse the predicate at offset \(utf8Offset): \(message)"
    }

    /// The message, and the text with a mark under the place.
    package var debugDescription: String {
        "\(description)\n\(caretDescription)"
    }

    /// The line of the text where parsing stopped, and below it a line with `^` under the place.
    ///
    /// - Complexity: O(*n*), *n* = length of the text.
    package var caretDescription: String {
        let bytes = Array(format.utf8)
        let newline = UInt8(ascii: "\n")
        let stop = min(utf8Offset, bytes.count)
        let start = bytes[..<stop].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let end = bytes[stop...].firstIndex(of: newline) ?? bytes.count
        let line = String(decoding: bytes[start..<end], as: UTF8.self)
        let before = String(decoding: bytes[start..<stop], as: UTF8.self)
        // A tab is kept, so that the mark lands under its place however wide a tab is.
        let indent = String(before.map { $0 == "\t" ? "\t" : " " })
        return "\(line)\n\(indent)^"
    }
}
