import PredicateLanguage

// Conditions on collections. A comparison is true if it is for at least one element.

/// A collection of stored elements, as a constraint.
public protocol RealmCollectionBase<Element> {
    /// What it holds.
    associatedtype Element: RealmCollectionValue
}

extension Query where T: RealmCollectionBase {
    /// How many elements there are.
    public var count: Query<Int> { operation("@count") }

    /// Whether the element is among them.
    public func contains(_ value: T.Element) -> Query<Bool> {
        Query<Bool>(.comparing(.value(value), .in, .path(node.path.whole)))
    }

    /// Whether at least one of the values is among them.
    public func containsAny<U: Sequence>(in collection: U) -> Query<Bool>
    where U.Element == T.Element {
        Self.comparing(self, .in, .values(collection))
    }

    /// At least one element equals the value.
    public static func == (left: Query, right: T.Element) -> Query<Bool> {
        comparing(left, .equal, .value(right))
    }

    /// At least one element differs from the value.
    public static func != (left: Query, right: T.Element) -> Query<Bool> {
        comparing(left, .notEqual, .value(right))
    }

    private func operation<V>(_ name: String) -> Query<V> {
        Query<V>(.path(node.path.appending(operation: name)))
    }
}

extension Query where T: RealmCollectionBase, T.Element: _QueryOrdered {
    /// At least one element is greater than the value.
    public static func > (left: Query, right: T.Element) -> Query<Bool> {
        comparing(left, .greater, .value(right))
    }

    /// At least one element is greater than or equal to the value.
    public static func >= (left: Query, right: T.Element) -> Query<Bool> {
        comparing(left, .greaterOrEqual, .value(right))
    }

    /// At least one element is less than the value.
    public static func < (left: Query, right: T.Element) -> Query<Bool> {
        comparing(left, .less, .value(right))
    }

    /// At least one element is less than or equal to the value.
    public static func <= (left: Query, right: T.Element) -> Query<Bool> {
        comparing(left, .lessOrEqual, .value(right))
    }
}

extension Query where T: RealmCollectionBase, T.Element: MinMaxType {
    /// The least element; nil if there is none.
    public var min: Query<T.Element> { operation("@min") }

    /// The greatest element; nil if there is none.
    public var max: Query<T.Element> { operation("@max") }
}

extension Query where T: RealmCollectionBase, T.Element: AddableType {
    /// The average of the elements; nil if there is none.
    public var avg: Query<T.Element> { operation("@avg") }

    /// The sum of the elements; 0 if there is none.
    public var sum: Query<T.Element> { operation("@sum") }
}

extension Query where T: MinMaxType {
    /// The least value of a member of a collection's elements: `$0.dogs.age.min`.
    public var min: Query { inserting("@min") }

    /// The greatest value of a member of a collection's elements.
    public var max: Query { inserting("@max") }
}

extension Query where T: AddableType {
    /// The average of a member of a collection's elements.
    public var avg: Query { inserting("@avg") }

    /// The sum of a member of a collection's elements.
    public var sum: Query { inserting("@sum") }
}

extension Query where T: RealmCollectionBase, T.Element: Comparable & MinMaxType {
    /// Whether all elements lie in the range, and there is at least one.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> {
        extremes(.greaterOrEqual, range.lowerBound, .less, range.upperBound)
    }

    /// Whether all elements lie in the range, and there is at least one.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
        extremes(.greaterOrEqual, range.lowerBound, .lessOrEqual, range.upperBound)
    }
}

extension Query
where
    T: RealmCollectionBase, T.Element: OptionalProtocol,
    T.Element.Wrapped: Comparable & MinMaxType
{
    /// Whether all elements that are not nil lie in the range, and there is at least one.
    public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> {
        extremes(.greaterOrEqual, range.lowerBound, .less, range.upperBound)
    }

    /// Whether all elements that are not nil lie in the range, and there is at least one.
    public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> {
        extremes(.greaterOrEqual, range.lowerBound, .lessOrEqual, range.upperBound)
    }
}

extension Query {
    fileprivate func inserting(_ operation: String) -> Query {
        Query(.path(node.path.inserting(operation: operation)))
    }

    func extremes(
        _ lower: ComparisonOperator,
        _ least: Any,
        _ upper: ComparisonOperator,
        _ greatest: Any
    ) -> Query<Bool> {
        let path = node.path
        return Query<Bool>(
            .and([
                .comparison(.path(path.appending(operation: "@min")), lower, .value(least)),
                .comparison(.path(path.appending(operation: "@max")), upper, .value(greatest)),
            ])
        )
    }
}
