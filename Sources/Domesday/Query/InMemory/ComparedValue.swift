import Foundation
import PredicateLanguage

/// A value on one side of a comparison.
enum ComparedValue {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    /// A floating-point constant: rounded to a `Float` when compared with one, else a double.
    case literal(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case object(any EvaluatedObject)
    case decimal(DecimalNumber)
    /// A value of a property of any type: comparable with all others, equal to few.
    indirect case any(ComparedValue)
    /// Identifiers: equal or not, without order.
    case identifier(AnyHashable)

    init(_ value: Any?) throws(EvaluationError) {
        guard let value else {
            self = .null
            return
        }
        switch value {
        case let value as Bool: self = .bool(value)
        case let value as any FixedWidthInteger: self = .int(Int64(clamping: value))
        case let value as Float: self = .float(value)
        case let value as Double: self = .double(value)
        case let value as String: self = .string(value)
        case let value as Data: self = .data(value)
        case let value as Date: self = .date(value)
        case let value as any EvaluatedObject: self = .object(value)
        case let value as ObjectLiteral: self = .object(LiteralObject(value))
        case let value as any FixedBytesValue:
            self = .identifier(AnyHashable(FixedIdentifier(value)))
        case let value as any QueryConstant: self = .decimal(value.queryConstant)
        case let value as any DynamicallyTyped:
            let plain = try ComparedValue(value.plainValue)
            self = plain.isNull ? .null : .any(plain)
        case let value as any RawRepresentable: self = try ComparedValue(value.rawValue)
        case let value as AnyHashable: self = .identifier(value)
        default:
            throw EvaluationError("Invalid value of type '\(type(of: value))' in a predicate.")
        }
    }

    /// A constant of the predicate, not a stored value.
    init(constant value: Any?) throws(EvaluationError) {
        let value = try ComparedValue((value as? any DynamicallyTyped)?.plainValue ?? value)
        self = if case .double(let number) = value { .literal(number) } else { value }
    }

    var isNull: Bool { if case .null = self { true } else { false } }

    /// The type as messages show it.
    var typeName: String {
        switch self {
        case .null: "nil"
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .double, .literal: "double"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .object(let object): object.evaluatedClassName
        case .decimal: "decimal128"
        case .any: "mixed"
        case .identifier(let value):
            (value.base as? FixedIdentifier)?.description ?? "\(type(of: value.base))".lowercased()
        }
    }
}

/// A UUID or an ObjectId, of whatever type it was given.
private struct FixedIdentifier: Hashable, CustomStringConvertible {
    let type: ColumnType
    let bytes: [UInt8]

    init(_ value: some FixedBytesValue) {
        type = Swift.type(of: value).fixedType
        bytes = value.fixedBytes
    }

    /// The type's name in messages.
    var description: String { type == .uuid ? "uuid" : "objectid" }
}

/// How two values stand to each other.
enum Ordering {
    case less, equal, greater
    /// One is NaN: different, without order.
    case unordered
}

extension ComparedValue {
    /// How this value stands to another, neither being nil.
    ///
    /// - Throws: if their types cannot be compared at all.
    func ordering(to other: ComparedValue) throws(EvaluationError) -> Ordering {
        if let ordering = unusualOrdering(to: other) { return ordering }
        switch (self, other) {
        case (.int(let left), .int(let right)): return Self.ordering(left, right)
        case (.double(let left), .double(let right)): return Self.ordering(left, right)
        case (.float(let left), .float(let right)): return Self.ordering(left, right)
        case (.float(let left), .literal(let right)): return Self.ordering(left, Float(right))
        case (.literal(let left), .float(let right)): return Self.ordering(Float(left), right)
        case (.literal(let left), _): return try ComparedValue.double(left).ordering(to: other)
        case (_, .literal(let right)): return try ordering(to: .double(right))
        case (.float(let left), .double(let right)): return Self.ordering(Double(left), right)
        case (.double(let left), .float(let right)): return Self.ordering(left, Double(right))
        case (.int(let left), .double(let right)): return Self.ordering(left, right)
        case (.double(let left), .int(let right)): return Self.ordering(right, left).reversed
        case (.int(let left), .float(let right)): return Self.ordering(left, Double(right))
        case (.float(let left), .int(let right)):
            return Self.ordering(right, Double(left)).reversed
        case (.date(let left), .date(let right)):
            return Self.ordering(
                left.timeIntervalSinceReferenceDate,
                right.timeIntervalSinceReferenceDate
            )
        case (.string(let left), .string(let right)):
            return Self.ordering(Array(left.utf8), Array(right.utf8))
        case (.data(let left), .data(let right)):
            return Self.ordering(Array(left), Array(right))
        default: throw mismatch(other)
        }
    }

    /// Whether this value equals another; nil equals nil and nothing else.
    ///
    /// - Throws: if their types cannot be compared at all.
    func isEqual(to other: ComparedValue, _ text: TextComparison) throws(EvaluationError) -> Bool {
        switch (self, other) {
        case (.any(let value), _): return value.isAnyEqual(to: other, text)
        case (_, .any(let value)): return isAnyEqual(to: value, text)
        case (.null, .null): return true
        case (.null, _), (_, .null): return false
        case (.bool(let left), .bool(let right)): return left == right
        // As `NSNumber` would be understood.
        case (.bool(let left), .int(let right)): return (left ? 1 : 0) == right
        case (.int(let left), .bool(let right)): return left == (right ? 1 : 0)
        case (.object(let left), .object(let right)): return left.isEvaluatedAsEqual(to: right)
        case (.identifier(let left), .identifier(let right)):
            guard typeName == other.typeName else { throw mismatch(other) }
            return left == right
        case (.string(let left), .string(let right)):
            return text.scalars(of: left) == text.scalars(of: right)
        default: return try ordering(to: other) == .equal
        }
    }

    func mismatch(_ other: ComparedValue) -> EvaluationError {
        EvaluationError(
            "Cannot compare a value of type '\(typeName)' to one of type '\(other.typeName)'"
        )
    }

    private static func ordering<Value: Comparable>(_ left: Value, _ right: Value) -> Ordering {
        if left < right { return .less }
        if left > right { return .greater }
        return left == right ? .equal : .unordered
    }

    /// Exactly, also beyond the integers that a `Double` can hold.
    private static func ordering(_ left: Int64, _ right: Double) -> Ordering {
        if right.isNaN { return .unordered }
        if right >= 0x1p63 { return .less }
        if right < -0x1p63 { return .greater }
        let whole = right.rounded(.down)
        let ordering = ordering(left, Int64(whole))
        return ordering == .equal && right > whole ? .less : ordering
    }

    private static func ordering(_ left: [UInt8], _ right: [UInt8]) -> Ordering {
        if left == right { return .equal }
        return left.lexicographicallyPrecedes(right) ? .less : .greater
    }
}

extension Ordering {
    /// The ordering with the sides exchanged.
    var reversed: Ordering {
        switch self {
        case .less: .greater
        case .greater: .less
        case .equal, .unordered: self
        }
    }
}
