import PredicateLanguage

/// What a `Query` has been asked so far.
///
/// Apart from the language's tree because a query is also one side of a comparison, knows which of
/// its steps are collections, and tells a bare `flag` from `flag == true`.
indirect enum QueryNode {
    /// A value of a property's type; an enum is its raw value already.
    case constant(Any?)
    case path(QueryPath)
    case comparison(
        QueryNode,
        ComparisonOperator,
        QueryNode,
        PredicateLanguage.StringOptions = []
    )
    case between(QueryNode, lower: QueryNode, upper: QueryNode)
    /// At least two; `a && b && c` is one node.
    case and([QueryNode])
    /// At least two; `a || b || c` is one node.
    case or([QueryNode])
    case not(QueryNode)
    /// How many elements of the one collection in `condition` satisfy it.
    case subqueryCount(QueryNode)
    /// The same, after `numberingSubqueries()`.
    case numberedSubqueryCount(collection: QueryPath, variable: String, condition: QueryNode)

    /// A value as compared with stored ones: enums become raw values.
    static func value(_ value: Any?) -> QueryNode { .constant(stored(value)) }

    /// The elements of a sequence, likewise.
    static func values(_ values: some Sequence) -> QueryNode {
        .constant(elements(values))
    }

    /// Each as `stored`; arrays of the usual types at once.
    private static func elements<Values: Sequence>(_ values: Values) -> any Sequence {
        // Only of exactly these types: a cast to another one would look at each element.
        if Values.self == [String].self || Values.self == [String?].self,
            let texts = values as? [String?]
        {
            return texts.count > TextList.few ? TextList(texts: texts) : texts.map { $0 } as [Any?]
        }
        if Values.self == [Int].self || Values.self == [Int?].self,
            let numbers = values as? [Int?]
        {
            return numbers.map { $0 } as [Any?]
        }
        return values.map { stored($0) } as [Any?]
    }

    private static func stored(_ value: Any?) -> Any? {
        // The usual types are told by a comparison: casts ask the runtime for conformances.
        if let value {
            let type = type(of: value)
            if isPlain(type) { return value }
            if type == String?.self, let text = value as? String? { return text }
            if type == Int?.self, let number = value as? Int? { return number }
        }
        guard let value = value.flatMap({ DynamicValue.unwrapped($0) }) else { return nil }
        if let custom = value as? any _CustomPersistable { return stored(persisted(custom)) }
        guard let value = value as? any PersistableEnum else { return value }
        return rawValue(value)
    }

    /// What a caller passed for a placeholder, with stored values in place of the user's types.
    static func argument(_ value: Any?) -> Any? {
        if let elements = value as? any CustomElements { return elements.persisted }
        guard let value, let custom = value as? any _CustomPersistable else { return value }
        return stored(custom)
    }

    private static func persisted<Value: _CustomPersistable>(_ value: Value) -> Any {
        value.persistableValue
    }

    /// Whether values of a type are stored as they are.
    private static func isPlain(_ type: Any.Type) -> Bool {
        type == Int.self || type == String.self || type == Double.self || type == Bool.self
    }

    private static func rawValue<Case: PersistableEnum>(_ value: Case) -> Any { value.rawValue }

    /// The path of a query that has not been compared yet.
    var path: QueryPath {
        guard case .path(let path) = self else {
            fatalError("Cannot apply a keypath to \(QueryText(of: self).text)")
        }
        return path
    }

    /// A comparison; one with a collection on the right is turned round.
    ///
    /// - Precondition: not both sides are collections: "Comparing two collection columns is not
    ///   permitted."; the operator can be turned round if the right one is.
    static func comparing(
        _ left: QueryNode,
        _ op: ComparisonOperator,
        _ right: QueryNode,
        _ options: StringOptions? = nil
    ) -> QueryNode {
        let modifiers = options?.modifiers ?? []
        guard case .path(let rightPath) = right, rightPath.requiresAny else {
            return .comparison(left, op, right, modifiers)
        }
        if case .path(let leftPath) = left, leftPath.requiresAny {
            fatalError("Comparing two collection columns is not permitted.")
        }
        guard let mirrored = op.mirrored else {
            fatalError("Operator '\(op)' cannot have a collection column on its right.")
        }
        return .comparison(right, mirrored, left, modifiers)
    }
}

/// An array of values of a user's type.
private protocol CustomElements {
    var persisted: [Any?] { get }
}

extension Array: CustomElements where Element: _CustomPersistable {
    var persisted: [Any?] { map { QueryNode.argument($0) } }
}
