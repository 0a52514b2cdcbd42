import Foundation

/// Values whose type is known only at run time: from dictionaries, JSON, `subscript(key:)`.
///
/// **Threads.** Any.
enum DynamicValue {
    /// Optionals taken off; nil for nil and `NSNull`.
    static func unwrapped(_ value: Any) -> Any? {
        if value is NSNull { return nil }
        guard let optional = value as? any AnyOptional else { return value }
        return optional.anyWrapped.flatMap { unwrapped($0) }
    }

    /// Whether the value could be the contents of an object.
    static func isObjectContents(_ value: Any) -> Bool {
        value is [String: Any] || value is ObjectBase || value is [Any]
    }

    /// A new unmanaged object with the given contents. Traps if they do not fit.
    static func object<T: ObjectBase>(_ type: T.Type, from value: Any) -> T {
        let object = type.init()
        object.setValues(from: value)
        return object
    }

    /// The elements of an array, list or other sequence; nil if it is none.
    static func elements(_ value: Any) -> [Any]? {
        if let array = value as? [Any] { return array }
        if value is String || value is Data || value is [String: Any] { return nil }
        guard let sequence = value as? any Sequence else { return nil }
        return sequence.map { $0 }
    }

    /// A value as messages show it.
    static func text(_ value: Any?) -> String {
        guard let value = value.flatMap({ unwrapped($0) }) else { return "(null)" }
        return "\(value)"
    }
}

/// An optional whose wrapped type is not known.
protocol AnyOptional {
    var anyWrapped: Any? { get }
}

extension Optional: AnyOptional {
    var anyWrapped: Any? { self.map { $0 } }
}

extension PropertyShape {
    /// The type as messages show it: `string`, `int?`, `array<object>`.
    var text: String {
        let base = type == .object && !typeName.isEmpty ? typeName : type.description
        let value = isOptional && type != .object ? base + "?" : base
        return collection == .list ? "array<\(value)>" : value
    }
}

extension PrimaryKeyValue {
    /// From a property's dynamic value; nil if no primary key can have it.
    init?(dynamic value: Any?) {
        guard let value = value.flatMap({ DynamicValue.unwrapped($0) }) else {
            self = .null
            return
        }
        switch value {
        case let value as String: self = .string(value)
        case let value as UUID: self = .uuid(value)
        case let value as ObjectId: self = .objectId(value)
        case is Bool: return nil
        default:
            guard let number = Int64._convert(value) else { return nil }
            self = .int(number)
        }
    }
}
