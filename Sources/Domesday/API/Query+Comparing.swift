import PredicateLanguage

// Comparisons with a value and with another column.

/// A type whose columns have an order.
public protocol _QueryOrdered {}

/// A type whose columns have an order by size: numbers and dates.
public protocol _QueryNumeric: _QueryOrdered {}

/// A type whose columns have parts and an order by bytes: text and data.
public protocol _QueryBinary: _QueryOrdered {}

/// A type whose columns are text.
public protocol _QueryString: _QueryBinary {}

extension Query {
    /// Equal to the value; nil equals only nil.
    public static func == (left: Query, right: T) -> Query<Bool> {
        comparing(left, .equal, .value(right))
    }

    /// Equal to the other column.
    public static func == (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .equal, right.node)
    }

    /// Not equal to the value; nil differs from every value.
    public static func != (left: Query, right: T) -> Query<Bool> {
        comparing(left, .notEqual, .value(right))
    }

    /// Not equal to the other column.
    public static func != (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .notEqual, right.node)
    }

    /// Equal to one of the values.
    public func `in`<U: Sequence>(_ collection: U) -> Query<Bool> where U.Element == T {
        Self.comparing(self, .in, .values(collection))
    }
}

// The order of columns: numbers and dates by size, text and data by their bytes, enums by their raw
// values. nil is neither less nor greater than anything.

extension Query where T: _QueryOrdered {
    /// Greater than the value.
    public static func > (left: Query, right: T) -> Query<Bool> {
        comparing(left, .greater, .value(right))
    }

    /// Greater than the other column.
    public static func > (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .greater, right.node)
    }

    /// Greater than or equal to the value.
    public static func >= (left: Query, right: T) -> Query<Bool> {
        comparing(left, .greaterOrEqual, .value(right))
    }

    /// Greater than or equal to the other column.
    public static func >= (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .greaterOrEqual, right.node)
    }

    /// Less than the value.
    public static func < (left: Query, right: T) -> Query<Bool> {
        comparing(left, .less, .value(right))
    }

    /// Less than the other column.
    public static func < (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .less, right.node)
    }

    /// Less than or equal to the value.
    public static func <= (left: Query, right: T) -> Query<Bool> {
        comparing(left, .lessOrEqual, .value(right))
    }

    /// Less than or equal to the other column.
    public static func <= (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .lessOrEqual, right.node)
    }
}

extension Query where T: Comparable {
    /// Not below the range and below its end.
    public func contains(_ range: Range<T>) -> Query<Bool> {
        Query<Bool>(.within(node, range.lowerBound, below: range.upperBound))
    }

    /// Not below the range and not above it.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        Query<Bool>(
            .between(node, lower: .value(range.lowerBound), upper: .value(range.upperBound))
        )
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: Comparable {
    /// Not nil, not below the range and below its end.
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> {
        Query<Bool>(.within(node, range.lowerBound, below: range.upperBound))
    }

    /// Not nil, not below the range and not above it.
    public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
        Query<Bool>(
            .between(node, lower: .value(range.lowerBound), upper: .value(range.upperBound))
        )
    }
}

extension QueryNode {
    fileprivate static func within(
        _ node: QueryNode,
        _ lower: Any,
        below upper: Any
    ) -> QueryNode {
        .and([
            .comparing(node, .greaterOrEqual, .value(lower)),
            .comparing(node, .less, .value(upper)),
        ])
    }
}
