import Foundation

/// One value in the form in which queries compare it.
///
/// **Shape.** Bool, Int and all integers are `int`; Float, Double and Date are `double` (dates as
/// seconds since 2001); text, data, UUIDs and ObjectIds are `bytes`; an object is its `key`. A value
/// of a column of any type is `mixed`, but none is `null`.
enum QueryValue: Equatable {
    case null
    case int(Int64)
    case double(Double)
    case bytes([UInt8])
    case key(ObjectKey)
    case decimal(DecimalNumber)
    case mixed(MixedValue)
}

extension QueryValue {
    /// Compares two values of comparable kinds, nil first; nil if they have no order: other kinds,
    /// or NaN.
    func order(to other: QueryValue) -> Int? {
        switch (self, other) {
        case (.null, .null): return 0
        case (.int(let a), .int(let b)): return a < b ? -1 : a == b ? 0 : 1
        case (.key(let a), .key(let b)): return a < b ? -1 : a == b ? 0 : 1
        case (.double(let a), .double(let b)):
            return a < b ? -1 : a == b ? 0 : a > b ? 1 : nil
        case (.int(let a), .double(let b)): return NumberOrder.compare(a, b)
        case (.double(let a), .int(let b)): return NumberOrder.compare(b, a).map { -$0 }
        case (.bytes(let a), .bytes(let b)):
            return a.withUnsafeBytes { a in b.withUnsafeBytes { b in ByteOrder.compare(a, b) } }
        default: return unusualOrder(to: other)
        }
    }

    /// Whether a comparison holds, as for every predicate: nil equals nil and differs from every
    /// value, NaN differs from everything; what has no order is neither less nor greater.
    func satisfies(_ comparison: BoundOrder, _ other: QueryValue) -> Bool {
        if self == .null || other == .null {
            let same = self == .null && other == .null
            switch comparison {
            case .equal, .lessOrEqual, .greaterOrEqual: return same
            case .notEqual: return !same
            case .less, .greater: return false
            }
        }
        guard let order = order(to: other) else { return comparison == .notEqual }
        switch comparison {
        case .equal: return order == 0
        case .notEqual: return order != 0
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .greater: return order > 0
        case .greaterOrEqual: return order >= 0
        }
    }
}

/// The operators that compare by order.
enum BoundOrder: String, Hashable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    /// The operator with its sides exchanged.
    var mirrored: BoundOrder {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

/// Exact comparison of integers with floating-point numbers.
enum NumberOrder {
    /// nil for NaN.
    static func compare(_ a: Int64, _ b: Double) -> Int? {
        if b.isNaN { return nil }
        if b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        let whole = Int64(b.rounded(.down))
        if a != whole { return a < whole ? -1 : 1 }
        return Double(whole) == b ? 0 : -1
    }

    /// The integers that compare so to a number: a range, or its complement; nil for none.
    static func range(
        _ comparison: BoundOrder,
        _ number: QueryValue
    ) -> (range: ClosedRange<Int64>?, isInverted: Bool) {
        let low: Int64?
        let high: Int64?
        switch number {
        case .int(let value): (low, high) = (value, value)
        case .double(let value):
            // The largest integer not above the number, the smallest not below it; nil: none.
            low = value.isNaN || value < -0x1p63 ? nil : value >= 0x1p63 ? .max : floor(value)
            high = value.isNaN || value >= 0x1p63 ? nil : value < -0x1p63 ? .min : ceil(value)
            if value.isNaN { return (nil, comparison == .notEqual) }
        default: return (nil, comparison == .notEqual)
        }
        switch comparison {
        case .equal, .notEqual:
            // Both are the number itself, or it lies between two integers.
            return (low == high ? low.map { $0...$0 } : nil, comparison == .notEqual)
        case .less:
            guard let high else { return (.min ... .max, false) }
            return (high == .min ? nil : .min...(high - 1), false)
        case .lessOrEqual: return (low.map { .min...$0 }, false)
        case .greater:
            guard let low else { return (.min ... .max, false) }
            return (low == .max ? nil : (low + 1) ... .max, false)
        case .greaterOrEqual: return (high.map { $0 ... .max }, false)
        }
    }

    private static func floor(_ value: Double) -> Int64 { Int64(value.rounded(.down)) }

    private static func ceil(_ value: Double) -> Int64 {
        let up = value.rounded(.up)
        return up >= 0x1p63 ? .max : Int64(up)
    }
}

enum ByteOrder {
    /// As `memcmp`, a prefix first.
    static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let count = min(a.count, b.count)
        if count > 0, let x = a.baseAddress, let y = b.baseAddress {
            let order = memcmp(x, y, count)
            if order != 0 { return order < 0 ? -1 : 1 }
        }
        return a.count < b.count ? -1 : a.count == b.count ? 0 : 1
    }
}
