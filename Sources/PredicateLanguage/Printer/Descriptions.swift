// The trees as text, for messages and tests. Values are shown: keep them out of public errors.

extension Predicate: CustomStringConvertible {
    /// The canonical text and its arguments: parsed again, they give an equal tree.
    ///
    /// Literals stand in the text; only what has no literal is an argument.
    ///
    /// - Complexity: O(*n*), *n* = length of the result.
    package var canonicalFormat: (text: String, arguments: [Any?]) {
        var printer = PredicatePrinter()
        printer.write(self)
        return (printer.text, printer.arguments)
    }

    /// The text of ``canonicalFormat``.
    package var description: String { canonicalFormat.text }
}

extension PredicateNode: CustomStringConvertible {
    /// The node as canonical text.
    package var description: String { Predicate(root: self).description }
}

extension Comparison: CustomStringConvertible {
    /// The comparison as canonical text.
    package var description: String { PredicateNode.comparison(self).description }
}

extension Expression: CustomStringConvertible {
    /// The expression as canonical text.
    package var description: String {
        var printer = PredicatePrinter()
        printer.write(self)
        return printer.text
    }
}

extension KeyPath: CustomStringConvertible {
    /// The path as canonical text, `SELF` if it is empty.
    package var description: String {
        var printer = PredicatePrinter()
        printer.write(self)
        return printer.text
    }
}

extension ComparisonOperator: CustomStringConvertible {
    /// The symbol.
    package var description: String { symbol }
}
