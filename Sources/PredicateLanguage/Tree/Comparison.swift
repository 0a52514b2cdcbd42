/// Two expressions, an operator between them, and how to compare.
///
/// **Units.** Offsets are UTF-8 offsets into the format string, from 0; they do not count in `==`.
package struct Comparison {
    /// The expression before the operator; the one that ``quantifier`` is about.
    package var left: Expression
    /// The operator.
    package var op: ComparisonOperator
    /// The expression after the operator.
    package var right: Expression
    /// How text is compared; only what ``ComparisonOperator/refusal(of:)`` lets pass.
    package var options: StringOptions
    /// How many elements of the left side must satisfy the comparison; `nil` without `ANY` etc.
    package var quantifier: Quantifier?
    /// Where the operator stands in the text; 0 if built in code.
    package var utf8Offset: Int

    /// Makes a comparison; the last three parts default to "none".
    package init(
        left: Expression,
        op: ComparisonOperator,
        right: Expression,
        options: StringOptions = [],
        quantifier: Quantifier? = nil,
        utf8Offset: Int = 0
    ) {
        self.left = left
        self.op = op
        self.right = right
        self.options = options
        self.quantifier = quantifier
        self.utf8Offset = utf8Offset
    }
}

/// How text is compared: the letters in brackets after an operator.
package struct StringOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    package let rawValue: Int

    /// Makes a set of its bits.
    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `[c]`: upper and lower case are equal.
    package static let caseInsensitive = StringOptions(rawValue: 1)
    /// `[d]`: letters with and without accents are equal.
    package static let diacriticInsensitive = StringOptions(rawValue: 2)

    /// The set as written after an operator: nothing, `[c]`, `[d]` or `[cd]`.
    package var symbol: String {
        guard !isEmpty else { return "" }
        let letters =
            (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
        return "[\(letters)]"
    }
}

/// How many elements of a to-many path must satisfy a comparison.
///
/// **Shape.** The raw value is the canonical spelling. `SOME` is read as `any`.
package enum Quantifier: String, CaseIterable, Hashable, Sendable {
    /// At least one.
    case any = "ANY"
    /// Every one, or there are none.
    case all = "ALL"
    /// Not one. Where an optional is expected, write `Quantifier.none`: `.none` would be `nil`.
    case none = "NONE"
}
