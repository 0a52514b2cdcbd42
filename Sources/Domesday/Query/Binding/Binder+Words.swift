import PredicateLanguage

extension Binder {
    /// The right side of `TEXT`.
    func search(
        _ constant: Any?,
        _ path: BoundPath,
        _ comparison: Comparison
    ) throws(QueryError) -> WordSearch {
        guard case .value(let column, let type) = path.end, type.type == .string else {
            throw unsupported(comparison, path)
        }
        let table = path.target
        guard table.reader.definition.columns[column].entersWords else {
            throw QueryError(
                "Column has no fulltext index: '\(path.text)' of class '\(table.className)' must "
                    + "be declared with '@Persisted(indexed: .fullText)'",
                at: comparison.utf8Offset
            )
        }
        guard let words = DynamicConstant.plain(constant) as? String else {
            throw QueryError(
                "Operator 'TEXT' needs a text on its right side",
                at: comparison.utf8Offset
            )
        }
        guard let search = WordSearch(words) else {
            throw QueryError("Missing search token in '\(words)'", at: comparison.utf8Offset)
        }
        return search
    }
}
