extension DecimalNumber {
    /// The number that a text writes: digits with or without a point, an exponent behind `e` or `E`,
    /// or `inf`, `infinity` or `nan` in any case, with or without a sign.
    ///
    /// What has more digits than fit is rounded to the nearest, half to even; what is too large
    /// becomes an infinity. nil if the text is no number.
    ///
    /// - Complexity: O(*n*), *n* = length of the text.
    init?(_ text: String) {
        var scanner = DecimalScanner(text)
        guard let number = scanner.number() else { return nil }
        self = number
    }

    /// The number as text: `12.50`, `1E+40`, `-Inf`, `NaN`; it reads back as the same digits and
    /// exponent.
    var text: String {
        if isNaN { return "NaN" }
        let sign = isNegative ? "-" : ""
        if isInfinite { return sign + "Inf" }
        let (coefficient, exponent) = parts
        let digits = String(coefficient)
        let adjusted = exponent + digits.utf8.count - 1
        if exponent <= 0, adjusted >= -6 {
            if exponent == 0 { return sign + digits }
            let whole = digits.utf8.count + exponent
            if whole > 0 { return sign + digits.prefix(whole) + "." + digits.dropFirst(whole) }
            return sign + "0." + String(repeating: "0", count: -whole) + digits
        }
        let fraction = digits.utf8.count > 1 ? "." + digits.dropFirst() : ""
        return sign + digits.prefix(1) + fraction + "E" + (adjusted < 0 ? "-" : "+")
            + String(adjusted.magnitude)
    }
}

/// Reads one decimal from a text, exactly, and rounds it once.
private struct DecimalScanner {
    private let bytes: [UInt8]
    private var position = 0
    /// Without leading zeros.
    private var digits: [UInt8] = []
    /// Of the last digit.
    private var exponent = 0

    /// Beyond this an exponent is as good as infinite, and sums with it do not overflow.
    private static let exponentLimit = 1 << 40

    init(_ text: String) { bytes = Array(text.utf8) }

    private mutating func take(_ byte: Character) -> Bool {
        guard position < bytes.count, bytes[position] | 0x20 == byte.asciiValue.map({ $0 | 0x20 })
        else { return false }
        position += 1
        return true
    }

    private mutating func takeSign() -> Bool {
        guard position < bytes.count else { return false }
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative || bytes[position] == UInt8(ascii: "+") { position += 1 }
        return isNegative
    }

    private mutating func takeDigit() -> UInt8? {
        guard position < bytes.count, bytes[position] >= 0x30, bytes[position] <= 0x39 else {
            return nil
        }
        position += 1
        return bytes[position - 1] - 0x30
    }

    mutating func number() -> DecimalNumber? {
        let isNegative = takeSign()
        if let special = special() { return isNegative ? special.negated : special }
        guard takeDigits(), takeExponent(), position == bytes.count else { return nil }
        return rounded(isNegative)
    }

    private func special() -> DecimalNumber? {
        let word = String(decoding: bytes[position...], as: UTF8.self).lowercased()
        switch word {
        case "inf", "infinity": return .infinity
        case "nan": return .nan
        default: return nil
        }
    }

    private mutating func takeDigits() -> Bool {
        var isAny = false
        var isFraction = false
        while position < bytes.count {
            if let digit = takeDigit() {
                isAny = true
                if digit != 0 || !digits.isEmpty { digits.append(digit) }
                if isFraction { exponent -= 1 }
            } else if bytes[position] == UInt8(ascii: "."), !isFraction {
                isFraction = true
                position += 1
            } else {
                break
            }
        }
        return isAny
    }

    private mutating func takeExponent() -> Bool {
        guard take("e") else { return true }
        let isNegative = takeSign()
        guard var value = takeDigit().map({ Int($0) }) else { return false }
        while let digit = takeDigit() { value = min(value * 10 + Int(digit), Self.exponentLimit) }
        exponent += isNegative ? -value : value
        return true
    }

    private func rounded(_ isNegative: Bool) -> DecimalNumber {
        let range = DecimalNumber.exponents
        // Digits to drop: those beyond 34, and those below the least exponent.
        let dropped = max(0, digits.count - DecimalNumber.digitLimit, range.lowerBound - exponent)
        var coefficient: UInt128 = 0
        for digit in digits.prefix(max(0, digits.count - dropped)) {
            coefficient = coefficient * 10 + UInt128(digit)
        }
        var exponent = exponent + dropped
        if isRoundedUp(dropping: dropped, isOdd: coefficient & 1 == 1) {
            coefficient += 1
            if coefficient == 10_000_000_000_000_000_000_000_000_000_000_000 {
                coefficient /= 10
                exponent += 1
            }
        }
        if coefficient == 0 {
            exponent = min(max(exponent, range.lowerBound), range.upperBound)
        }
        while exponent > range.upperBound {
            let (wider, overflow) = coefficient.multipliedReportingOverflow(by: 10)
            if overflow || wider > 9_999_999_999_999_999_999_999_999_999_999_999 {
                return isNegative ? DecimalNumber.infinity.negated : .infinity
            }
            coefficient = wider
            exponent -= 1
        }
        return DecimalNumber(
            isNegative: isNegative,
            coefficient: coefficient,
            exponent: exponent
        )
    }

    private func isRoundedUp(dropping count: Int, isOdd: Bool) -> Bool {
        guard count > 0, count <= digits.count else { return false }
        let rest = digits.suffix(count)
        guard let first = rest.first, first != 5 else {
            return rest.first == 5 && (isOdd || rest.dropFirst().contains { $0 != 0 })
        }
        return first > 5
    }
}
