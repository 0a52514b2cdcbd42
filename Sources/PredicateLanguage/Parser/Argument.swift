import Foundation

/// Brings arguments of many types to the few that a tree holds.
enum Argument {
    /// The form described at ``Expression/init(normalizing:)``.
    ///
    /// An array nested deeper than ``PredicateParser/maximumDepth`` stays as it is from there on.
    static func normalized(_ argument: Any?, depth: Int = 0) -> Any? {
        guard let argument else { return nil }
        // The usual types first: the casts below ask the runtime for conformances.
        let type = type(of: argument)
        if type == Int.self, let value = argument as? Int { return Int64(value) }
        if isNormal(type) { return argument }
        if type is AnyClass {
            return normalizedObject(argument, depth: depth)
        }
        return switch argument {
        case let optional as any OptionalValue: normalized(optional.wrappedValue, depth: depth)
        case let value as Bool: value
        case let value as any BinaryInteger: integer(value) ?? argument
        case let value as any BinaryFloatingPoint: double(value)
        case let value as any StringProtocol: String(value)
        case let value as any NestedElements: elements(value, depth: depth)
        default: argument
        }
    }

    /// The integer, if it fits.
    static func integer(_ value: any BinaryInteger) -> Int64? {
        Int64(exactly: value)
    }

    /// The number, rounded to the nearest.
    static func double(_ value: any BinaryFloatingPoint) -> Double {
        Double(value)
    }

    /// The usual types of values that stay as they are.
    private static func isNormal(_ type: Any.Type) -> Bool {
        type == String.self || type == Double.self || type == Int64.self || type == Bool.self
    }

    private static func elements(_ value: any NestedElements, depth: Int) -> Any {
        guard depth < PredicateParser.maximumDepth else { return value }
        if let array = value as? [Any?],
            array.allSatisfy({ $0.map { isNormal(type(of: $0)) } ?? true })
        {
            return array
        }
        return value.anyElements.map { normalized($0, depth: depth + 1) } as [Any?]
    }

    /// Foundation's own boxes; any other object is left alone.
    private static func normalizedObject(_ object: Any, depth: Int) -> Any? {
        switch object {
        case is NSNull: nil
        case let number as NSNumber: normalizedNumber(number)
        case let string as NSString: String(describing: string)
        case let array as NSArray: elements(array.map { $0 }, depth: depth)
        case let set as NSSet: elements(set.map { $0 }, depth: depth)
        default: object
        }
    }

    private static func normalizedNumber(_ number: NSNumber) -> Any {
        switch String(cString: number.objCType) {
        // On Linux only truth values report "c": small integers are stored as 32 bits.
        case "c": number.boolValue
        case "f", "d": number.doubleValue
        case "Q": Int64(exactly: number.uint64Value) ?? number
        default: number.int64Value
        }
    }
}

/// `Optional`, whatever it wraps.
private protocol OptionalValue {
    var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
    var wrappedValue: Any? { self }
}

/// A standard collection whose elements are arguments themselves.
private protocol NestedElements {
    var anyElements: [Any?] { get }
}

extension Array: NestedElements {
    var anyElements: [Any?] { self }
}

extension ArraySlice: NestedElements {
    var anyElements: [Any?] { Array(self) }
}

extension Set: NestedElements {
    var anyElements: [Any?] { Array(self) }
}
