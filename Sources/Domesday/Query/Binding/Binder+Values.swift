import Foundation
import PredicateLanguage

/// A value whose bytes have a fixed number and are compared as such: UUID, ObjectId.
protocol FixedBytesValue {
    static var fixedType: ColumnType { get }
    var fixedBytes: [UInt8] { get }
}

extension UUID: FixedBytesValue {
    static var fixedType: ColumnType { .uuid }
    var fixedBytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }
}

extension ObjectIdLiteral: FixedBytesValue {
    static var fixedType: ColumnType { .objectId }
    var fixedBytes: [UInt8] { bytes }
}

extension Binder {
    /// A constant in the form its path's end is compared in.
    func value(
        _ constant: Any?,
        for path: BoundPath,
        at offset: Int
    ) throws(QueryError) -> QueryValue {
        if let constant, let type = path.end.valueType?.type,
            let value = Self.usual(constant, type)
        {
            return value
        }
        guard let constant = DynamicConstant.plain(constant) else { return .null }
        if let link = constant as? LinkLiteral { return try value(link, for: path, at: offset) }
        if path.end.valueType?.type == .mixed, let object = constant as? any QueryObject {
            return .mixed(try link(to: object, offset))
        }
        guard let type = path.end.valueType else { return try key(of: constant, path, offset) }
        if let value = Self.convert(constant, type) { return value }
        throw QueryError(
            "Cannot compare value '\(constant)' of type '\(Swift.type(of: constant))' to property "
                + "'\(path.text)' of type '\(type.description)'",
            at: offset
        )
    }

    /// A text for a text and an integer for an integer: told by a comparison, where casts ask the
    /// runtime for conformances. nil for all else.
    private static func usual(_ constant: Any, _ type: ColumnType) -> QueryValue? {
        let given = Swift.type(of: constant)
        if type == .string, given == String.self {
            return (constant as? String).map { .bytes(Array($0.utf8)) }
        }
        if type == .int, given == Int64.self { return (constant as? Int64).map { .int($0) } }
        return nil
    }

    private func key(
        of constant: Any,
        _ path: BoundPath,
        _ offset: Int
    ) throws(QueryError) -> QueryValue {
        guard let object = constant as? any QueryObject else {
            throw QueryError(
                "Cannot compare value '\(constant)' of type '\(type(of: constant))' to property "
                    + "'\(path.text)' of type '\(path.target.className)'",
                at: offset
            )
        }
        guard let reference = object.queryReference, reference.reader === table.reader.reader else {
            throw QueryError("Object must be from the Realm being queried", at: offset)
        }
        guard reference.table == path.target.tableID else {
            throw QueryError(
                "Cannot compare an object of type '\(type(of: constant))' to property "
                    + "'\(path.text)' of type '\(path.target.className)'",
                at: offset
            )
        }
        return .key(reference.key)
    }

    /// nil if such a value cannot be compared with the type.
    static func convert(_ constant: Any, _ type: ValueType) -> QueryValue? {
        switch type.type {
        case .int: return number(constant)
        case .bool:
            switch number(constant) {
            case .int(let value) where value == 0 || value == 1: return .int(value)
            default: return nil
            }
        case .float:
            switch number(constant) {
            case .int(let value): return .double(Double(Float(value)))
            case .double(let value): return .double(Double(Float(value)))
            default: return nil
            }
        case .double: return number(constant)
        case .date: return (constant as? Date).map { .double($0.timeIntervalSinceReferenceDate) }
        case .string: return (constant as? String).map { .bytes(Array($0.utf8)) }
        case .data: return (constant as? Data).map { .bytes(Array($0)) }
        case .uuid, .objectId:
            if let value = constant as? any FixedBytesValue,
                Swift.type(of: value).fixedType == type.type
            {
                return .bytes(value.fixedBytes)
            }
            return (constant as? String).flatMap { fixedBytes(of: $0, type.type) }
        case .link: return nil
        case .decimal: return decimal(constant)
        case .mixed: return mixed(constant).map { .mixed($0) }
        }
    }

    /// The bytes that a text writes in hexadecimal.
    private static func fixedBytes(of text: String, _ type: ColumnType) -> QueryValue? {
        if type == .uuid { return UUID(uuidString: text).map { .bytes($0.fixedBytes) } }
        return ObjectIdLiteral(text).map { .bytes($0.bytes) }
    }

    private static func number(_ constant: Any) -> QueryValue? {
        switch constant {
        case let value as Int64: .int(value)
        case let value as Bool: .int(value ? 1 : 0)
        case let value as Double: .double(value)
        case let value as NSNumber: .double(value.doubleValue)
        default: nil
        }
    }
}

/// What callers pass for `%@`, reduced to what columns hold.
enum DynamicConstant {
    /// The elements of an array or any other sequence; nil for what is none.
    static func elements(_ constant: Any?) -> [Any?]? {
        if let array = constant as? [Any?] { return array }
        if let list = constant as? TextList { return list.texts }
        if constant is String || constant is Data { return nil }
        guard let sequence = constant as? any Sequence else { return nil }
        return sequence.map { element -> Any? in
            guard case .value(let value) = PredicateLanguage.Expression(normalizing: element)
            else { return element }
            return value
        }
    }

    /// As `plain`, of a value that no predicate has normalized.
    static func normalized(_ value: Any?) -> Any? {
        guard case .value(let value) = PredicateLanguage.Expression(normalizing: plain(value))
        else { return nil }
        return value
    }

    /// Enums become their raw values; nil stays nil.
    static func plain(_ constant: Any?) -> Any? {
        guard let constant else { return nil }
        // The usual types first: the cast asks the runtime for a conformance.
        let type = type(of: constant)
        if type == Int64.self || type == String.self || type == Double.self { return constant }
        if let any = constant as? any DynamicallyTyped { return plain(any.plainValue) }
        guard let raw = constant as? any RawRepresentable else { return constant }
        if case .value(let value) = PredicateLanguage.Expression(normalizing: raw.rawValue) {
            return value
        }
        return raw.rawValue
    }
}
