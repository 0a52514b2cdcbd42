// operand  = product *(("+" / "-") product)
// product  = simple *(("*" / "/") simple)
// simple   = literal / placeholder / variable / list / subquery / shape / object / binary
//          / key-path / "(" operand ")" / "-" ("inf" / "infinity")
// list     = "{" [operand *("," operand)] "}"
// subquery = "SUBQUERY" "(" key-path "," variable "," disjunction ")" *step

extension PredicateParser {
    /// Reads one side of a comparison, or one element of a list.
    mutating func operand() throws(PredicateSyntaxError) -> Expression {
        let first = try simpleOperand()
        guard current.arithmeticOperator != nil else { return first }
        return try calculation(beginningWith: first)
    }

    /// Reads what is calculated with an operand; each operation counts as a level, since the tree
    /// gets so deep.
    @inline(never)
    private mutating func calculation(
        beginningWith first: Expression
    ) throws(PredicateSyntaxError) -> Expression {
        let before = depth
        defer { depth = before }
        var result = first
        var product = first
        /// The operation between `result` and `product`.
        var pending: ArithmeticOperator?
        func sum(_ left: Expression) -> Expression {
            pending.map { .arithmetic($0, left, product) } ?? product
        }
        while let operation = current.arithmeticOperator {
            try descend(at: current)
            advance()
            let next = try simpleOperand()
            if operation.bindsClosely {
                product = .arithmetic(operation, product, next)
            } else {
                result = sum(result)
                (product, pending) = (next, operation)
            }
        }
        return sum(result)
    }

    private mutating func simpleOperand() throws(PredicateSyntaxError) -> Expression {
        switch current.kind {
        case .literal(let literal):
            advance()
            return .value(literal.value)
        case .placeholder(.keyPath, _), .escapedWord, .operation:
            return .keyPath(try keyPath())
        case .placeholder(let placeholder, let index):
            return .value(try argument(index, for: placeholder))
        case .variable(let name):
            if let argument = try numberedArgument(name) { return argument }
            let path = try keyPath()
            return path.steps.isEmpty ? .variable(name) : .keyPath(path)
        case .mark(.openBrace):
            return try list()
        case .mark(.openParenthesis):
            return try parenthesizedOperand()
        case .mark(.minus) where following.keyword == .inf || following.keyword == .infinity:
            advance()
            advance()
            return .value(-Double.infinity)
        case .word:
            return try wordOperand()
        case .comparison, .and, .or, .not, .mark, .end:
            throw unexpected("a key path or a value")
        }
    }

    @inline(never)
    private mutating func wordOperand() throws(PredicateSyntaxError) -> Expression {
        let isPath = following.kind == .mark(.dot) || following.kind == .mark(.openBracket)
        switch current.keyword {
        case .and, .or:
            guard isNameBeforeOperator else { throw unexpected("a key path or a value") }
            return .keyPath(try keyPath())
        case .true where !isPath, .yes where !isPath:
            advance()
            return .value(true)
        case .false where !isPath, .no where !isPath:
            advance()
            return .value(false)
        case .null where !isPath, .nil where !isPath:
            advance()
            return .value(nil)
        case .infinity where !isNameBeforeOperator, .inf where !isNameBeforeOperator:
            advance()
            return .value(Double.infinity)
        case .nan where !isNameBeforeOperator:
            advance()
            return .value(Double.nan)
        case .subquery where following.kind == .mark(.openParenthesis):
            return try subquery()
        default:
            if beginsShape { return .value(try shape()) }
            if let literal = try calledLiteral() { return .value(literal) }
            return .keyPath(try keyPath())
        }
    }

    @inline(never)
    private mutating func list() throws(PredicateSyntaxError) -> Expression {
        try descend(at: current)
        defer { depth -= 1 }
        advance()
        var elements: [Expression] = []
        if take(.closeBrace) { return Expression(list: []) }
        repeat {
            elements.append(try operand())
        } while take(.comma)
        guard take(.closeBrace) else { throw unexpected("',' or '}'") }
        return Expression(list: elements)
    }

    @inline(never)
    private mutating func parenthesizedOperand() throws(PredicateSyntaxError) -> Expression {
        try descend(at: current)
        defer { depth -= 1 }
        advance()
        let expression = try operand()
        try expect(.closeParenthesis)
        return expression
    }

    @inline(never)
    private mutating func subquery() throws(PredicateSyntaxError) -> Expression {
        try descend(at: current, by: Self.subqueryDepth)
        defer { depth -= Self.subqueryDepth }
        advance()
        try expect(.openParenthesis)
        let collection = try keyPath()
        try expect(.comma)
        guard case .variable(let variable) = current.kind else {
            throw unexpected("a variable such as $x")
        }
        advance()
        try expect(.comma)
        let predicate = try disjunction()
        try expect(.closeParenthesis)
        return .subquery(
            collection: collection,
            variable: variable,
            predicate: predicate,
            trailing: try trailingSteps()
        )
    }

    /// The argument that `$0` or `$K0` stands for; nil if it is a variable: in a text with other
    /// placeholders, without arguments, or not of this form.
    @inline(never)
    private mutating func numberedArgument(
        _ name: String
    ) throws(PredicateSyntaxError) -> Expression? {
        guard usesNumberedArguments else { return nil }
        let isPath = name.hasPrefix("K")
        guard let index = Int(isPath ? name.dropFirst() : name[...]) else { return nil }
        if !isPath { return .value(try argument(index, for: .object)) }
        let place = current.utf8Range.lowerBound
        let text = try argument(index, for: .keyPath)
        let steps = try steps(in: text as? String ?? "", at: tokens[position - 1])
        return .keyPath(KeyPath(steps: steps + (try trailingSteps()), utf8Offset: place))
    }

    /// Takes the argument of the placeholder here, and checks its type.
    @inline(never)
    mutating func argument(
        _ index: Int,
        for placeholder: Placeholder
    ) throws(PredicateSyntaxError) -> Any? {
        let token = current
        guard index < arguments.count else {
            throw failure(
                .missingArgument,
                at: token,
                "expected an argument for '\(placeholder.symbol)', found only \(arguments.count)"
            )
        }
        let value = Argument.normalized(arguments[index])
        let isTaken =
            switch placeholder {
            case .object: true
            case .keyPath: value is String
            // Bool: a C caller's `%d` took it, and the value keeps its type.
            case .integer: value is Int64 || value is Bool
            case .double: value is Double || value is Int64
            }
        guard isTaken else {
            let found = value.map { String(describing: type(of: $0)) } ?? "nil"
            throw failure(
                .wrongArgumentType,
                at: token,
                "expected \(placeholder.expectation) for '\(placeholder.symbol)', found \(found)"
            )
        }
        advance()
        if placeholder == .double, let integer = value as? Int64 { return Double(integer) }
        return value
    }
}

extension Token.Literal {
    /// The value as held in a tree.
    var value: Any {
        switch self {
        case .integer(let value): value
        case .double(let value): value
        case .string(let value): value
        case .date(let value): value
        case .uuid(let value): value
        case .objectId(let value): value
        case .data(let value): value
        case .link(let value): value
        }
    }
}

extension Placeholder {
    fileprivate var expectation: String {
        switch self {
        case .object: "a value"
        case .keyPath: "a String"
        case .integer: "an integer of at most 64 bits"
        case .double: "a number"
        }
    }
}
