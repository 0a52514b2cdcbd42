public import Foundation

/// A decimal floating-point number: up to 34 digits, exponents from -6176 to 6111, as IEEE 754's
/// decimal128.
///
/// ```swift
/// let sum: Decimal128 = "0.1" + "0.2"   // exactly 0.3
/// ```
///
/// A literal without quotes goes through the compiler's `Double`, of which the shortest description
/// is taken: `0.1` is exact, a literal of more than 15 digits may not be. Results that need more
/// than 34 digits are rounded to the nearest, half to even; nothing else is inexact.
///
/// **Shape.** One number can have several forms: `1.0` and `1.00` are equal and hash alike, and print
/// as they were written. NaN is equal to nothing, and neither less nor greater than anything.
/// **Threads.** A value; any thread.
public struct Decimal128: Sendable {
    let number: DecimalNumber

    init(_ number: DecimalNumber) { self.number = number }

    /// Zero.
    public init() { number = .zero }

    /// The number that a text writes: `"12.50"`, `"-1e-7"`, `"Infinity"`, `"NaN"`.
    ///
    /// - Throws: ``Realm/Error`` `.invalidInput` if the text is no number. What is too large is an
    ///   infinity, what is too small 0.
    public init(string: String) throws {
        guard let number = DecimalNumber(string) else {
            throw Realm.Error(
                .invalidInput,
                "Invalid Decimal128 string '\(string)': must be digits with an optional point and "
                    + "exponent, or 'Infinity' or 'NaN'"
            )
        }
        self.number = number
    }

    /// The value of a number object, of a `Decimal` exactly.
    public init(number: NSNumber) {
        if let decimal = number as? NSDecimalNumber {
            self.init(decimal.decimalValue)
            return
        }
        switch String(cString: number.objCType) {
        case "f": self.init(DecimalNumber(number.floatValue))
        case "d": self.init(DecimalNumber(number.doubleValue))
        case "Q": self.init(DecimalNumber(number.uint64Value))
        default: self.init(DecimalNumber(number.int64Value))
        }
    }

    /// The value of a number, a text or another `Decimal128`.
    ///
    /// - Precondition: the value is one of these, and a text is a number.
    public init(value: Any) {
        guard let converted = Decimal128._convert(value) else {
            fatalError("Cannot convert value '\(value)' of type '\(type(of: value))' to decimal128")
        }
        self = converted
    }

    /// The value of an integer; rounded if it has more than 34 digits.
    public init<T: BinaryInteger>(_ value: T) { number = DecimalNumber(value) }

    /// The decimal that the shortest description of a floating-point number says.
    public init<T: BinaryFloatingPoint & LosslessStringConvertible>(_ value: T) {
        number = DecimalNumber(value)
    }

    /// The value of Foundation's `Decimal`; rounded if it has more than 34 digits.
    public init(_ value: Decimal) {
        number = DecimalNumber(value.description) ?? .nan
    }

    /// The value of an integer; nil if it cannot be had exactly.
    public init?<T: BinaryInteger>(exactly source: T) {
        let number = DecimalNumber(source)
        guard String(source).count <= DecimalNumber.digitLimit || number.text == String(source)
        else { return nil }
        self.number = number
    }

    /// The least finite number.
    public static var min: Decimal128 { Decimal128(DecimalNumber.greatest.negated) }
    /// The greatest finite number.
    public static var max: Decimal128 { Decimal128(DecimalNumber.greatest) }
    /// Not a number.
    public static var nan: Decimal128 { Decimal128(DecimalNumber.nan) }
    /// Greater than all numbers.
    public static var infinity: Decimal128 { Decimal128(DecimalNumber.infinity) }

    /// Whether it is not a number.
    public var isNaN: Bool { number.isNaN }
    /// Whether it is a NaN that signals.
    public var isSignalingNaN: Bool { number.isSignalingNaN }
    /// Whether it is an infinity.
    public var isInfinite: Bool { number.isInfinite }
    /// Whether it is neither NaN nor an infinity.
    public var isFinite: Bool { number.isFinite }
    /// Whether its sign is minus, also that of a zero.
    public var isNegative: Bool { number.isNegative }

    /// The number as text, which reads back as the same digits and exponent.
    public var stringValue: String { number.text }
    /// The nearest `Double`.
    public var doubleValue: Double { number.double }
    /// The number as Foundation's `Decimal`; NaN for what that cannot hold.
    public var decimalValue: Decimal { Decimal(string: number.text) ?? .nan }
}

extension Decimal128: Hashable, Comparable {
    /// By value.
    public static func == (a: Decimal128, b: Decimal128) -> Bool { a.number == b.number }
    /// By value; false for NaN.
    public static func < (a: Decimal128, b: Decimal128) -> Bool { a.number < b.number }
    /// Alike for equal values.
    public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension Decimal128: SignedNumeric {
    /// The absolute value.
    public var magnitude: Decimal128 { Decimal128(number.magnitude) }

    /// The sum.
    public static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.number + b.number)
    }

    /// The difference.
    public static func - (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.number - b.number)
    }

    /// The product.
    public static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.number * b.number)
    }

    /// The quotient; by 0 it is an infinity, 0 by 0 is NaN.
    public static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.number / b.number)
    }

    /// Multiplies in place.
    public static func *= (a: inout Decimal128, b: Decimal128) { a = a * b }
    /// Divides in place.
    public static func /= (a: inout Decimal128, b: Decimal128) { a = a / b }
    /// The number with the other sign.
    public static prefix func - (a: Decimal128) -> Decimal128 { Decimal128(a.number.negated) }
    /// Changes the sign.
    public mutating func negate() { self = -self }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral
{
    /// An integer literal.
    public init(integerLiteral value: Int64) { self.init(DecimalNumber(value)) }
    /// A floating-point literal: the shortest description of the nearest `Double`.
    public init(floatLiteral value: Double) { self.init(DecimalNumber(value)) }
    /// A text literal.
    ///
    /// - Precondition: it is a number: "Invalid Decimal128 string ...".
    public init(stringLiteral value: String) {
        guard let number = DecimalNumber(value) else {
            fatalError("Invalid Decimal128 string '\(value)'")
        }
        self.init(number)
    }
}

extension Decimal128: CustomStringConvertible {
    /// As `stringValue`.
    public var description: String { stringValue }
}

extension Decimal128: Codable {
    /// From a text or a number.
    ///
    /// - Throws: `DecodingError` for anything else, and for a text that is no number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            guard let number = DecimalNumber(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "Cannot convert '\(text)' to Decimal128"
                )
            }
            self.init(number)
        } else if let integer = try? container.decode(Int64.self) {
            self.init(DecimalNumber(integer))
        } else if let decimal = try? container.decode(Decimal.self) {
            // Not through Double, where the decoder keeps the digits.
            self.init(decimal)
        } else {
            self.init(DecimalNumber(try container.decode(Double.self)))
        }
    }

    /// As text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
