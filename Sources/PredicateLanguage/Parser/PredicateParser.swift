/// Reads the predicate language of `NSPredicate`, as far as RealmSwift accepts it, and what Realm's
/// own language adds: `ALL`, arithmetic, more literals, numbered arguments, `SORT`, `DISTINCT` and
/// `LIMIT` at the end.
///
/// Precedence is `NOT`, then `AND`, then `OR`. Keywords are read in any case; a keyword is a name
/// where nothing else is possible (`in == 5`), or after `#`. Arguments are taken in the order of
/// their placeholders, and are never read as text of the language, except that of `%K`, which is
/// split at its dots.
///
/// The grammar is spread over the extensions: +Logic, +Comparison, +Operand, +KeyPath, +Ordering.
///
/// **Threads.** A value; any thread.
package struct PredicateParser {
    /// How deep parentheses, `NOT`, lists and subqueries may be nested, all counted together.
    ///
    /// A subquery counts as ``subqueryDepth`` levels, because it takes that much more of the stack.
    package static let maximumDepth = 500
    /// How many levels one subquery counts.
    package static let subqueryDepth = 5

    let format: String
    let arguments: [Any?]
    let tokens: [Token]
    /// For each token that is an opening parenthesis, the index of its partner.
    let partners: [Int: Int]
    /// Whether `$0` and `$K0` are arguments: there are some, and no placeholder takes them.
    let usesNumberedArguments: Bool
    /// The index of the token to read next; the last token, `.end`, is never passed.
    var position = 0
    var depth = 0

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - format: The text.
    ///   - arguments: One for each placeholder, in order; `nil` and `NSNull` are `NULL`.
    /// - Returns: The tree.
    /// - Throws: ``PredicateSyntaxError`` for the first mistake met; tokens are made before they
    ///   are combined, so a mistake within a token comes before others to its left.
    /// - Complexity: O(*n*), *n* = length of the text and elements in arguments.
    package static func parse(
        _ format: String,
        arguments: [Any?] = []
    ) throws(PredicateSyntaxError) -> Predicate {
        var parser = PredicateParser(
            format: format,
            arguments: arguments,
            tokens: try Lexer.tokens(of: format)
        )
        let root = try parser.disjunction()
        let ordering = try parser.orderingClauses()
        guard parser.current.kind == .end else {
            throw parser.unexpected(ordering.isEmpty ? "AND, OR or the end" : "the end")
        }
        try parser.checkArgumentCount()
        return Predicate(root: root, ordering: ordering)
    }

    private init(format: String, arguments: [Any?], tokens: [Token]) {
        self.format = format
        self.arguments = arguments
        self.tokens = tokens
        partners = Self.partners(in: tokens)
        usesNumberedArguments =
            !arguments.isEmpty && tokens.contains(where: \.isNumbered)
            && !tokens.contains { if case .placeholder = $0.kind { true } else { false } }
    }

    private static func partners(in tokens: [Token]) -> [Int: Int] {
        var partners: [Int: Int] = [:]
        var open: [Int] = []
        for (index, token) in tokens.enumerated() {
            if token.kind == .mark(.openParenthesis) {
                open.append(index)
            } else if token.kind == .mark(.closeParenthesis), let start = open.popLast() {
                partners[start] = index
            }
        }
        return partners
    }

    private func checkArgumentCount() throws(PredicateSyntaxError) {
        if usesNumberedArguments { return }
        let expected = tokens.count { if case .placeholder = $0.kind { true } else { false } }
        guard arguments.count > expected else { return }
        throw failure(
            .tooManyArguments,
            at: current,
            "expected \(expected) arguments, one for each placeholder, found \(arguments.count)"
        )
    }
}

// Reading tokens.
extension PredicateParser {
    /// The token to read next.
    var current: Token { tokens[position] }

    /// The token after the current one, or the last.
    var following: Token { tokens[min(position + 1, tokens.count - 1)] }

    /// Passes over the current token and returns it.
    @discardableResult
    mutating func advance() -> Token {
        defer { position = min(position + 1, tokens.count - 1) }
        return current
    }

    /// Passes over the current token if it is this mark, and tells whether it was.
    mutating func take(_ mark: Token.Mark) -> Bool {
        guard current.kind == .mark(mark) else { return false }
        advance()
        return true
    }

    /// Passes over this mark.
    mutating func expect(_ mark: Token.Mark) throws(PredicateSyntaxError) {
        guard take(mark) else { throw unexpected("'\(mark.rawValue)'") }
    }

    /// Goes deeper, by one level unless said otherwise; the caller counts down again.
    mutating func descend(
        at token: Token,
        by levels: Int = 1
    ) throws(PredicateSyntaxError) {
        depth += levels
        guard depth <= Self.maximumDepth else {
            throw failure(
                .nestedTooDeep,
                at: token,
                "expected at most \(Self.maximumDepth) levels"
            )
        }
    }

    /// An error at a token.
    func failure(
        _ code: PredicateSyntaxError.Code,
        at token: Token,
        _ message: String
    ) -> PredicateSyntaxError {
        PredicateSyntaxError(code, at: token.utf8Range.lowerBound, in: format, message)
    }

    /// An error at the current token, which is not what must stand here.
    func unexpected(
        _ expectation: String,
        code: PredicateSyntaxError.Code = .unexpectedToken
    ) -> PredicateSyntaxError {
        failure(
            current.kind == .end ? .unexpectedEnd : code,
            at: current,
            "expected \(expectation), found \(summary(of: current))"
        )
    }

    /// A token as named in messages: as written, but for strings, which may hold a user's data.
    private func summary(of token: Token) -> String {
        switch token.kind {
        case .end: "the end"
        case .literal(.string): "a string"
        default:
            "'" + String(decoding: Array(format.utf8)[token.utf8Range], as: UTF8.self) + "'"
        }
    }
}
