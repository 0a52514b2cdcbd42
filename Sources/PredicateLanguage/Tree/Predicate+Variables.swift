extension Predicate {
    /// Gives values to variables, as `withSubstitutionVariables` does for `NSPredicate`.
    ///
    /// A variable without a value stays, and so does one that a subquery introduces and one that
    /// begins a path: a value has no path.
    ///
    /// - Parameter values: By name without `$`; normalized like arguments.
    /// - Returns: The same predicate with values where variables were.
    /// - Complexity: O(*n*), *n* = nodes and expressions.
    package func substituting(_ values: [String: Any?]) -> Predicate {
        Predicate(root: root.substituting(values), ordering: ordering)
    }
}

extension PredicateNode {
    fileprivate func substituting(_ values: [String: Any?]) -> PredicateNode {
        switch self {
        case .constant:
            return self
        case .comparison(var comparison):
            comparison.left = comparison.left.substituting(values)
            comparison.right = comparison.right.substituting(values)
            return .comparison(comparison)
        case .and(let nodes):
            return .and(nodes.map { $0.substituting(values) })
        case .or(let nodes):
            return .or(nodes.map { $0.substituting(values) })
        case .not(let node):
            return .not(node.substituting(values))
        }
    }
}

extension Expression {
    fileprivate func substituting(_ values: [String: Any?]) -> Expression {
        switch self {
        case .value:
            return self
        case .variable(let name):
            guard let value = values[name] else { return self }
            return Expression(normalizing: value)
        case .arithmetic(let operation, let left, let right):
            return .arithmetic(operation, left.substituting(values), right.substituting(values))
        case .list(let elements):
            return Expression(list: elements.map { $0.substituting(values) })
        case .keyPath(let path):
            return .keyPath(path.substituting(values))
        case .subquery(let collection, let variable, let predicate, let trailing):
            var outer = values
            outer.removeValue(forKey: variable)
            return .subquery(
                collection: collection.substituting(values),
                variable: variable,
                predicate: predicate.substituting(outer),
                trailing: trailing.map { $0.substituting(values) }
            )
        }
    }
}

extension KeyPath {
    fileprivate func substituting(_ values: [String: Any?]) -> KeyPath {
        var path = self
        path.steps = steps.map { $0.substituting(values) }
        return path
    }
}

extension PathStep {
    fileprivate func substituting(_ values: [String: Any?]) -> PathStep {
        guard case .index(let index) = self else { return self }
        return .index(index.substituting(values))
    }
}
