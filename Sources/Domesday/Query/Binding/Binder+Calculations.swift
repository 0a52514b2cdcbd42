import PredicateLanguage

// Comparisons in which something is calculated.

extension Binder {
    /// A side as something to calculate with.
    func expression(
        _ expression: PredicateLanguage.Expression,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundExpression {
        if case .arithmetic(let operation, let left, let right) = expression {
            return .arithmetic(
                operation,
                try self.expression(left, comparison),
                try self.expression(right, comparison)
            )
        }
        return try operand(try side(expression, comparison), comparison)
    }

    private func operand(_ side: Side, _ comparison: Comparison) throws(QueryError)
        -> BoundExpression
    {
        switch side {
        case .calculation(let expression): return expression
        case .constant(let constant):
            guard let plain = DynamicConstant.plain(constant) else { return .constant(.null) }
            let double = ValueType(type: .double, isOptional: true)
            if let number = Self.convert(plain, double) { return .constant(number) }
            throw QueryError(
                "Arithmetic needs numbers, and '\(plain)' of type '\(type(of: plain))' is none",
                at: comparison.utf8Offset
            )
        case .path(let path):
            guard !path.isToMany else { throw self.needsQuantifier(path, comparison) }
            switch path.end.valueType?.type {
            case .int, .float, .double: return .path(path)
            default:
                throw QueryError(
                    "Arithmetic needs numbers, and '\(path.text)' of type "
                        + "'\(path.typeDescription)' is none",
                    at: comparison.utf8Offset
                )
            }
        case .list: throw misplacedList(comparison)
        }
    }

    /// A calculation that is compared with a path's values, which must be numbers then.
    func number(
        _ expression: BoundExpression,
        _ path: BoundPath,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundExpression {
        var element = path
        if element.isToMany { element.hops = [] }
        guard let type = element.end.valueType, type.isNumeric, type.type != .bool else {
            throw unsupported(comparison, path)
        }
        return expression
    }

    /// A calculation on the left side.
    func calculate(
        _ left: BoundExpression,
        _ right: Side,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundNode {
        guard comparison.quantifier == nil else {
            throw QueryError(
                "ANY, ALL and NONE are about a collection, and not about a calculation",
                at: comparison.utf8Offset
            )
        }
        if comparison.op == .between || comparison.op == .in {
            return try calculate(left, elements: right, comparison)
        }
        return .calculation(left, try order(comparison), try operand(right, comparison))
    }

    private func calculate(
        _ left: BoundExpression,
        elements right: Side,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundNode {
        let elements: [Side]
        switch right {
        case .list(let sides): elements = sides
        case .constant(let constant):
            guard let values = DynamicConstant.elements(constant) else {
                throw comparison.op == .in ? needsList(comparison) : wrongBounds(comparison)
            }
            elements = values.map { .constant($0) }
        default: throw needsList(comparison)
        }
        var nodes: [BoundNode] = []
        if comparison.op == .between, elements.count != 2 { throw wrongBounds(comparison) }
        let orders: [BoundOrder] =
            comparison.op == .between
            ? [.greaterOrEqual, .lessOrEqual]
            : Array(repeating: .equal, count: elements.count)
        for (order, element) in zip(orders, elements) {
            nodes.append(.calculation(left, order, try operand(element, comparison)))
        }
        return comparison.op == .between ? .and(nodes) : .or(nodes)
    }
}
