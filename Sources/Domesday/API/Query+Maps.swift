import PredicateLanguage

// Conditions on maps. A comparison of the map is about its values: true if it is for at least one.

extension Query where T: ObjectBase {
    /// A map property of the object.
    public subscript<V: RealmKeyedCollection>(
        dynamicMember member: Swift.KeyPath<T, V>
    ) -> Query<V> {
        appending(member, isCollection: true)
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: ObjectBase {
    /// A map property of the object a link leads to.
    public subscript<V: RealmKeyedCollection>(
        dynamicMember member: Swift.KeyPath<T.Wrapped, V>
    ) -> Query<V> {
        appending(member, isCollection: true)
    }
}

extension Query where T: RealmCollectionBase, T.Element: ObjectBase {
    /// A map property of the collection's elements.
    public subscript<V: RealmKeyedCollection>(
        dynamicMember member: Swift.KeyPath<T.Element, V>
    ) -> Query<V> {
        appending(member, isCollection: true)
    }
}

extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: ObjectBase {
    /// A property of the objects that the map holds.
    public subscript<V>(dynamicMember member: Swift.KeyPath<T.Value.Wrapped, V>) -> Query<V> {
        appending(member)
    }

    /// A collection property of the objects that the map holds.
    public subscript<V: RealmCollectionBase>(
        dynamicMember member: Swift.KeyPath<T.Value.Wrapped, V>
    ) -> Query<V> {
        appending(member, isCollection: true)
    }
}

extension Query where T: RealmKeyedCollection {
    /// The keys.
    public var keys: Query<String> { Query<String>(.path(node.path.appending(.allKeys))) }

    /// The values.
    public var values: Query<T.Value> { Query<T.Value>(.path(node.path.appending(.allValues))) }

    /// The value of a key; nil if there is none.
    public subscript(key: T.Key) -> Query<T.Value> {
        Query<T.Value>(.path(node.path.appending(subscript: .index(.value(key._text)))))
    }

    /// How many entries there are.
    public var count: Query<Int> { Query<Int>(.path(node.path.appending(operation: "@count"))) }

    /// Whether the value is among the values.
    public func contains(_ value: T.Value) -> Query<Bool> {
        Query<Bool>(.comparing(.value(value), .in, .path(node.path.whole)))
    }

    /// Whether at least one of the values is among the map's.
    public func containsAny<U: Sequence>(in collection: U) -> Query<Bool>
    where U.Element == T.Value {
        Self.comparing(self, .in, .values(collection))
    }

    /// At least one value equals this one.
    public static func == (left: Query, right: T.Value) -> Query<Bool> {
        comparing(left, .equal, .value(right))
    }

    /// At least one value differs from this one.
    public static func != (left: Query, right: T.Value) -> Query<Bool> {
        comparing(left, .notEqual, .value(right))
    }
}

extension Query where T: RealmKeyedCollection, T.Value: _QueryOrdered {
    /// At least one value is greater than this one.
    public static func > (left: Query, right: T.Value) -> Query<Bool> {
        comparing(left, .greater, .value(right))
    }

    /// At least one value is greater than or equal to this one.
    public static func >= (left: Query, right: T.Value) -> Query<Bool> {
        comparing(left, .greaterOrEqual, .value(right))
    }

    /// At least one value is less than this one.
    public static func < (left: Query, right: T.Value) -> Query<Bool> {
        comparing(left, .less, .value(right))
    }

    /// At least one value is less than or equal to this one.
    public static func <= (left: Query, right: T.Value) -> Query<Bool> {
        comparing(left, .lessOrEqual, .value(right))
    }
}

extension Query where T: RealmKeyedCollection, T.Value: MinMaxType {
    /// The least value; nil if there is none.
    public var min: Query<T.Value> { Query<T.Value>(.path(node.path.appending(operation: "@min"))) }

    /// The greatest value; nil if there is none.
    public var max: Query<T.Value> { Query<T.Value>(.path(node.path.appending(operation: "@max"))) }
}

extension Query where T: RealmKeyedCollection, T.Value: AddableType {
    /// The average of the values; nil if there is none.
    public var avg: Query<T.Value> { Query<T.Value>(.path(node.path.appending(operation: "@avg"))) }

    /// The sum of the values; 0 if there is none.
    public var sum: Query<T.Value> { Query<T.Value>(.path(node.path.appending(operation: "@sum"))) }
}

extension Query where T: RealmKeyedCollection, T.Value: Comparable & MinMaxType {
    /// Whether all values lie in the range, and there is at least one.
    public func contains(_ range: Range<T.Value>) -> Query<Bool> {
        extremes(.greaterOrEqual, range.lowerBound, .less, range.upperBound)
    }

    /// Whether all values lie in the range, and there is at least one.
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
        extremes(.greaterOrEqual, range.lowerBound, .lessOrEqual, range.upperBound)
    }
}

extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: Comparable & MinMaxType {
    /// Whether all values that are not nil lie in the range, and there is at least one.
    public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> {
        extremes(.greaterOrEqual, range.lowerBound, .less, range.upperBound)
    }

    /// Whether all values that are not nil lie in the range, and there is at least one.
    public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> {
        extremes(.greaterOrEqual, range.lowerBound, .lessOrEqual, range.upperBound)
    }
}

extension PathStep {
    fileprivate static var allKeys: PathStep { .operation("@allKeys") }
    fileprivate static var allValues: PathStep { .operation("@allValues") }
}
