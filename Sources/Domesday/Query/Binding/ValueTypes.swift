import PredicateLanguage

/// Some of the types that a value of any type can have: what `@type` is compared with.
///
/// **Threads.** A value.
struct ValueTypes: OptionSet, Hashable {
    let rawValue: UInt16

    init(rawValue: UInt16) { self.rawValue = rawValue }

    static let null = ValueTypes(rawValue: 1 << 0)
    static let bool = ValueTypes(rawValue: 1 << 1)
    static let int = ValueTypes(rawValue: 1 << 2)
    static let float = ValueTypes(rawValue: 1 << 3)
    static let double = ValueTypes(rawValue: 1 << 4)
    static let decimal = ValueTypes(rawValue: 1 << 5)
    static let string = ValueTypes(rawValue: 1 << 6)
    static let data = ValueTypes(rawValue: 1 << 7)
    static let date = ValueTypes(rawValue: 1 << 8)
    static let objectId = ValueTypes(rawValue: 1 << 9)
    static let uuid = ValueTypes(rawValue: 1 << 10)
    static let object = ValueTypes(rawValue: 1 << 11)
    static let list = ValueTypes(rawValue: 1 << 12)
    static let dictionary = ValueTypes(rawValue: 1 << 13)

    static let number: ValueTypes = [.int, .float, .double, .decimal]
    static let all = ValueTypes(rawValue: 1 << 14 - 1)

    /// By their names in lower case, the usual name of each first.
    private static let names: KeyValuePairs<String, ValueTypes> = [
        "null": .null, "nil": .null,
        "bool": .bool, "boolean": .bool,
        "int": .int, "integer": .int, "int16": .int, "int32": .int, "int64": .int, "short": .int,
        "long": .int,
        "float": .float, "double": .double,
        "decimal128": .decimal, "decimal": .decimal,
        "string": .string,
        "binary": .data, "data": .data,
        "date": .date, "timestamp": .date,
        "objectid": .objectId, "uuid": .uuid, "guid": .uuid,
        "object": .object, "link": .object, "objectlink": .object,
        "list": .list, "array": .list,
        "dictionary": .dictionary, "map": .dictionary,
        "collection": [.list, .dictionary],
        "number": .number, "numeric": .number,
    ]

    /// What a name stands for, in any case; nil for an unknown name.
    init?(name: String) {
        let name = name.lowercased()
        guard let found = Self.names.first(where: { $0.key == name }) else { return nil }
        self = found.value
    }

    /// All names, for messages.
    static var knownNames: String { names.map { "'\($0.key)'" }.joined(separator: ", ") }

    /// The type of a value of any type.
    init(of value: QueryValue) {
        guard case .mixed(let value) = value else {
            self = .null
            return
        }
        self =
            switch value {
            case .none: .null
            case .bool: .bool
            case .int: .int
            case .float: .float
            case .double: .double
            case .decimal: .decimal
            case .string: .string
            case .data: .data
            case .date: .date
            case .objectId: .objectId
            case .uuid: .uuid
            case .link: .object
            case .list: .list
            case .dictionary: .dictionary
            }
    }
}

/// What is wrong with the right side of `path.@type == 'int'`.
struct ValueTypesError: Error {
    let message: String
}

extension Comparison {
    /// The path in front of a `.@type` that a side ends with.
    private static func typedPath(
        _ side: PredicateLanguage.Expression
    ) -> PredicateLanguage.KeyPath? {
        guard case .keyPath(var path) = side, path.steps.last == .operation("@type") else {
            return nil
        }
        path.steps.removeLast()
        return path
    }

    /// The path and the types that its values must have; nil unless one side ends in `.@type`.
    func typeCondition() throws(ValueTypesError) -> (PredicateLanguage.KeyPath, ValueTypes)? {
        let right: PredicateLanguage.Expression
        let path: PredicateLanguage.KeyPath
        switch (Self.typedPath(self.left), Self.typedPath(self.right)) {
        case (nil, nil): return nil
        case (let left?, nil): (path, right) = (left, self.right)
        case (nil, let other?) where op == .equal || op == .notEqual:
            (path, right) = (other, self.left)
        default:
            throw ValueTypesError(
                message: "'@type' is compared with the name of a type, which stands on the right"
            )
        }
        guard options.isEmpty, case .value(let value) = right else {
            throw ValueTypesError(message: "'@type' is compared with the name of a type")
        }
        switch op {
        case .equal: return (path, try Self.types(value))
        case .notEqual: return (path, ValueTypes.all.subtracting(try Self.types(value)))
        case .in:
            guard let names = value as? [Any?] else {
                throw ValueTypesError(message: "'@type' IN needs a list of names of types")
            }
            var types: ValueTypes = []
            for name in names { types.formUnion(try Self.types(name)) }
            return (path, types)
        default:
            throw ValueTypesError(
                message: "Operator '\(op.symbol)' not supported for '@type'; write '==', '!=' or "
                    + "'IN'"
            )
        }
    }

    private static func types(_ value: Any?) throws(ValueTypesError) -> ValueTypes {
        guard let value else { return .null }
        if let types = (value as? String).flatMap({ ValueTypes(name: $0) }) { return types }
        throw ValueTypesError(
            message: "Unable to parse the type attribute string '\(value)', supported case "
                + "insensitive values are: \(ValueTypes.knownNames)"
        )
    }
}
