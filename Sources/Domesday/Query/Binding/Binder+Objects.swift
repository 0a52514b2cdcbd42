import PredicateLanguage

// Objects named in a predicate's text: `boss == obj("Person", 5)`, `boss == O7`, `any == L1:7`.

extension Binder {
    /// A comparison with objects given by their primary keys, as one of the keys, so that it goes
    /// with the objects that come and go; nil if no such object stands on either side.
    func bindObjects(_ comparison: Comparison) throws(QueryError) -> BoundNode? {
        if case .value(let object as ObjectLiteral) = comparison.left {
            var turned = comparison
            (turned.left, turned.right) = (comparison.right, .value(object))
            switch comparison.op {
            case .equal, .notEqual: break
            case .in: (turned.op, turned.quantifier) = (.equal, comparison.quantifier ?? .any)
            default: throw misplacedObject(comparison)
            }
            return try bindObjects(turned)
        }
        guard case .value(let constant) = comparison.right else { return nil }
        if let object = constant as? ObjectLiteral {
            guard [.equal, .notEqual, .contains].contains(comparison.op) else {
                throw misplacedObject(comparison)
            }
            if let node = try bindMixed(comparison, [object]) { return node }
            let (path, keyed) = try keyed(comparison, [object])
            var single = keyed
            single.right = .value(object.key?.base)
            return try bind(single, path, isNil: object.key == nil)
        }
        guard comparison.op == .in, let elements = constant as? [Any?],
            elements.contains(where: { $0.map { type(of: $0) == ObjectLiteral.self } ?? false })
        else { return nil }
        let objects = elements.compactMap { $0 as? ObjectLiteral }
        guard objects.count == elements.count else {
            throw QueryError(
                "A list with 'obj(...)' in it holds nothing else",
                at: comparison.utf8Offset
            )
        }
        if let node = try bindMixed(comparison, objects) { return node }
        var (path, keyed) = try keyed(comparison, objects)
        keyed.right = .value(objects.map { $0.key?.base } as [Any?])
        return try bind(keyed, path, isNil: objects.contains { $0.key == nil })
    }

    /// - Parameter isNil: Whether a key is nil, which must not stand for no object.
    private func bind(
        _ keyed: Comparison,
        _ path: BoundPath,
        isNil: Bool
    ) throws(QueryError) -> BoundNode {
        let node = try bind(keyed)
        guard isNil, !path.isToMany, !path.hops.isEmpty else { return node }
        let exists = BoundNode.test(BoundTest(path: path, condition: .order(.notEqual, .null)))
        return keyed.op == .notEqual ? .or([.not(exists), node]) : .and([exists, node])
    }

    private func misplacedObject(_ comparison: Comparison) -> QueryError {
        QueryError(
            "Operator '\(comparison.op.symbol)' not supported for 'obj(...)'",
            at: comparison.utf8Offset
        )
    }

    /// A comparison with values of any type, of which a link may lead to any class; nil if the left
    /// side has none.
    private func bindMixed(
        _ comparison: Comparison,
        _ objects: [ObjectLiteral]
    ) throws(QueryError) -> BoundNode? {
        guard case .keyPath(let left) = comparison.left else { return nil }
        let path = try bind(left)
        guard path.end.valueType?.type == .mixed else { return nil }
        if comparison.op == .contains, !path.isToMany { throw misplacedObject(comparison) }
        let order = comparison.op == .notEqual ? BoundOrder.notEqual : .equal
        var conditions: [BoundCondition] = []
        for object in objects {
            let keyed = try keyedObject(object, at: comparison.utf8Offset)
            conditions.append(.expression(order, .object(keyed)))
        }
        return try quantified(path, comparison) { _ in
            conditions.count == 1 ? conditions[0] : .anyOf(conditions)
        }
    }

    private func keyedObject(
        _ object: ObjectLiteral,
        at offset: Int
    ) throws(QueryError) -> KeyedObject {
        guard let target = table.queryTable(named: object.className) else {
            throw QueryError("There is no class '\(object.className)' for 'obj(...)'", at: offset)
        }
        guard let name = target.primaryKeyName,
            case .value(let column, let type)? = target.queryProperty(named: name)
        else { throw withoutKey(target, at: offset) }
        let end = BoundPath(root: target, end: .value(column: column, type), text: name)
        let key = try value(object.key?.base, for: end, at: offset)
        return KeyedObject(table: target, column: column, type: type, key: key)
    }

    private func withoutKey(_ table: any QueryTable, at offset: Int) -> QueryError {
        QueryError(
            "'obj(...)' needs a class with a primary key, and '\(table.className)' has none",
            at: offset
        )
    }

    /// The path on the left, and the comparison with the primary key behind it on the left.
    private func keyed(
        _ comparison: Comparison,
        _ objects: [ObjectLiteral]
    ) throws(QueryError) -> (BoundPath, Comparison) {
        var path: PredicateLanguage.KeyPath
        switch comparison.left {
        case .keyPath(let left): path = left
        case .variable(let name): path = PredicateLanguage.KeyPath(variable: name, steps: [])
        default: throw misplacedObject(comparison)
        }
        let bound = try bind(path)
        for object in objects {
            guard case .object = bound.end, object.className == bound.target.className else {
                throw QueryError(
                    "Cannot compare an object of type '\(object.className)' to property "
                        + "'\(bound.text)' of type '\(bound.typeDescription)'",
                    at: comparison.utf8Offset
                )
            }
        }
        guard let name = bound.target.primaryKeyName else {
            throw withoutKey(bound.target, at: comparison.utf8Offset)
        }
        path.steps.append(.property(name))
        var keyed = comparison
        keyed.left = .keyPath(path)
        if keyed.op == .contains {
            (keyed.op, keyed.quantifier) = (.equal, comparison.quantifier ?? .any)
        }
        return (bound, keyed)
    }

    /// The link that a name stands for where no property has it: `O7`.
    func link(named path: PredicateLanguage.KeyPath) -> LinkLiteral? {
        guard path.variable == nil, path.steps.count == 1, case .property(let name) = path.steps[0],
            let link = LinkLiteral(name: name), table.queryProperty(named: name) == nil
        else { return nil }
        return link
    }

    /// A link as the end of a path is compared with it.
    func value(
        _ link: LinkLiteral,
        for path: BoundPath,
        at offset: Int
    ) throws(QueryError) -> QueryValue {
        if let table = link.table, path.end.valueType?.type == .mixed {
            return .mixed(.link(MixedLink(table: table, key: link.key)))
        }
        guard case .object = path.end,
            link.table.map({ $0 == path.target.tableID }) ?? true
        else {
            throw QueryError(
                "Cannot compare link '\(link)' to property '\(path.text)' of type "
                    + "'\(path.typeDescription)'",
                at: offset
            )
        }
        return .key(link.key)
    }
}
