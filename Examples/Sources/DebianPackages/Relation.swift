/// What one package says about another: `libc6:any (>= 2.34)`.
///
/// **Threads.** A value; any thread.
package struct Relation: Hashable, Sendable {
    package let name: String
    /// The architecture behind the colon: `any`, `native` or a real one.
    package let architecture: String?
    package let condition: VersionCondition?

    package init(
        name: String,
        architecture: String? = nil,
        condition: VersionCondition? = nil
    ) {
        self.name = name
        self.architecture = architecture
        self.condition = condition
    }
}

/// The part of a relation in parentheses.
package struct VersionCondition: Hashable, Sendable, CustomStringConvertible {
    package enum Comparison: String, Sendable {
        case earlier = "<<"
        case earlierOrEqual = "<="
        case equal = "="
        case laterOrEqual = ">="
        case later = ">>"
    }

    package let comparison: Comparison
    package let version: DebianVersion

    package init(_ comparison: Comparison, _ version: DebianVersion) {
        self.comparison = comparison
        self.version = version
    }

    package func isSatisfied(by candidate: DebianVersion) -> Bool {
        switch comparison {
        case .earlier: candidate < version
        case .earlierOrEqual: candidate <= version
        case .equal: candidate == version
        case .laterOrEqual: candidate >= version
        case .later: candidate > version
        }
    }

    package var description: String { "\(comparison.rawValue) \(version)" }
}

extension Relation {
    /// Parses a field such as `Depends`: a comma between what is needed, a bar between choices.
    ///
    /// - Returns: One array for each need; its members are alternatives, the preferred one first.
    package static func parseList(_ text: String) throws(StatusFileError) -> [[Relation]] {
        var groups: [[Relation]] = []
        for group in text.split(separator: ",") where !group.trimmed.isEmpty {
            var alternatives: [Relation] = []
            for alternative in group.split(separator: "|", omittingEmptySubsequences: false) {
                alternatives.append(try parse(alternative))
            }
            groups.append(alternatives)
        }
        return groups
    }

    private static func parse(_ text: Substring) throws(StatusFileError) -> Relation {
        let problem = StatusFileError(problem: "'\(text.trimmed)' is no relation to a package")
        let parts = text.trimmed.split(separator: "(", maxSplits: 1)
        guard let head = parts.first?.trimmed, !head.isEmpty, !head.contains(" ") else {
            throw problem
        }
        let names = head.split(separator: ":", maxSplits: 1)
        var condition: VersionCondition?
        if parts.count == 2 {
            guard let parsed = VersionCondition(inParentheses: parts[1]) else { throw problem }
            condition = parsed
        }
        return Relation(
            name: String(names[0]),
            architecture: names.dropFirst().first.map(String.init),
            condition: condition
        )
    }
}

extension VersionCondition {
    /// Takes what follows the opening parenthesis; `nil` if it is no condition.
    fileprivate init?(inParentheses text: Substring) {
        guard text.last == ")" else { return nil }
        let body = text.dropLast().trimmed
        let symbol = body.prefix { "<>=".contains($0) }
        let version = body[symbol.endIndex...].trimmed
        // A single < or > is old spelling for "or equal".
        let spelled = ["<": "<=", ">": ">="][symbol] ?? String(symbol)
        guard let comparison = Comparison(rawValue: spelled), !version.isEmpty else { return nil }
        self.init(comparison, DebianVersion(String(version)))
    }
}
