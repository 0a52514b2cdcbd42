/// What follows a condition: how its matches are sorted, made distinct and cut.
///
/// **Shape.** In the order of the text, which is the order in which they apply.
package enum OrderingClause: Equatable {
    /// `SORT(a ASC, b.c DESC)`: by the first term, equals by the next.
    case sort([SortTerm])
    /// `DISTINCT(a, b)`: the first of those that have the same values at all paths.
    case distinct([KeyPath])
    /// `LIMIT(n)`: the first n, which is not negative.
    case limit(Int)
}

/// A path to sort by, and the direction.
package struct SortTerm: Equatable {
    /// What to sort by.
    package var path: KeyPath
    /// Whether smaller values come first.
    package var isAscending: Bool

    /// Makes a term.
    package init(path: KeyPath, isAscending: Bool) {
        self.path = path
        self.isAscending = isAscending
    }
}
