import PredicateLanguage

extension Binder {
    /// `path.@type == 'int'`; nil if neither side ends in `@type`.
    func bindTypes(_ comparison: Comparison) throws(QueryError) -> BoundNode? {
        let condition: (path: PredicateLanguage.KeyPath, types: ValueTypes)?
        do throws(ValueTypesError) {
            condition = try comparison.typeCondition()
        } catch {
            throw QueryError(error.message, at: comparison.utf8Offset)
        }
        guard let condition else { return nil }
        let path = try bind(condition.path)
        guard path.end.valueType?.type == .mixed else {
            throw QueryError(
                "Operation '@type' is not supported on property '\(path.text)' of type "
                    + "'\(path.typeDescription)'",
                at: comparison.utf8Offset
            )
        }
        return try quantified(path, comparison) { _ throws(QueryError) in
            .isOfType(condition.types)
        }
    }
}
