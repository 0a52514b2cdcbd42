// disjunction = conjunction *(("OR" / "||") conjunction)
// conjunction = negation *(("AND" / "&&") negation)
// negation    = ("NOT" / "!") negation / primary
// primary     = "(" disjunction ")" / "TRUEPREDICATE" / "FALSEPREDICATE" / comparison

extension PredicateParser {
    /// Reads nodes with `OR` between them.
    mutating func disjunction() throws(PredicateSyntaxError) -> PredicateNode {
        let first = try conjunction()
        guard isAt(.or, .or) else { return first }
        var nodes = [first]
        while isAt(.or, .or) {
            advance()
            nodes.append(try conjunction())
        }
        return .or(nodes)
    }

    private mutating func conjunction() throws(PredicateSyntaxError) -> PredicateNode {
        let first = try negation()
        guard isAt(.and, .and) else { return first }
        var nodes = [first]
        while isAt(.and, .and) {
            advance()
            nodes.append(try negation())
        }
        return .and(nodes)
    }

    private mutating func negation() throws(PredicateSyntaxError) -> PredicateNode {
        guard isAt(.not, .not), current.kind == .not || !isNameBeforeOperator else {
            return try primary()
        }
        try descend(at: current)
        defer { depth -= 1 }
        advance()
        return .not(try negation())
    }

    private mutating func primary() throws(PredicateSyntaxError) -> PredicateNode {
        if let constant = takeConstant() { return .constant(constant) }
        guard current.kind == .mark(.openParenthesis), !isParenthesizedOperand else {
            return try comparisonNode()
        }
        try descend(at: current)
        defer { depth -= 1 }
        advance()
        let node = try disjunction()
        try expect(.closeParenthesis)
        return node
    }

    @inline(never)
    private mutating func comparisonNode() throws(PredicateSyntaxError) -> PredicateNode {
        .comparison(try comparison())
    }

    // Not inlined, like all that a level of nesting calls: its frame would be part of the level's.
    @inline(never)
    private func isAt(_ kind: Token.Kind, _ keyword: Keyword) -> Bool {
        current.kind == kind || current.keyword == keyword
    }

    @inline(never)
    private mutating func takeConstant() -> Bool? {
        guard let keyword = current.keyword,
            keyword == .truePredicate || keyword == .falsePredicate, !isNameBeforeOperator
        else { return nil }
        advance()
        return keyword == .truePredicate
    }

    /// Whether the parenthesis here encloses one side of a comparison, or part of one: an operator
    /// follows it.
    private var isParenthesizedOperand: Bool {
        guard let partner = partners[position] else { return false }
        let next = tokens[partner + 1]
        return next.comparisonOperator != nil || next.arithmeticOperator != nil
    }

    /// Whether the keyword here must be a name, because of what follows.
    ///
    /// Signs of comparison, a dot or a bracket settle it. A word that is an operator does so only
    /// if an operand follows: `any IN {1}` is about `any`, `ANY in == 1` and `ANY in IN {1}` are
    /// about `in`.
    var isNameBeforeOperator: Bool {
        switch following.kind {
        case .mark(.dot), .mark(.openBracket), .comparison: true
        case .word where following.comparisonOperator != nil || following.keyword == .matches:
            beginsOperand(tokens[min(position + 2, tokens.count - 1)])
        default: false
        }
    }

    /// Whether one side of a comparison can begin with the token.
    func beginsOperand(_ token: Token) -> Bool {
        switch token.kind {
        case .word:
            token.comparisonOperator == nil && token.keyword != .and && token.keyword != .or
        case .escapedWord, .operation, .variable, .literal, .placeholder: true
        case .mark(.openParenthesis), .mark(.openBrace), .mark(.minus): true
        case .comparison, .and, .or, .not, .mark, .end: false
        }
    }
}
