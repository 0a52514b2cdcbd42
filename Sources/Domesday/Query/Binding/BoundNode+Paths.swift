extension BoundNode {
    /// Calls `body` with each path, and how many subqueries inside this node it is.
    func forEachPath(depth: Int = 0, _ body: (BoundPath, Int) -> Void) {
        switch self {
        case .constant: break
        case .and(let nodes), .or(let nodes):
            for node in nodes { node.forEachPath(depth: depth, body) }
        case .not(let node): node.forEachPath(depth: depth, body)
        case .test(let test):
            test.path.forEachPath(depth: depth, body)
            test.condition.forEachPath(depth: depth, body)
        case .calculation(let left, _, let right):
            left.forEachPath(depth: depth, body)
            right.forEachPath(depth: depth, body)
        }
    }

    /// Whether the node, which is a subquery's, asks for anything of an object outside.
    var isCorrelated: Bool {
        var result = false
        forEachPath { path, depth in result = result || path.level > depth }
        return result
    }
}

extension BoundCondition {
    func forEachPath(depth: Int = 0, _ body: (BoundPath, Int) -> Void) {
        switch self {
        case .order, .between, .isIn, .text, .words, .within, .isOfType, .isPart: break
        case .expression(_, let expression): expression.forEachPath(depth: depth, body)
        case .textPath(_, _, let path): path.forEachPath(depth: depth, body)
        case .anyOf(let parts), .allOf(let parts):
            for part in parts { part.forEachPath(depth: depth, body) }
        }
    }

    /// Whether it is the same for all objects, and known before any is looked at.
    var isConstant: Bool {
        switch self {
        case .order, .between, .isIn, .text, .words, .within, .isOfType, .isPart: true
        case .expression, .textPath: false
        case .anyOf(let parts), .allOf(let parts): parts.allSatisfy(\.isConstant)
        }
    }
}

extension BoundExpression {
    func forEachPath(depth: Int = 0, _ body: (BoundPath, Int) -> Void) {
        switch self {
        case .constant, .object: break
        case .path(let path): path.forEachPath(depth: depth, body)
        case .arithmetic(_, let left, let right):
            left.forEachPath(depth: depth, body)
            right.forEachPath(depth: depth, body)
        }
    }
}

extension BoundPath {
    /// Itself, and the paths in the condition of a subquery at its end.
    fileprivate func forEachPath(depth: Int, _ body: (BoundPath, Int) -> Void) {
        body(self, depth)
        if case .subqueryCount(_, let node) = end { node.forEachPath(depth: depth + 1, body) }
    }
}
