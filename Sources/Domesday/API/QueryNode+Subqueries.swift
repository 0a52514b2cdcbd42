import PredicateLanguage

extension QueryNode {
    /// Gives every subquery its collection and a variable: `$col1`, `$col2`, outer ones first.
    ///
    /// - Precondition: each subquery is about one collection: "Subqueries must contain a keypath
    ///   starting with a collection."
    func numberingSubqueries() -> QueryNode {
        if !hasSubquery { return self }
        var count = 0
        return numbered(&count)
    }

    private var hasSubquery: Bool {
        switch self {
        case .constant, .path: false
        case .subqueryCount, .numberedSubqueryCount: true
        case .comparison(let left, _, let right, _): left.hasSubquery || right.hasSubquery
        case .between(let node, let lower, let upper):
            node.hasSubquery || lower.hasSubquery || upper.hasSubquery
        case .and(let nodes), .or(let nodes): nodes.contains { $0.hasSubquery }
        case .not(let node): node.hasSubquery
        }
    }

    private func numbered(_ count: inout Int) -> QueryNode {
        guard case .subqueryCount(let condition) = self else {
            return mapChildren { $0.numbered(&count) }
        }
        count += 1
        let variable = "col\(count)"
        var collection: QueryPath?
        let rewritten = condition.elementwise(variable, &collection)
        guard let collection else {
            fatalError("Subqueries must contain a keypath starting with a collection.")
        }
        return .numberedSubqueryCount(
            collection: collection,
            variable: variable,
            condition: rewritten.numbered(&count)
        )
    }

    /// The condition about one element of its collection, which is noted in `collection`.
    private func elementwise(_ variable: String, _ collection: inout QueryPath?) -> QueryNode {
        switch self {
        case .path(let path):
            return .path(path.relative(to: variable, of: &collection) ?? path)
        case .subqueryCount(let inner):
            // Its own collection, unless that is a collection of the outer one's elements.
            return .subqueryCount(collection.map { inner.within($0, variable) } ?? inner)
        default:
            return mapChildren { $0.elementwise(variable, &collection) }
        }
    }

    /// Paths through `outer` to a further collection, from its element on.
    private func within(_ outer: QueryPath, _ variable: String) -> QueryNode {
        guard case .path(let path) = self else {
            return mapChildren { $0.within(outer, variable) }
        }
        guard path.collections.count > 1, path.steps.starts(with: outer.steps) else { return self }
        var collection: QueryPath? = outer
        return .path(path.relative(to: variable, of: &collection) ?? path)
    }

    private func mapChildren(_ body: (QueryNode) -> QueryNode) -> QueryNode {
        switch self {
        case .constant, .path, .numberedSubqueryCount: self
        case .comparison(let left, let op, let right, let options):
            .comparison(body(left), op, body(right), options)
        case .between(let node, let lower, let upper):
            .between(body(node), lower: lower, upper: upper)
        case .and(let nodes): .and(nodes.map(body))
        case .or(let nodes): .or(nodes.map(body))
        case .not(let node): .not(body(node))
        case .subqueryCount(let node): .subqueryCount(body(node))
        }
    }
}

extension QueryPath {
    /// The path from an element of its first collection on; nil if it has none, or is about the
    /// collection as a whole.
    fileprivate func relative(
        to variable: String,
        of collection: inout QueryPath?
    ) -> QueryPath? {
        guard let first = collections.first else { return nil }
        let next = first + 1 < steps.count ? steps[first + 1] : nil
        if isWhole {
            guard case .property? = next else { return nil }
        }
        var mine = self
        mine.steps = Array(steps[...first])
        mine.collections = [first]
        mine.isWhole = true
        if let known = collection, known.text != mine.text {
            fatalError(
                "Subqueries must be about one collection, not '\(known.text)' and '\(mine.text)'."
            )
        }
        collection = mine
        var rest = self
        rest.variable = variable
        rest.steps = Array(steps[(first + 1)...])
        rest.collections = collections.dropFirst().map { $0 - first - 1 }
        rest.isWhole = isWhole && !rest.collections.isEmpty
        return rest
    }
}
