import PredicateLanguage

extension QueryNode {
    /// The condition in the predicate language.
    ///
    /// - Complexity: O(*n*), *n* = nodes and elements of value lists.
    var predicate: PredicateLanguage.Predicate {
        PredicateLanguage.Predicate(root: numberingSubqueries().condition)
    }

    /// The node where a condition stands: a bare path is compared with true.
    private var condition: PredicateNode {
        switch self {
        case .path(let path): path.comparison(with: true)
        case .not(.path(let path)): path.comparison(with: false)
        case .not(let node): .not(node.condition)
        case .and(let nodes): .and(nodes.map(\.condition))
        case .or(let nodes): .or(nodes.map(\.condition))
        case .comparison(let left, let op, let right, let options):
            .comparison(
                Comparison(
                    left: left.operand,
                    op: op,
                    right: right.operand,
                    options: options,
                    quantifier: left.quantifier
                )
            )
        case .between(let node, let lower, let upper):
            .comparison(
                Comparison(
                    left: node.operand,
                    op: .between,
                    right: PredicateLanguage.Expression(list: [lower.operand, upper.operand]),
                    quantifier: node.quantifier
                )
            )
        case .constant, .subqueryCount, .numberedSubqueryCount:
            fatalError("A query must be a condition, not a value.")
        }
    }

    /// The node where one side of a comparison stands.
    private var operand: PredicateLanguage.Expression {
        switch self {
        case .constant(let value): PredicateLanguage.Expression(normalizing: value)
        case .path(let path): path.expression
        case .numberedSubqueryCount(let collection, let variable, let condition):
            .subquery(
                collection: collection.keyPath,
                variable: variable,
                predicate: condition.condition,
                trailing: [.operation("@count")]
            )
        case .comparison, .between, .and, .or, .not, .subqueryCount:
            fatalError("Conditions cannot be compared.")
        }
    }

    private var quantifier: Quantifier? {
        guard case .path(let path) = self, path.requiresAny else { return nil }
        return .any
    }
}

extension QueryPath {
    fileprivate var expression: PredicateLanguage.Expression {
        guard let variable, steps.isEmpty else { return .keyPath(keyPath) }
        return .variable(variable)
    }

    fileprivate func comparison(with value: Bool) -> PredicateNode {
        .comparison(
            Comparison(
                left: expression,
                op: .equal,
                right: .value(value),
                quantifier: requiresAny ? .any : nil
            )
        )
    }
}
