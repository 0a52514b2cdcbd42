// Enums are stored as their raw values, and compared by them.

extension Query where T: PersistableEnum {
    /// The stored value.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(node) }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum {
    /// The stored value.
    public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(node) }
}

extension Query where T: RealmCollectionBase, T.Element: PersistableEnum {
    /// The stored values.
    public var rawValue: Query<List<T.Element.RawValue>> {
        Query<List<T.Element.RawValue>>(node)
    }
}

extension Query
where T: RealmCollectionBase, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum {
    /// The stored values.
    public var rawValue: Query<List<T.Element.Wrapped.RawValue?>> {
        Query<List<T.Element.Wrapped.RawValue?>>(node)
    }
}

extension Query where T: PersistableEnum, T.RawValue: _QueryNumeric {
    /// The raw value is greater than the given one's.
    public static func > (left: Query, right: T) -> Query<Bool> {
        comparing(left, .greater, .value(right))
    }

    /// The raw value is greater than the other column's.
    public static func > (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .greater, right.node)
    }

    /// The raw value is greater than or equal to the given one's.
    public static func >= (left: Query, right: T) -> Query<Bool> {
        comparing(left, .greaterOrEqual, .value(right))
    }

    /// The raw value is greater than or equal to the other column's.
    public static func >= (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .greaterOrEqual, right.node)
    }

    /// The raw value is less than the given one's.
    public static func < (left: Query, right: T) -> Query<Bool> {
        comparing(left, .less, .value(right))
    }

    /// The raw value is less than the other column's.
    public static func < (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .less, right.node)
    }

    /// The raw value is less than or equal to the given one's.
    public static func <= (left: Query, right: T) -> Query<Bool> {
        comparing(left, .lessOrEqual, .value(right))
    }

    /// The raw value is less than or equal to the other column's.
    public static func <= (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .lessOrEqual, right.node)
    }
}

extension Query
where T: OptionalProtocol, T.Wrapped: PersistableEnum, T.Wrapped.RawValue: _QueryNumeric {
    /// The raw value is greater than the given one's.
    public static func > (left: Query, right: T) -> Query<Bool> {
        comparing(left, .greater, .value(right))
    }

    /// The raw value is greater than the other column's.
    public static func > (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .greater, right.node)
    }

    /// The raw value is greater than or equal to the given one's.
    public static func >= (left: Query, right: T) -> Query<Bool> {
        comparing(left, .greaterOrEqual, .value(right))
    }

    /// The raw value is greater than or equal to the other column's.
    public static func >= (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .greaterOrEqual, right.node)
    }

    /// The raw value is less than the given one's.
    public static func < (left: Query, right: T) -> Query<Bool> {
        comparing(left, .less, .value(right))
    }

    /// The raw value is less than the other column's.
    public static func < (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .less, right.node)
    }

    /// The raw value is less than or equal to the given one's.
    public static func <= (left: Query, right: T) -> Query<Bool> {
        comparing(left, .lessOrEqual, .value(right))
    }

    /// The raw value is less than or equal to the other column's.
    public static func <= (left: Query, right: Query) -> Query<Bool> {
        comparing(left, .lessOrEqual, right.node)
    }
}
