import PredicateLanguage

extension EvaluationScope {
    /// `path.@type == 'int'`; nil if neither side ends in `@type`.
    func matchesTypes(_ comparison: Comparison) throws(EvaluationError) -> Bool? {
        let condition: (path: PredicateLanguage.KeyPath, types: ValueTypes)?
        do throws(ValueTypesError) {
            condition = try comparison.typeCondition()
        } catch {
            throw EvaluationError(error.message)
        }
        guard let (path, types) = condition else { return nil }
        let reached = try reach(path)
        var results: [Bool] = []
        for value in reached.values {
            let type = try Self.type(value, path)
            results.append(types.contains(type))
        }
        switch comparison.impliedQuantifier {
        case nil:
            guard !reached.isMany else { return try Side.many([]).single.isNull }
            return results.first ?? types.contains(.null)
        case .any: return results.contains(true)
        case .all: return !results.contains(false)
        case .some(.none): return !results.contains(true)
        }
    }

    private static func type(
        _ value: Any?,
        _ path: PredicateLanguage.KeyPath
    ) throws(EvaluationError) -> ValueTypes {
        guard let value else { return .null }
        if let value = value as? any EvaluatedContainer { return value.evaluatedType }
        throw EvaluationError(
            "Operation '@type' is not supported on property '\(path)', which is not of any type"
        )
    }
}

/// The object that a class and a primary key name.
final class LiteralObject: ObjectStandIn {
    private let literal: ObjectLiteral

    init(_ literal: ObjectLiteral) { self.literal = literal }

    var evaluatedClassName: String { literal.className }

    func isEvaluatedAsEqual(to other: any EvaluatedObject) -> Bool {
        guard other.evaluatedClassName == literal.className else { return false }
        do throws(EvaluationError) {
            return try ComparedValue(other.evaluatedPrimaryKey).isEqual(
                to: ComparedValue(constant: literal.key?.base),
                TextComparison(options: [])
            )
        } catch {
            return false
        }
    }
}
