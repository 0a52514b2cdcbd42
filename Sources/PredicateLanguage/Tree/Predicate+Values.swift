extension Predicate {
    /// The same predicate with other values.
    ///
    /// - Parameter change: Called with each literal, argument and list of those.
    /// - Complexity: O(*n*), *n* = nodes and expressions.
    package func mappingValues(_ change: (Any?) -> Any?) -> Predicate {
        Predicate(root: root.mappingValues(change), ordering: ordering)
    }
}

extension PredicateNode {
    fileprivate func mappingValues(_ change: (Any?) -> Any?) -> PredicateNode {
        switch self {
        case .constant:
            return self
        case .comparison(var comparison):
            comparison.left = comparison.left.mappingValues(change)
            comparison.right = comparison.right.mappingValues(change)
            return .comparison(comparison)
        case .and(let nodes):
            return .and(nodes.map { $0.mappingValues(change) })
        case .or(let nodes):
            return .or(nodes.map { $0.mappingValues(change) })
        case .not(let node):
            return .not(node.mappingValues(change))
        }
    }
}

extension Expression {
    fileprivate func mappingValues(_ change: (Any?) -> Any?) -> Expression {
        switch self {
        case .value(let value):
            return .value(change(value))
        case .variable, .keyPath:
            return self
        case .arithmetic(let operation, let left, let right):
            return .arithmetic(operation, left.mappingValues(change), right.mappingValues(change))
        case .list(let elements):
            return .list(elements.map { $0.mappingValues(change) })
        case .subquery(let collection, let variable, let predicate, let trailing):
            return .subquery(
                collection: collection,
                variable: variable,
                predicate: predicate.mappingValues(change),
                trailing: trailing
            )
        }
    }
}
