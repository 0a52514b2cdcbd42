// ordering = *("SORT" "(" term *("," term) ")" / "DISTINCT" "(" key-path *("," key-path) ")"
//          / "LIMIT" "(" integer ")")
// term     = key-path ["ASC" / "ASCENDING" / "DESC" / "DESCENDING"]

extension PredicateParser {
    /// Reads what may follow the condition, which has no other meaning there: none of its words is
    /// reserved.
    mutating func orderingClauses() throws(PredicateSyntaxError) -> [OrderingClause] {
        var clauses: [OrderingClause] = []
        while case .word(let word) = current.kind,
            following.kind == .mark(.openParenthesis)
        {
            switch word.uppercased() {
            case "SORT": clauses.append(.sort(try sortTerms()))
            case "DISTINCT": clauses.append(.distinct(try distinctPaths()))
            case "LIMIT": clauses.append(.limit(try limit()))
            default: return clauses
            }
        }
        return clauses
    }

    private mutating func sortTerms() throws(PredicateSyntaxError) -> [SortTerm] {
        var terms: [SortTerm] = []
        advance()
        advance()
        repeat {
            let path = try keyPath()
            terms.append(SortTerm(path: path, isAscending: try takeDirection()))
        } while take(.comma)
        guard take(.closeParenthesis) else { throw unexpected("ASC, DESC, ',' or ')'") }
        return terms
    }

    /// Ascending if nothing is said.
    private mutating func takeDirection() throws(PredicateSyntaxError) -> Bool {
        guard case .word(let word) = current.kind else { return true }
        switch word.uppercased() {
        case "ASC", "ASCENDING":
            advance()
            return true
        case "DESC", "DESCENDING":
            advance()
            return false
        default: throw unexpected("ASC, DESC, ',' or ')'")
        }
    }

    private mutating func distinctPaths() throws(PredicateSyntaxError) -> [KeyPath] {
        var paths: [KeyPath] = []
        advance()
        advance()
        repeat {
            paths.append(try keyPath())
        } while take(.comma)
        guard take(.closeParenthesis) else { throw unexpected("',' or ')'") }
        return paths
    }

    private mutating func limit() throws(PredicateSyntaxError) -> Int {
        advance()
        advance()
        let token = current
        let value: Any?
        switch token.kind {
        case .literal(let literal):
            advance()
            value = literal.value
        case .placeholder(let placeholder, let index) where placeholder != .keyPath:
            value = try argument(index, for: placeholder)
        default: throw unexpected("a number")
        }
        guard let number = value as? Int64, number >= 0 else {
            throw failure(.invalidOperand, at: token, "expected a whole number, not negative")
        }
        try expect(.closeParenthesis)
        return Int(number)
    }
}
