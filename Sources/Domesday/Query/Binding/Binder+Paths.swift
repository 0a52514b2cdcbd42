import PredicateLanguage

extension Binder {
    func bind(_ path: PredicateLanguage.KeyPath) throws(QueryError) -> BoundPath {
        if path.variable != variable {
            throw QueryError(
                path.variable.map { "Unknown variable '$\($0)'" }
                    ?? "Inside SUBQUERY every key path must begin with the variable '$\(variable ?? "")'",
                at: path.utf8Offset
            )
        }
        var walk = PathWalk(root: table, path: path)
        for step in path.steps { try walk.take(step) }
        return try walk.finish()
    }

    func bind(
        subquery collection: PredicateLanguage.KeyPath,
        _ name: String,
        _ predicate: PredicateNode,
        _ trailing: [PathStep]
    ) throws(QueryError) -> BoundPath {
        var path = try bind(collection)
        guard trailing == [.operation("@count")] || trailing == [.elementCount] else {
            throw QueryError(
                "SUBQUERY is only supported when immediately followed by .@count that is compared "
                    + "with a constant number.",
                at: collection.utf8Offset
            )
        }
        guard case .object = path.end, let hop = path.hops.last, hop.isToMany else {
            throw QueryError(
                "SUBQUERY needs a key path to a collection of objects, and '\(path.text)' is none",
                at: collection.utf8Offset
            )
        }
        path.hops.removeLast()
        let inner = try Binder(table: hop.target, variable: name).bind(predicate)
        path.end = .subqueryCount(hop, inner)
        path.text = "SUBQUERY(\(path.text), ...).@count"
        return path
    }
}

/// Follows the steps of one key path.
private struct PathWalk {
    let path: PredicateLanguage.KeyPath
    private var bound: BoundPath
    private var names: [String] = []
    /// An aggregate that waits for the property it is taken of.
    private var pending: Aggregate?
    private var isAtEnd = false

    init(root: any QueryTable, path: PredicateLanguage.KeyPath) {
        self.path = path
        bound = BoundPath(root: root)
    }

    private var text: String { names.joined(separator: ".") }

    private func failure(_ message: String) -> QueryError {
        QueryError("Invalid keypath '\(full)': \(message)", at: path.utf8Offset)
    }

    private var full: String {
        path.steps.map {
            switch $0 {
            case .property(let name), .operation(let name): name
            case .index: "[...]"
            case .anyElement: "[*]"
            case .firstElement: "[FIRST]"
            case .lastElement: "[LAST]"
            case .elementCount: "[SIZE]"
            }
        }.joined(separator: ".")
    }

    mutating func take(_ step: PathStep) throws(QueryError) {
        switch step {
        case .property(let name): try takeProperty(name)
        case .operation("@count"), .operation("@size"), .elementCount: try takeCount()
        case .operation("@sum"): try takeAggregate(.sum)
        case .operation("@min"): try takeAggregate(.min)
        case .operation("@max"): try takeAggregate(.max)
        case .operation("@avg"): try takeAggregate(.average)
        case .operation(let name): throw failure("The operation '\(name)' is not supported.")
        case .index, .anyElement, .firstElement, .lastElement:
            throw failure("Subscripts are not supported on '\(text)'.")
        }
    }

    private mutating func takeProperty(_ name: String) throws(QueryError) {
        let target = bound.target
        if isAtEnd {
            throw failure(
                "Property '\(names.last ?? "")' is not a link or collection and can only appear at "
                    + "the end of a keypath."
            )
        }
        guard let property = target.queryProperty(named: name) else {
            throw failure(
                "Property '\(name)' not found in object of type '\(target.className)'."
                    + Suggestion.text(for: name, among: target.propertyNames)
            )
        }
        names.append(name)
        if let operation = pending { return try finish(operation, property) }
        switch property {
        case .value(let column, let type): end(.value(column: column, type))
        case .values(let column, let type): end(.elements(column: column, type))
        case .link(let column, let target): bound.hops.append(.link(column: column, target))
        case .links(let column, let target): bound.hops.append(.links(column: column, target))
        case .backlinks(let origin, let column):
            bound.hops.append(.backlinks(origin: origin, column: column))
        }
    }

    private mutating func end(_ end: BoundEnd) {
        bound.end = end
        isAtEnd = true
    }

    private mutating func takeCount() throws(QueryError) {
        names.append("@count")
        if case .elements(let column, _) = bound.end {
            return end(.elementCount(column: column))
        }
        guard !isAtEnd, pending == nil, let hop = bound.hops.last, hop.isToMany else {
            throw failure("@count can only be used on collections and must appear at the end.")
        }
        bound.hops.removeLast()
        end(.count(hop))
    }

    private mutating func takeAggregate(_ operation: Aggregate) throws(QueryError) {
        names.append(operation.rawValue)
        if case .elements(let column, let type) = bound.end {
            try check(operation, type)
            return end(.aggregate(operation, column: column, type))
        }
        guard !isAtEnd, pending == nil, bound.hops.last?.isToMany == true else {
            throw failure(
                isAtEnd
                    ? "at most one collection operation per keypath is supported."
                    : "\(operation.rawValue) can only be used on collections."
            )
        }
        pending = operation
    }

    private mutating func finish(
        _ operation: Aggregate,
        _ property: QueryProperty
    ) throws(QueryError) {
        guard case .value(let column, let type) = property else {
            throw failure("\(operation.rawValue) needs a property that holds numbers.")
        }
        try check(operation, type)
        let hop = bound.hops.removeLast()
        pending = nil
        end(.aggregateOf(operation, hop, column: column, type))
    }

    private func check(_ operation: Aggregate, _ type: ValueType) throws(QueryError) {
        switch type.type {
        case .int, .float, .double: return
        case .date where operation == .min || operation == .max: return
        default:
            throw failure("\(operation.rawValue) is not supported on \(type.description) values.")
        }
    }

    mutating func finish() throws(QueryError) -> BoundPath {
        if let pending {
            throw failure("\(pending.rawValue) must be followed by a property.")
        }
        bound.text = names.isEmpty ? "SELF" : text
        return bound
    }
}
