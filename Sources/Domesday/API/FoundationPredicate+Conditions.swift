import Foundation
import PredicateLanguage

// Comparisons, logic, text, collections.

extension PredicateExpressions.Equal: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        try .equality(lhs, .equal, rhs, scope)
    }
}

extension PredicateExpressions.NotEqual: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        try .equality(lhs, .notEqual, rhs, scope)
    }
}

extension PredicatePart {
    fileprivate static func equality(
        _ left: Any,
        _ op: ComparisonOperator,
        _ right: Any,
        _ scope: PartScope
    ) throws(UnknownPart) -> PredicatePart {
        let leftPart = try PredicatePart(of: left, scope)
        let rightPart = try PredicatePart(of: right, scope)
        // `a?.contains(x) == true`
        if case .optionalCondition(let isNil, let node) = leftPart,
            case .value(.value(let constant)) = rightPart
        {
            let isEqual: PredicateNode
            switch constant {
            case nil: isEqual = isNil
            case let wanted as Bool:
                isEqual = .and([.not(isNil), wanted ? node : .not(node)])
            default: throw UnknownPart("?.", "it is compared with no truth value")
            }
            return .condition(op == .equal ? isEqual : .not(isEqual))
        }
        if case .condition(let node) = leftPart, case .value(.value(let wanted as Bool)) = rightPart
        {
            return .condition(wanted == (op == .equal) ? node : .not(node))
        }
        return .condition(try compare(leftPart, op, rightPart))
    }
}

extension PredicateExpressions.Comparison: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        let op: ComparisonOperator =
            switch self.op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            }
        return .condition(
            try PredicatePart.compare(
                try PredicatePart(of: lhs, scope),
                op,
                try PredicatePart(of: rhs, scope)
            )
        )
    }
}

extension PredicateExpressions.Conjunction: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        let left = try PredicatePart(of: lhs, scope).condition()
        let right = try PredicatePart(of: rhs, scope).condition()
        if case .and(let nodes) = left { return .condition(.and(nodes + [right])) }
        return .condition(.and([left, right]))
    }
}

extension PredicateExpressions.Disjunction: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        let left = try PredicatePart(of: lhs, scope).condition()
        let right = try PredicatePart(of: rhs, scope).condition()
        if case .or(let nodes) = left { return .condition(.or(nodes + [right])) }
        return .condition(.or([left, right]))
    }
}

extension PredicateExpressions.Negation: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        .condition(.not(try PredicatePart(of: wrapped, scope).condition()))
    }
}

extension PredicateExpressions.Conditional: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        let test = try PredicatePart(of: self.test, scope).condition()
        return .condition(
            .or([
                .and([test, try PredicatePart(of: trueBranch, scope).condition()]),
                .and([.not(test), try PredicatePart(of: falseBranch, scope).condition()]),
            ])
        )
    }
}

// MARK: - Text

extension PredicatePart {
    fileprivate static func text(
        _ left: Any,
        _ op: ComparisonOperator,
        _ right: Any,
        _ scope: PartScope
    ) throws(UnknownPart) -> PredicatePart {
        .condition(
            compare(
                try PredicatePart(of: left, scope).operand(),
                op,
                try PredicatePart(of: right, scope).operand()
            )
        )
    }
}

extension PredicateExpressions.CollectionContainsCollection: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        guard Base.Output.self == String.self || Base.Output.self == Data.self else {
            throw UnknownPart("contains", "only text and data have parts")
        }
        return try .text(base, .contains, other, scope)
    }
}

extension PredicateExpressions.SequenceStartsWith: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        guard Base.Output.self == String.self || Base.Output.self == Data.self else {
            throw UnknownPart("starts(with:)", "only text and data have parts")
        }
        return try .text(base, .beginsWith, prefix, scope)
    }
}

// MARK: - Collections and ranges

extension PredicateExpressions.SequenceContains: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        .condition(
            PredicatePart.compare(
                try PredicatePart(of: element, scope).operand(),
                .in,
                try PredicatePart(of: sequence, scope).operand()
            )
        )
    }
}

extension PredicateExpressions.Filter: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        let (name, inside) = scope.entering(variable.key)
        return .filtered(
            try PredicatePart(of: sequence, scope).keyPath(),
            variable: name,
            try PredicatePart(of: filter, inside).condition()
        )
    }
}

extension PredicatePart {
    /// How many elements of a collection satisfy a condition, compared with 0.
    fileprivate static func members(
        _ sequence: Any,
        _ name: String,
        _ condition: PredicateNode,
        _ op: ComparisonOperator,
        _ scope: PartScope
    ) throws(UnknownPart) -> PredicatePart {
        .condition(
            compare(
                .subquery(
                    collection: try PredicatePart(of: sequence, scope).keyPath(),
                    variable: name,
                    predicate: condition,
                    trailing: [.operation("@count")]
                ),
                op,
                .value(0 as Int64)
            )
        )
    }
}

extension PredicateExpressions.SequenceContainsWhere: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        let (name, inside) = scope.entering(variable.key)
        let condition = try PredicatePart(of: test, inside).condition()
        return try .members(sequence, name, condition, .greater, scope)
    }
}

extension PredicateExpressions.SequenceAllSatisfy: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        let (name, inside) = scope.entering(variable.key)
        let condition = try PredicatePart(of: test, inside).condition()
        return try .members(sequence, name, .not(condition), .equal, scope)
    }
}

extension PredicatePart {
    fileprivate static func extreme(
        _ operation: String,
        _ elements: Any,
        _ scope: PartScope
    ) throws(UnknownPart) -> PredicatePart {
        var path = try PredicatePart(of: elements, scope).keyPath()
        path.steps.append(.operation(operation))
        return .value(.keyPath(path))
    }
}

extension PredicateExpressions.SequenceMaximum: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        try .extreme("@max", elements, scope)
    }
}

extension PredicateExpressions.SequenceMinimum: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        try .extreme("@min", elements, scope)
    }
}

extension PredicateExpressions.Range: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        .range(
            lower: try PredicatePart(of: lower, scope).operand(),
            upper: try PredicatePart(of: upper, scope).operand(),
            isClosed: false
        )
    }
}

extension PredicateExpressions.ClosedRange: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        .range(
            lower: try PredicatePart(of: lower, scope).operand(),
            upper: try PredicatePart(of: upper, scope).operand(),
            isClosed: true
        )
    }
}

extension PredicateExpressions.RangeExpressionContains: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        guard case .range(let lower, let upper, let isClosed) = try PredicatePart(of: range, scope)
        else { throw UnknownPart("contains", "this kind of range is not known") }
        let element = try PredicatePart(of: self.element, scope)
        return .condition(
            .and([
                try PredicatePart.compare(element, .greaterOrEqual, .value(lower)),
                try PredicatePart.compare(element, isClosed ? .lessOrEqual : .less, .value(upper)),
            ])
        )
    }
}
