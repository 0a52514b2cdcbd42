import CDecimal

/// A decimal number with up to 34 digits and an exponent from -6176 to 6111, an infinity, or NaN.
///
/// **Shape.** The 16 bytes of IEEE 754's decimal128 in binary integer encoding. One number can have
/// several encodings (1.0, 1.00), which are equal; NaN is equal to nothing.
/// **Threads.** A value; any thread.
struct DecimalNumber: Sendable {
    var low: UInt64
    var high: UInt64

    static let digitLimit = 34
    static let exponents = -6176...6111
    private static let largestCoefficient: UInt128 = 9_999_999_999_999_999_999_999_999_999_999_999

    static let zero = DecimalNumber(isNegative: false, coefficient: 0, exponent: 0)
    static let nan = DecimalNumber(low: 0, high: 0x7C << 56)
    static let infinity = DecimalNumber(low: 0, high: 0x78 << 56)
    static let greatest = DecimalNumber(
        isNegative: false,
        coefficient: largestCoefficient,
        exponent: exponents.upperBound
    )

    init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// - Precondition: at most 34 digits, an exponent in range.
    init(isNegative: Bool, coefficient: UInt128, exponent: Int) {
        precondition(coefficient <= Self.largestCoefficient && Self.exponents.contains(exponent))
        low = UInt64(truncatingIfNeeded: coefficient)
        high =
            UInt64(truncatingIfNeeded: coefficient >> 64) | UInt64(exponent + 6176) << 49
            | (isNegative ? 1 << 63 : 0)
    }

    init(_ value: some BinaryInteger) {
        if let small = Int64(exactly: value) {
            self.init(
                isNegative: small < 0,
                coefficient: UInt128(small.magnitude),
                exponent: 0
            )
        } else {
            // The digits of an integer are a decimal, rounded if there are more than 34.
            self = DecimalNumber(String(value)) ?? .nan
        }
    }

    /// The decimal that a floating-point number's shortest description says: 0.1 is 0.1.
    init(_ value: some BinaryFloatingPoint & LosslessStringConvertible) {
        self = DecimalNumber(value.description) ?? .nan
    }

    /// - Precondition: 16 bytes, as stored.
    init(bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count >= 16, "a decimal has sixteen bytes")
        // SAFETY: sixteen bytes were checked; loadUnaligned needs no alignment.
        low = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// The 16 bytes as they are stored, as a tuple of two little-endian words.
    var stored: (UInt64, UInt64) { (low.littleEndian, high.littleEndian) }

    // MARK: - Parts

    var isNegative: Bool { high >> 63 == 1 }
    var isNaN: Bool { high >> 58 & 0x1F == 0x1F }
    var isSignalingNaN: Bool { isNaN && high >> 57 & 1 == 1 }
    var isInfinite: Bool { high >> 58 & 0x1F == 0x1E }
    var isFinite: Bool { high >> 59 & 0xF != 0xF }

    /// Coefficient and exponent of a finite number. Encodings that IEEE does not define are 0.
    var parts: (coefficient: UInt128, exponent: Int) {
        if high >> 61 & 3 == 3 { return (0, Int(high >> 47 & 0x3FFF) - 6176) }
        let coefficient = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        let exponent = Int(high >> 49 & 0x3FFF) - 6176
        return (coefficient > Self.largestCoefficient ? 0 : coefficient, exponent)
    }

    var magnitude: DecimalNumber { DecimalNumber(low: low, high: high & ~(1 << 63)) }
    var negated: DecimalNumber { DecimalNumber(low: low, high: high ^ 1 << 63) }

    /// The nearest double.
    var double: Double { domesday_decimal_to_double(library) }

    // MARK: - Arithmetic

    private var library: domesday_decimal { domesday_decimal(low: low, high: high) }

    private init(_ value: domesday_decimal) { self.init(low: value.low, high: value.high) }

    static func + (a: DecimalNumber, b: DecimalNumber) -> DecimalNumber {
        DecimalNumber(domesday_decimal_add(a.library, b.library))
    }

    static func - (a: DecimalNumber, b: DecimalNumber) -> DecimalNumber {
        DecimalNumber(domesday_decimal_subtract(a.library, b.library))
    }

    static func * (a: DecimalNumber, b: DecimalNumber) -> DecimalNumber {
        DecimalNumber(domesday_decimal_multiply(a.library, b.library))
    }

    static func / (a: DecimalNumber, b: DecimalNumber) -> DecimalNumber {
        DecimalNumber(domesday_decimal_divide(a.library, b.library))
    }

    /// -1, 0 or 1; nil if one of them is NaN.
    func order(to other: DecimalNumber) -> Int? {
        if isNaN || other.isNaN { return nil }
        if domesday_decimal_less(library, other.library) != 0 { return -1 }
        return domesday_decimal_equal(library, other.library) != 0 ? 0 : 1
    }
}

extension DecimalNumber: Hashable {
    /// By value: 1.0 equals 1.00, -0 equals 0, NaN nothing.
    static func == (a: DecimalNumber, b: DecimalNumber) -> Bool {
        domesday_decimal_equal(a.library, b.library) != 0
    }

    func hash(into hasher: inout Hasher) {
        guard isFinite else {
            hasher.combine(isNaN ? 0 : isNegative ? 1 : 2)
            return
        }
        var (coefficient, exponent) = parts
        if coefficient == 0 { return hasher.combine(UInt64(0)) }
        while true {
            let (quotient, digit) = coefficient.quotientAndRemainder(dividingBy: 10)
            if digit != 0 { break }
            coefficient = quotient
            exponent += 1
        }
        hasher.combine(isNegative)
        hasher.combine(coefficient)
        hasher.combine(exponent)
    }
}

extension DecimalNumber: Comparable {
    static func < (a: DecimalNumber, b: DecimalNumber) -> Bool { a.order(to: b) == -1 }
}
