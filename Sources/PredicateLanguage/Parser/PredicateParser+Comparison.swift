// comparison = [quantifier] operand operator ["[" letters "]"] [quantifier] operand
// quantifier = "ANY" / "SOME" / "ALL" / "NONE"

extension PredicateParser {
    /// Reads two operands and what stands between them.
    mutating func comparison() throws(PredicateSyntaxError) -> Comparison {
        let quantifier = takeQuantifier()
        let left = try operand()
        let operatorPosition = position
        let op = try comparisonOperator()
        let options = try stringOptions(of: op, at: tokens[operatorPosition])
        let rightPosition = position
        let rightQuantifier = beginsOperand(following) ? takeQuantifier() : nil
        let right = try operand()
        if op == .between { try checkBounds(right, at: tokens[rightPosition]) }
        if let rightQuantifier {
            guard quantifier == nil, let mirrored = op.mirrored else {
                throw failure(
                    .unexpectedToken,
                    at: tokens[rightPosition],
                    "expected a key path or a value, found '\(rightQuantifier.rawValue)', which "
                        + "stands on the right of == and != and of < and its kin only"
                )
            }
            return Comparison(
                left: right,
                op: mirrored,
                right: left,
                options: options,
                quantifier: rightQuantifier,
                utf8Offset: tokens[operatorPosition].utf8Range.lowerBound
            )
        }
        return Comparison(
            left: left,
            op: op,
            right: right,
            options: options,
            quantifier: quantifier,
            utf8Offset: tokens[operatorPosition].utf8Range.lowerBound
        )
    }

    @inline(never)
    private mutating func takeQuantifier() -> Quantifier? {
        let quantifier: Quantifier? =
            switch current.keyword {
            case .quantifyAny, .quantifySome: .any
            case .quantifyAll: .all
            case .quantifyNone: Quantifier.none
            default: nil
            }
        guard quantifier != nil, !isNameBeforeOperator else { return nil }
        advance()
        return quantifier
    }

    @inline(never)
    private mutating func comparisonOperator() throws(PredicateSyntaxError) -> ComparisonOperator {
        if let comparison = current.comparisonOperator {
            advance()
            return comparison
        }
        if current.keyword == .matches {
            throw failure(
                .unsupportedOperator,
                at: current,
                "operator 'MATCHES' not supported; LIKE takes '?' and '*'"
            )
        }
        let isOtherWord =
            if case .word = current.kind { current.keyword == nil } else { false }
        throw unexpected(
            "a comparison operator",
            code: isOtherWord ? .unknownOperator : .unexpectedToken
        )
    }

    @inline(never)
    private mutating func stringOptions(
        of op: ComparisonOperator,
        at operatorToken: Token
    ) throws(PredicateSyntaxError) -> StringOptions {
        guard take(.openBracket) else { return [] }
        let token = current
        guard case .word(let letters) = token.kind else { throw unexpected("c, d or cd") }
        var options: StringOptions = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            default:
                throw failure(
                    .unsupportedModifier,
                    at: token,
                    "expected c, d or cd, found '\(letters)'"
                )
            }
        }
        advance()
        try expect(.closeBracket)
        if let refusal = op.refusal(of: options) {
            throw failure(.unsupportedModifier, at: operatorToken, refusal)
        }
        return options
    }

    /// Refuses bounds that cannot be two values; what only the schema can tell is let through.
    @inline(never)
    private func checkBounds(
        _ bounds: Expression,
        at token: Token
    ) throws(PredicateSyntaxError) {
        let isPossible =
            switch bounds {
            case .list(let elements): elements.count == 2
            case .value(let elements as [Any?]): elements.count == 2
            case .value(nil), .value(is Int64), .value(is Double), .value(is Bool),
                .value(is String):
                false
            case .arithmetic: false
            case .value, .variable, .keyPath, .subquery: true
            }
        guard isPossible else {
            throw failure(
                .invalidOperand,
                at: token,
                "NSArray object must contain exactly two objects for BETWEEN operations"
            )
        }
    }
}
