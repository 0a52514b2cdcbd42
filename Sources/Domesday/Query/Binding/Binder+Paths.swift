import PredicateLanguage

extension Binder {
    func bind(_ path: PredicateLanguage.KeyPath) throws(QueryError) -> BoundPath {
        guard let scope = scope(of: path.variable) else {
            throw QueryError(
                "Unknown variable '$\(path.variable ?? "")'",
                at: path.utf8Offset
            )
        }
        var walk = PathWalk(root: scope.table, path: path)
        for step in path.steps { try walk.take(step) }
        var bound = try walk.finish()
        bound.level = scope.level
        return bound
    }

    func bind(
        subquery collection: PredicateLanguage.KeyPath,
        _ name: String,
        _ predicate: PredicateNode,
        _ trailing: [PathStep]
    ) throws(QueryError) -> BoundPath {
        let offset = collection.utf8Offset
        var path = try bind(collection)
        guard trailing == [.operation("@count")] || trailing == [.elementCount] else {
            throw QueryError(
                "SUBQUERY is only supported when immediately followed by .@count that is compared "
                    + "with a constant number.",
                at: offset
            )
        }
        guard case .object = path.end, let collection = path.takeCollection() else {
            throw QueryError(
                "SUBQUERY needs a key path to a collection of objects, and '\(path.text)' is none",
                at: offset
            )
        }
        let target = collection.hops.last?.target ?? path.root
        let inner = try Binder(table: target, variable: name, inside: self).bind(predicate)
        path.end = .subqueryCount(collection, inner)
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
    /// After `@links`: the name of a class is awaited, or was read.
    private var links = Links.none

    private enum Links {
        case none
        case awaitsClass
        case awaitsProperty(of: String)
    }

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
            case .index(.value(let index as Int64)): "[\(index)]"
            case .index: "[...]"
            case .anyElement: "[*]"
            case .firstElement: "[FIRST]"
            case .lastElement: "[LAST]"
            case .elementCount: "[SIZE]"
            }
        }.joined(separator: ".")
    }

    mutating func take(_ step: PathStep) throws(QueryError) {
        switch links {
        case .none: break
        case .awaitsClass: return try takeLinks(step)
        case .awaitsProperty(let name): return try takeLinks(step, of: name)
        }
        switch step {
        case .property(let name): try takeProperty(name)
        case .operation("@count"), .operation("@size"), .elementCount: try takeCount()
        case .operation("@sum"): try takeAggregate(.sum)
        case .operation("@min"): try takeAggregate(.min)
        case .operation("@max"): try takeAggregate(.max)
        case .operation("@avg"): try takeAggregate(.average)
        case .operation("@links"):
            guard !isAtEnd, pending == nil else { throw misplaced("@links") }
            names.append("@links")
            links = .awaitsClass
        case .operation("@allKeys"): try takeSubscript(.keys, "@allKeys")
        case .operation("@allValues"): try takeSubscript(.any, "@allValues")
        case .operation(let name): throw failure("The operation '\(name)' is not supported.")
        case .index(let expression): try takeSubscript(try index(expression), "[...]")
        case .anyElement: try takeSubscript(.any, "[*]")
        case .firstElement: try takeSubscript(.first, "[FIRST]")
        case .lastElement: try takeSubscript(.last, "[LAST]")
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

    // MARK: Subscripts

    private func index(_ expression: PredicateLanguage.Expression) throws(QueryError) -> BoundStep {
        switch expression {
        case .value(let value as String): return .key(Array(value.utf8))
        case .value(let value as Int64) where value >= 0: return .index(Int(value))
        default: throw failure("A subscript must be a text or a number that is not negative.")
        }
    }

    /// - Parameter name: As it is written in messages.
    private mutating func takeSubscript(_ step: BoundStep, _ name: String) throws(QueryError) {
        let subject = text
        names.append(name)
        guard pending == nil else { throw misplaced(name) }
        let mixed = ValueType(type: .mixed, isOptional: true)
        switch bound.end {
        case .value(let column, let type) where type.type == .mixed:
            end(.nested(column: column, mixed, [step]))
        case .nested(let column, let type, let steps)
        where type.type == .mixed && steps.last != .keys:
            end(.nested(column: column, mixed, steps + [step]))
        case .elements(let column, let type):
            try check(step, name, column, of: subject)
            if step == .keys {
                end(.nested(column: column, ValueType(type: .string, isOptional: false), [step]))
            } else {
                let found = ValueType(type: type.type, isOptional: true)
                end(.nested(column: column, found, [step]))
            }
        case .object:
            guard case .links(let column, let target)? = bound.hops.last else { fallthrough }
            let source = bound.hops.dropLast().last?.target ?? bound.root
            try check(step, name, column, of: subject, in: source)
            if step == .any { break }
            bound.hops.removeLast()
            if step == .keys {
                end(.nested(column: column, ValueType(type: .string, isOptional: false), [step]))
            } else {
                bound.hops.append(.entry(column: column, step, target))
            }
        default: throw failure("Subscripts are not supported on '\(subject)'.")
        }
    }

    /// Maps have keys, lists positions, and sets neither.
    private func check(
        _ step: BoundStep,
        _ name: String,
        _ column: Int,
        of subject: String,
        in table: (any QueryTable)? = nil
    ) throws(QueryError) {
        let shape = (table ?? bound.target).reader.definition.columns[column].shape
        let fits =
            switch step {
            case .any: name == "[*]" || shape == .map
            case .key, .keys: shape == .map
            case .index, .first, .last: shape == .list
            case .count: false
            }
        if !fits { throw failure("'\(name)' is not supported on '\(subject)'.") }
    }

    /// What follows `@links`: a class, or `@count`.
    private mutating func takeLinks(_ step: PathStep) throws(QueryError) {
        switch step {
        case .property(let name):
            names.append(name)
            links = .awaitsProperty(of: name)
        case .operation("@count"), .operation("@size"), .elementCount:
            guard !bound.isToMany else {
                throw failure("@links.@count is not supported behind a collection.")
            }
            names.append("@count")
            links = .none
            end(.incomingCount(bound.target.allBacklinks))
        default: throw failure("@links must be followed by a class and a property, or @count.")
        }
    }

    /// The property that follows `@links` and a class.
    private mutating func takeLinks(_ step: PathStep, of className: String) throws(QueryError) {
        guard case .property(let name) = step else {
            throw failure("@links.\(className) must be followed by a property.")
        }
        names.append(name)
        links = .none
        let target = bound.target
        guard let hop = target.backlinks(from: className, property: name) else {
            throw failure(
                "Property '\(className).\(name)' is no link to objects of type "
                    + "'\(target.className)'."
            )
        }
        bound.hops.append(hop)
    }

    private mutating func end(_ end: BoundEnd) {
        bound.end = end
        isAtEnd = true
    }

    private mutating func takeCount() throws(QueryError) {
        names.append("@count")
        // Of a collection inside a value of any type.
        let mixed = ValueType(type: .mixed, isOptional: true)
        switch bound.end {
        case .value(let column, let type) where type.type == .mixed && pending == nil:
            return end(.nested(column: column, mixed, [.count]))
        case .nested(let column, let type, let steps)
        where type.type == .mixed && !steps.contains(where: \.isToMany):
            return end(.nested(column: column, mixed, steps + [.count]))
        default: break
        }
        let member: BoundCollection.Member
        switch bound.end {
        case .object where pending == nil: member = .object
        case .elements(let column, let type): member = .elements(column: column, type)
        default: throw misplaced("@count")
        }
        guard let collection = bound.takeCollection(member) else { throw misplaced("@count") }
        end(.count(collection))
    }

    private func misplaced(_ operation: String) -> QueryError {
        if pending != nil {
            return failure("at most one collection operation per keypath is supported.")
        }
        return failure("\(operation) can only be used on collections and must appear at the end.")
    }

    private mutating func takeAggregate(_ operation: Aggregate) throws(QueryError) {
        names.append(operation.rawValue)
        switch bound.end {
        case .elements(let column, let type):
            try check(operation, type)
            guard let collection = bound.takeCollection(.elements(column: column, type)) else {
                throw misplaced(operation.rawValue)
            }
            end(.aggregate(operation, collection))
        case .object where pending == nil && bound.hops.contains(where: \.isToMany):
            pending = operation
        default: throw misplaced(operation.rawValue)
        }
    }

    private mutating func finish(
        _ operation: Aggregate,
        _ property: QueryProperty
    ) throws(QueryError) {
        guard case .value(let column, let type) = property else {
            throw failure("\(operation.rawValue) needs a property that holds numbers.")
        }
        try check(operation, type)
        pending = nil
        guard let collection = bound.takeCollection(.value(column: column, type)) else {
            throw misplaced(operation.rawValue)
        }
        end(.aggregate(operation, collection))
    }

    private func check(_ operation: Aggregate, _ type: ValueType) throws(QueryError) {
        switch type.type {
        case .int, .float, .double, .decimal, .mixed: return
        case .date where operation == .min || operation == .max: return
        default:
            throw failure("\(operation.rawValue) is not supported on \(type.description) values.")
        }
    }

    mutating func finish() throws(QueryError) -> BoundPath {
        if let pending {
            throw failure("\(pending.rawValue) must be followed by a property.")
        }
        guard case .none = links else {
            throw failure("@links must be followed by a class and a property, or @count.")
        }
        bound.text = names.isEmpty ? "SELF" : text
        return bound
    }
}

extension BoundPath {
    /// Takes off the hops from the first one on that leads to many; nil if none does and `member`
    /// is no list either.
    fileprivate mutating func takeCollection(
        _ member: BoundCollection.Member = .object
    ) -> BoundCollection? {
        let start = hops.firstIndex(where: \.isToMany) ?? hops.count
        if start == hops.count {
            guard case .elements = member else { return nil }
        }
        let collection = BoundCollection(hops: Array(hops[start...]), member: member)
        hops.removeSubrange(start...)
        return collection
    }
}
