// A bound condition holds the tables of one Realm. Frozen, thawed and handed to another thread it is
// the same condition over the tables of another Realm of the store, which have the same ids.

extension BoundNode {
    /// The same condition over other tables.
    func moved(_ table: (TableID) -> any QueryTable) -> BoundNode {
        switch self {
        case .constant: self
        case .and(let nodes): .and(nodes.map { $0.moved(table) })
        case .or(let nodes): .or(nodes.map { $0.moved(table) })
        case .not(let node): .not(node.moved(table))
        case .test(let test): .test(test.moved(table))
        case .calculation(let left, let order, let right):
            .calculation(left.moved(table), order, right.moved(table))
        }
    }
}

extension BoundExpression {
    fileprivate func moved(_ table: (TableID) -> any QueryTable) -> BoundExpression {
        switch self {
        case .constant: self
        case .path(let path): .path(path.moved(table))
        case .object(let object):
            .object(
                KeyedObject(
                    table: table(object.table.tableID),
                    column: object.column,
                    type: object.type,
                    key: object.key
                )
            )
        case .arithmetic(let operation, let left, let right):
            .arithmetic(operation, left.moved(table), right.moved(table))
        }
    }
}

extension BoundTest {
    fileprivate func moved(_ table: (TableID) -> any QueryTable) -> BoundTest {
        var test = self
        test.path = path.moved(table)
        test.condition = condition.moved(table)
        return test
    }
}

extension BoundCondition {
    fileprivate func moved(_ table: (TableID) -> any QueryTable) -> BoundCondition {
        switch self {
        case .order, .between, .isIn, .text, .words, .within, .isOfType, .isPart: self
        case .expression(let order, let expression): .expression(order, expression.moved(table))
        case .textPath(let operation, let options, let path):
            .textPath(operation, options, path.moved(table))
        case .anyOf(let parts): .anyOf(parts.map { $0.moved(table) })
        case .allOf(let parts): .allOf(parts.map { $0.moved(table) })
        }
    }
}

extension BoundPath {
    /// The same path over other tables.
    func moved(_ table: (TableID) -> any QueryTable) -> BoundPath {
        BoundPath(
            root: table(root.tableID),
            hops: hops.map { $0.moved(table) },
            end: end.moved(table),
            level: level,
            text: text
        )
    }
}

extension BoundHop {
    fileprivate func moved(_ table: (TableID) -> any QueryTable) -> BoundHop {
        switch self {
        case .link(let column, let target): .link(column: column, table(target.tableID))
        case .links(let column, let target): .links(column: column, table(target.tableID))
        case .backlinks(let origin, let column):
            .backlinks(origin: table(origin.tableID), column: column)
        case .entry(let column, let step, let target):
            .entry(column: column, step, table(target.tableID))
        }
    }
}

extension BoundEnd {
    fileprivate func moved(_ table: (TableID) -> any QueryTable) -> BoundEnd {
        switch self {
        case .object, .value, .place, .elements, .nested: self
        case .count(let collection): .count(collection.moved(table))
        case .incomingCount(let hops): .incomingCount(hops.map { $0.moved(table) })
        case .aggregate(let operation, let collection):
            .aggregate(operation, collection.moved(table))
        case .subqueryCount(let collection, let node):
            .subqueryCount(collection.moved(table), node.moved(table))
        }
    }
}

extension BoundCollection {
    fileprivate func moved(_ table: (TableID) -> any QueryTable) -> BoundCollection {
        var collection = self
        collection.hops = hops.map { $0.moved(table) }
        return collection
    }
}

extension ObjectQuery {
    /// The same query over the tables of another Realm of the store; nil if the object whose
    /// collection it starts from is not there.
    func moved(_ table: (TableID) -> any QueryTable) throws(StorageError) -> ObjectQuery? {
        var movedSource: (any KeySource)?
        if let source {
            movedSource = try source.moved(table)
            if movedSource == nil { return nil }
        }
        return ObjectQuery(
            table(self.table.tableID),
            source: movedSource,
            condition: condition?.moved(table),
            steps: steps.map { $0.moved(table) }
        )
    }
}

extension QueryStep {
    fileprivate func moved(_ table: (TableID) -> any QueryTable) -> QueryStep {
        switch self {
        case .sort(let keys): .sort(keys.map { $0.moved(table) })
        case .distinct(let paths): .distinct(paths.map { $0.moved(table) })
        case .limit, .offset: self
        }
    }
}
