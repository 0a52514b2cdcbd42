/// A condition on one object, as a tree: what a filter's text means before any schema is known.
///
/// Names are not resolved and types are not compared here; binding does that.
///
/// ```swift
/// let predicate = try PredicateParser.parse("age > %d and name like[c] 'al*'", arguments: [40])
/// print(predicate)   // age > 40 AND name LIKE[c] "al*"
/// ```
///
/// Two predicates are equal if they ask the same in the same order; where their parts stood in the
/// text does not count.
///
/// **Threads.** A value, but arguments of any type are held as given: as sendable as they are.
package struct Predicate: Equatable {
    /// The outermost node.
    package var root: PredicateNode
    /// What is done with the matches; nothing for most predicates.
    package var ordering: [OrderingClause]

    /// Makes a predicate of a tree built in code.
    package init(root: PredicateNode, ordering: [OrderingClause] = []) {
        self.root = root
        self.ordering = ordering
    }
}

/// One node of a predicate: a constant, a comparison, or a combination of nodes.
///
/// **Shape.** The parser gives `and` and `or` at least two children, in the order of the text, and
/// keeps parentheses: `a AND (b AND c)` has two levels, `a AND b AND c` has one. Built in code, an
/// empty `and` is true and an empty `or` is false.
package indirect enum PredicateNode: Equatable {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case constant(Bool)
    /// Two expressions and an operator.
    case comparison(Comparison)
    /// True if all children are.
    case and([PredicateNode])
    /// True if at least one child is.
    case or([PredicateNode])
    /// True if the child is not.
    case not(PredicateNode)
}
