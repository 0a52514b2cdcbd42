public import Foundation

/// A value of any type that can be stored; `.none` stands for nil.
///
/// ```swift
/// @Persisted var extra: AnyRealmValue
/// object.extra = .fromArray([.int(1), .string("two")])
/// ```
///
/// Values of different types differ, also `.int(1)` and `.double(1)`; queries compare all numbers
/// with each other. When an object is deleted, values that lead to it become `.none`; they are no
/// links for linking objects.
///
/// **Shape.** Lists and dictionaries may lie in each other 100 levels deep. Those of a managed object
/// are live views of the store.
/// **Threads.** As the object, list or dictionary it may hold; other values any thread.
public enum AnyRealmValue {
    /// No value.
    case none
    /// An integer.
    case int(Int)
    /// A truth value.
    case bool(Bool)
    /// A floating-point number of 32 bits.
    case float(Float)
    /// A floating-point number of 64 bits.
    case double(Double)
    /// Text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A moment.
    case date(Date)
    /// An object of any class of the Realm.
    case object(Object)
    /// An object identifier.
    case objectId(ObjectId)
    /// A decimal number.
    case decimal128(Decimal128)
    /// A universally unique identifier.
    case uuid(UUID)
    /// Values in order.
    case list(List<AnyRealmValue>)

    /// A list of the values.
    public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: array)
        return .list(list)
    }

    /// The integer; nil for another type.
    public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
    /// The truth value; nil for another type.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number; nil for another type.
    public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
    /// The number; nil for another type.
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
    /// The text; nil for another type.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The bytes; nil for another type.
    public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
    /// The moment; nil for another type.
    public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
    /// The identifier; nil for another type.
    public var objectIdValue: ObjectId? {
        if case .objectId(let value) = self { value } else { nil }
    }
    /// The number; nil for another type.
    public var decimal128Value: Decimal128? {
        if case .decimal128(let value) = self { value } else { nil }
    }
    /// The identifier; nil for another type.
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
    /// The list; nil for another type.
    public var listValue: List<AnyRealmValue>? {
        if case .list(let value) = self { value } else { nil }
    }

    /// The object, if it is of that class; else nil.
    public func object<T: Object>(_ objectType: T.Type) -> T? {
        if case .object(let value) = self { value as? T } else { nil }
    }
}

@available(*, unavailable, message: "objects are confined to their Realm's thread, queue or actor")
extension AnyRealmValue: Sendable {}

extension AnyRealmValue: Hashable {
    /// Values of one type that are equal; lists by their elements.
    public static func == (a: AnyRealmValue, b: AnyRealmValue) -> Bool {
        switch (a, b) {
        case (.none, .none): true
        case (.int(let a), .int(let b)): a == b
        case (.bool(let a), .bool(let b)): a == b
        case (.float(let a), .float(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.string(let a), .string(let b)): a == b
        case (.data(let a), .data(let b)): a == b
        case (.date(let a), .date(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        case (.objectId(let a), .objectId(let b)): a == b
        case (.decimal128(let a), .decimal128(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.list(let a), .list(let b)): a === b || a.elementsEqual(b)
        default: false
        }
    }

    /// Agrees with `==`.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .int(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .decimal128(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .list(let value): hasher.combine(value.count)
        }
    }
}

extension AnyRealmValue {
    /// Tells NaNs of different types apart.
    var typeNumber: Int {
        switch self {
        case .float: 0
        case .double: 1
        case .date: 2
        default: 3
        }
    }
}

extension AnyRealmValue: DynamicallyTyped {
    /// The value itself; nil for `.none`.
    var plainValue: Any? {
        switch self {
        case .none: nil
        case .int(let value): Int64(value)
        case .bool(let value): value
        // As every column of such numbers is compared.
        case .float(let value): Double(value)
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .object(let value): value
        case .objectId(let value): value
        case .decimal128(let value): value
        case .uuid(let value): value
        case .list(let value): ObjectIdentifier(value)
        }
    }
}
