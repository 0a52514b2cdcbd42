// key-path = (variable / step-name) *step
// step     = "." step-name / "[" index "]"
// index    = literal / placeholder / variable / "#any" / "*" / "FIRST" / "LAST" / "SIZE"

extension PredicateParser {
    /// Reads a path; there must be one.
    mutating func keyPath() throws(PredicateSyntaxError) -> KeyPath {
        let start = current
        var path = KeyPath(steps: [], utf8Offset: start.utf8Range.lowerBound)
        if case .variable(let name) = start.kind {
            advance()
            path.variable = name
        } else {
            path.steps = try namedSteps()
        }
        path.steps += try trailingSteps()
        return path
    }

    /// Reads what follows a path or a subquery: any number of `.name` and `[index]`.
    mutating func trailingSteps() throws(PredicateSyntaxError) -> [PathStep] {
        var steps: [PathStep] = []
        while true {
            if take(.dot) {
                steps += try namedSteps()
            } else if take(.openBracket) {
                steps.append(try index())
                try expect(.closeBracket)
            } else {
                return steps
            }
        }
    }

    /// Reads one name: no step if it is `SELF`, several if it is a `%K` with dots.
    private mutating func namedSteps() throws(PredicateSyntaxError) -> [PathStep] {
        switch current.kind {
        case .word(let name):
            advance()
            return Keyword.isSelf(name) ? [] : [.property(name)]
        case .escapedWord(let name):
            advance()
            return [.property(name)]
        case .operation(let name):
            advance()
            return [.operation(Self.operation(name))]
        case .placeholder(.keyPath, let index):
            let token = current
            let value = try argument(index, for: .keyPath)
            return try steps(in: value as? String ?? "", at: token)
        default:
            throw unexpected("a key path")
        }
    }

    /// Splits the argument of `%K`.
    func steps(
        in path: String,
        at token: Token
    ) throws(PredicateSyntaxError) -> [PathStep] {
        var steps: [PathStep] = []
        for part in path.split(separator: ".", omittingEmptySubsequences: false) {
            let name = String(part)
            guard !name.isEmpty, name != "@" else {
                throw failure(
                    .wrongArgumentType,
                    at: token,
                    "expected a key path for '%K', found a text with an empty name in it"
                )
            }
            if Keyword.isSelf(name) { continue }
            steps.append(
                name.hasPrefix("@") ? .operation(Self.operation(name)) : .property(name)
            )
        }
        return steps
    }

    /// An operation by its one name: Realm's own language calls two of them otherwise.
    private static func operation(_ name: String) -> String {
        switch name {
        case "@keys": "@allKeys"
        case "@values": "@allValues"
        default: name
        }
    }

    private mutating func index() throws(PredicateSyntaxError) -> PathStep {
        let step: PathStep
        switch current.kind {
        case .literal(let literal):
            step = .index(.value(literal.value))
        case .placeholder(let placeholder, let index) where placeholder != .keyPath:
            return .index(.value(try argument(index, for: placeholder)))
        case .variable(let name):
            step = .index(.variable(name))
        case .mark(.star):
            step = .anyElement
        case .escapedWord(let name) where name.lowercased() == "any":
            step = .anyElement
        default:
            guard case .word(let word) = current.kind, let named = PathStep(position: word) else {
                throw unexpected("a key, a number, #any, FIRST, LAST or SIZE")
            }
            step = named
        }
        advance()
        return step
    }
}

extension PathStep {
    /// The step that a word in brackets stands for.
    fileprivate init?(position word: String) {
        switch word.uppercased() {
        case "FIRST": self = .firstElement
        case "LAST": self = .lastElement
        case "SIZE": self = .elementCount
        default: return nil
        }
    }
}
