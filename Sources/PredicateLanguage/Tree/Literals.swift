/// The value of `oid(507f1f77bcf86cd799439011)`: an ObjectId, of which this module has no type.
package struct ObjectIdLiteral: Hashable, Sendable, CustomStringConvertible {
    /// Its twelve bytes.
    package let bytes: [UInt8]

    /// Reads 24 hexadecimal digits; nil for any other text.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 24 else { return nil }
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 24 else { return nil }
        bytes = stride(from: 0, to: 24, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// The digits.
    package var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// An operation between two numbers.
package enum ArithmeticOperator: String, CaseIterable, Hashable, Sendable {
    /// The sum.
    case add = "+"
    /// The difference.
    case subtract = "-"
    /// The product.
    case multiply = "*"
    /// The quotient.
    case divide = "/"

    /// Whether it binds more closely than addition.
    package var bindsClosely: Bool { self == .multiply || self == .divide }
}
