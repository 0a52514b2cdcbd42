import Foundation
import PredicateLanguage

// Variables, properties, constants, calculations.

extension PredicateExpressions.Variable: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        guard let part = scope[key] else {
            throw UnknownPart("Variable", "it belongs to another predicate")
        }
        return part
    }
}

extension PredicateExpressions.Value: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        if let range = value as? any BoundedRange {
            return .range(
                lower: PredicateLanguage.Expression(normalizing: range.anyLower),
                upper: PredicateLanguage.Expression(normalizing: range.anyUpper),
                isClosed: range.isClosed
            )
        }
        guard case .constant(let constant) = QueryNode.value(value) else {
            return .value(.value(nil))
        }
        return .value(PredicateLanguage.Expression(normalizing: constant))
    }
}

extension PredicateExpressions.NilLiteral: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart { .value(.value(nil)) }
}

extension PredicateExpressions.KeyPath: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        // A property of something captured is a constant.
        if let captured = root as? PredicateExpressions.Value<Root.Output> {
            return try PredicateExpressions.Value(captured.value[keyPath: keyPath]).part(scope)
        }
        let base = try PredicatePart(of: root, scope)
        if let type = Root.Output.self as? ObjectBase.Type {
            guard let name = KeyPathName.name(of: keyPath, in: type) else { throw unknown }
            var path = try base.keyPath()
            path.steps += name.split(separator: ".").map { .property(String($0)) }
            return .value(.keyPath(path))
        }
        guard let type = Root.Output.self as? any CountedPart.Type,
            let empty = type.emptyProbe as? Root.Output
        else { throw unknown }
        switch empty[keyPath: keyPath] {
        case is Int: return .value(try count(base, type))
        case let isEmpty as Bool where isEmpty && type.isText:
            return .condition(PredicatePart.compare(try base.operand(), .equal, .value("")))
        case let isEmpty as Bool where isEmpty:
            return .condition(
                PredicatePart.compare(try count(base, type), .equal, .value(0 as Int64))
            )
        default: throw unknown
        }
    }

    private var unknown: UnknownPart {
        UnknownPart("\(keyPath)", "it is no @Persisted property")
    }

    private func count(
        _ base: PredicatePart,
        _ type: any CountedPart.Type
    ) throws(UnknownPart) -> PredicateLanguage.Expression {
        if case .filtered(let path, let variable, let condition) = base {
            return .subquery(
                collection: path,
                variable: variable,
                predicate: condition,
                trailing: [.operation("@count")]
            )
        }
        if type.isText { throw unknown }
        var path = try base.keyPath()
        path.steps.append(.operation("@count"))
        return .keyPath(path)
    }
}

/// A type whose `count` and `isEmpty` a predicate may ask for.
///
/// A key path of a generic type cannot be compared with one written here, so it is asked of an
/// empty value: a number is taken for the count, and what is true for `isEmpty`.
private protocol CountedPart {
    static var emptyProbe: Self { get }
    static var isText: Bool { get }
}

extension CountedPart {
    static var isText: Bool { false }
}

extension List: CountedPart {
    static var emptyProbe: List { List() }
}

extension LinkingObjects: CountedPart {
    static var emptyProbe: LinkingObjects { _rlmDefaultValue() }
}

extension Array: CountedPart {
    static var emptyProbe: [Element] { [] }
}

extension String: CountedPart {
    static var emptyProbe: String { "" }
    static var isText: Bool { true }
}

/// `Range` or `ClosedRange`.
private protocol BoundedRange {
    var anyLower: Any { get }
    var anyUpper: Any { get }
    var isClosed: Bool { get }
}

extension Range: BoundedRange {
    var anyLower: Any { lowerBound }
    var anyUpper: Any { upperBound }
    var isClosed: Bool { false }
}

extension ClosedRange: BoundedRange {
    var anyLower: Any { lowerBound }
    var anyUpper: Any { upperBound }
    var isClosed: Bool { true }
}

// MARK: - Calculations

extension PredicatePart {
    fileprivate static func arithmetic(
        _ operation: ArithmeticOperator,
        _ left: Any,
        _ right: Any,
        _ scope: PartScope
    ) throws(UnknownPart) -> PredicatePart {
        .value(
            .arithmetic(
                operation,
                try PredicatePart(of: left, scope).operand(),
                try PredicatePart(of: right, scope).operand()
            )
        )
    }
}

extension PredicateExpressions.Arithmetic: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        let operation: ArithmeticOperator =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            }
        return try .arithmetic(operation, lhs, rhs, scope)
    }
}

extension PredicateExpressions.FloatDivision: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        try .arithmetic(.divide, lhs, rhs, scope)
    }
}

extension PredicateExpressions.IntDivision: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        try .arithmetic(.divide, lhs, rhs, scope)
    }
}

extension PredicateExpressions.UnaryMinus: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        .value(
            .arithmetic(
                .subtract,
                .value(0 as Int64),
                try PredicatePart(of: wrapped, scope).operand()
            )
        )
    }
}

// MARK: - Optionals

extension PredicateExpressions.OptionalFlatMap: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        let inner = try PredicatePart(of: wrapped, scope)
        let part = try PredicatePart(of: transform, scope.with(variable.key, inner))
        guard case .condition(let node) = part else { return part }
        return .optionalCondition(
            isNil: PredicatePart.compare(try inner.operand(), .equal, .value(nil)),
            node
        )
    }
}

extension PredicateExpressions.NilCoalesce: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        let left = try PredicatePart(of: lhs, scope)
        let right = try PredicatePart(of: rhs, scope)
        if case .optionalCondition(let isNil, let node) = left {
            return .condition(
                .or([
                    .and([.not(isNil), node]), .and([isNil, try right.condition()]),
                ])
            )
        }
        return .coalesced(try left.operand(), try right.operand())
    }
}

extension PredicateExpressions.ForcedUnwrap: QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart {
        try PredicatePart(of: inner, scope)
    }
}
