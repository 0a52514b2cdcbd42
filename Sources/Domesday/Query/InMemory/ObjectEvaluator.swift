import Foundation
import PredicateLanguage

/// Answers whether one object satisfies a predicate, by reading its properties by name.
///
/// Slow and obvious: it serves `NSPredicate.evaluate(with:)` and objects outside the store, and is
/// what tests hold queries against.
///
/// - nil equals nil; it is neither less nor greater than anything, and `<=` and `>=` hold between
///   two nils. `!=` is always the opposite of `==`.
/// - NaN differs from everything and has no order.
/// - A nil link makes the value behind it nil; behind a collection it drops out instead.
/// - `ANY` of nothing is false, `ALL` and `NONE` of nothing are true.
/// - `@count` and `@sum` of nothing are 0, `@min`, `@max` and `@avg` are nil. nil is left out of all
///   but `@count`, NaN of `@min` and `@max`.
/// - Nothing contains, begins or ends with nil or an empty text, as with Foundation.
///
/// **Threads.** That of the objects.
struct ObjectEvaluator {
    private let tree: PredicateLanguage.Predicate

    /// Evaluates a tree, whose names are Swift names of properties.
    init(_ tree: PredicateLanguage.Predicate) { self.tree = tree }

    /// Whether the object satisfies the predicate.
    ///
    /// - Throws: what is wrong with the predicate, as far as this object shows it.
    func matches(_ object: any EvaluatedObject) throws(EvaluationError) -> Bool {
        try matches(element: object)
    }

    /// Whether an element of a collection, perhaps a scalar, satisfies the predicate.
    func matches(element: Any?) throws(EvaluationError) -> Bool {
        try EvaluationScope(root: element).matches(tree.root)
    }
}

/// The object that is tested and the values of variables.
struct EvaluationScope {
    var root: Any?
    var variables: [String: Any?] = [:]

    func matches(_ node: PredicateNode) throws(EvaluationError) -> Bool {
        switch node {
        case .constant(let value): return value
        case .comparison(let comparison): return try matches(comparison)
        case .and(let nodes):
            for node in nodes where try !matches(node) { return false }
            return true
        case .or(let nodes):
            for node in nodes where try matches(node) { return true }
            return false
        case .not(let node): return try !matches(node)
        }
    }

    private func matches(_ comparison: Comparison) throws(EvaluationError) -> Bool {
        if case .value(let shape as any GeoShaped) = comparison.right {
            return try isWithin(shape.geoShape, comparison)
        }
        if let answer = try matchesTypes(comparison) { return answer }
        let left = try side(comparison.left)
        let right = try side(comparison.right)
        guard let quantifier = comparison.impliedQuantifier else {
            if comparison.op == .contains {
                if case .many(let elements) = left {
                    return try contains(elements, right.single, comparison)
                }
                // Neither nil nor an empty collection contains anything.
                if case .lost = left { return false }
            }
            return try matches(left.single, comparison, right)
        }
        guard let elements = left.elements else {
            throw EvaluationError(
                "Aggregate operations can only be used on key paths that include an collection "
                    + "property"
            )
        }
        return try quantified(quantifier, elements) { element throws(EvaluationError) in
            try matches(element, comparison, right)
        }
    }

    /// Whether as many elements as the quantifier says satisfy a condition.
    func quantified(
        _ quantifier: Quantifier,
        _ elements: [ComparedValue],
        _ matches: (ComparedValue) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bool {
        switch quantifier {
        case .any:
            for element in elements where try matches(element) { return true }
            return false
        case .all:
            for element in elements where try !matches(element) { return false }
            return true
        case .none:
            for element in elements where try matches(element) { return false }
            return true
        }
    }

    private func matches(
        _ left: ComparedValue,
        _ comparison: Comparison,
        _ right: Side
    ) throws(EvaluationError) -> Bool {
        switch comparison.op {
        case .in:
            guard let elements = right.elements else {
                throw EvaluationError("The right side of IN must be a list or a collection.")
            }
            return try contains(elements, left, comparison)
        case .between:
            guard let bounds = right.elements, bounds.count == 2 else {
                throw EvaluationError(
                    "NSArray object must contain exactly two objects for BETWEEN operations"
                )
            }
            guard try holds(left, .greaterOrEqual, bounds[0], comparison) else { return false }
            return try holds(left, .lessOrEqual, bounds[1], comparison)
        default:
            return try holds(left, comparison.op, right.single, comparison)
        }
    }

    private func contains(
        _ elements: [ComparedValue],
        _ value: ComparedValue,
        _ comparison: Comparison
    ) throws(EvaluationError) -> Bool {
        for element in elements where try holds(value, .equal, element, comparison) { return true }
        return false
    }

    /// Whether the operator holds between two single values.
    private func holds(
        _ left: ComparedValue,
        _ op: ComparisonOperator,
        _ right: ComparedValue,
        _ comparison: Comparison
    ) throws(EvaluationError) -> Bool {
        let text = TextComparison(options: comparison.options)
        switch op {
        case .equal: return try left.isEqual(to: right, text)
        case .notEqual: return try !left.isEqual(to: right, text)
        case .less, .greater, .lessOrEqual, .greaterOrEqual:
            return try isOrdered(left, op, right)
        case .beginsWith, .endsWith, .contains:
            return try hasPart(left, op, right, text)
        case .like:
            return try isLike(left, right, text)
        case .in, .between:
            throw EvaluationError("Operator '\(op)' needs a list on its right.")
        case .text: return try hasWords(left, right)
        case .geoWithin: throw unsupported(op, left, right)
        }
    }

    private func isOrdered(
        _ left: ComparedValue,
        _ op: ComparisonOperator,
        _ right: ComparedValue
    ) throws(EvaluationError) -> Bool {
        let allowsEqual = op == .lessOrEqual || op == .greaterOrEqual
        if left.isNull || right.isNull { return allowsEqual && left.isNull && right.isNull }
        let ordering = try left.ordering(to: right)
        let wanted: Ordering = op == .less || op == .lessOrEqual ? .less : .greater
        return ordering == wanted || allowsEqual && ordering == .equal
    }

    private func hasPart(
        _ left: ComparedValue,
        _ op: ComparisonOperator,
        _ right: ComparedValue,
        _ text: TextComparison
    ) throws(EvaluationError) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)):
            return TextComparison.matches(op, text.scalars(of: left), text.scalars(of: right))
        case (.data(let left), .data(let right)):
            return TextComparison.matches(op, Array(left), Array(right))
        case (.null, .null), (.null, .string), (.null, .data), (.string, .null), (.data, .null):
            return false
        default: throw unsupported(op, left, right)
        }
    }

    private func isLike(
        _ left: ComparedValue,
        _ right: ComparedValue,
        _ text: TextComparison
    ) throws(EvaluationError) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)):
            return TextComparison.isLike(text.scalars(of: left), text.scalars(of: right))
        case (.null, .null): return true
        case (.null, .string), (.string, .null): return false
        default: throw unsupported(.like, left, right)
        }
    }

    func unsupported(
        _ op: ComparisonOperator,
        _ left: ComparedValue,
        _ right: ComparedValue
    ) -> EvaluationError {
        let type = left.isNull ? right.typeName : left.typeName
        return EvaluationError("Operator '\(op)' not supported for type '\(type)'")
    }
}
