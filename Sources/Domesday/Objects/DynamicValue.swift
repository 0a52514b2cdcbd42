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

    /// The elements of an array, list or other sequence, a map's values; nil if it is none.
    static func elements(_ value: Any) -> [Any]? {
        if let array = value as? [Any] { return array }
        if let map = value as? any KeyedCollection { return map.anyEntries.map(\.value) }
        if value is String || value is Data || value is [String: Any] { return nil }
        guard let sequence = value as? any Sequence else { return nil }
        return sequence.map { $0 }
    }

    /// The entries of a dictionary or map, by their keys' bytes; nil if it is none.
    static func entries(_ value: Any) -> [(key: String, value: Any)]? {
        if let map = value as? any KeyedCollection { return map.anyEntries }
        guard let dictionary = value as? [String: Any] else { return nil }
        return dictionary.sorted { MapKeyText($0.key) < MapKeyText($1.key) }
            .map { ($0.key, $0.value) }
    }

    /// A key of a dictionary that is no text; nil if there is none, or it is no dictionary.
    static func foreignKey(_ value: Any) -> Any? {
        guard let dictionary = value as? [AnyHashable: Any] else { return nil }
        return dictionary.keys.first { !($0.base is String) }?.base
    }

    /// A value as messages show it.
    static func text(_ value: Any?) -> String {
        guard let value = value.flatMap({ unwrapped($0) }) else { return "(null)" }
        // Foundation traps on the description of a date that is no number, or infinite.
        if let date = value as? Date, !date.timeIntervalSinceReferenceDate.isFinite {
            return "\(date.timeIntervalSinceReferenceDate)"
        }
        return "\(value)"
    }
}

/// A map whose values' type is not known.
protocol KeyedCollection {
    /// By the bytes of the keys, ascending.
    var anyEntries: [(key: String, value: Any)] { get }
}

/// A map's key: other bytes are another key, also where they spell the same text.
struct MapKeyText: Hashable, Comparable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (a: MapKeyText, b: MapKeyText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    static func < (a: MapKeyText, b: MapKeyText) -> Bool {
        a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
    }

    func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }
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
        return switch collection {
        case .none: value
        case .list: "array<\(value)>"
        case .set: "set<\(value)>"
        case .map: "dictionary<string, \(value)>"
        }
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
