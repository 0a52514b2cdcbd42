import PredicateLanguage

extension EvaluationScope {
    /// `text TEXT 'words'`.
    func hasWords(_ left: ComparedValue, _ right: ComparedValue) throws(EvaluationError) -> Bool {
        guard case .string(let words) = right else {
            throw EvaluationError("Operator 'TEXT' needs a text on its right side")
        }
        guard let search = WordSearch(words) else {
            throw EvaluationError("Missing search token in '\(words)'")
        }
        switch left {
        case .null: return search.matchesNothing
        case .string(var text): return text.withUTF8 { search.matches(UnsafeRawBufferPointer($0)) }
        default: throw unsupported(.text, left, right)
        }
    }
}
