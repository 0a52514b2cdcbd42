// Custom types are stored as other values, and compared by them.

extension Query where T: _CustomPersistable {
    /// The stored value, to be compared as such: `$0.point.persistableValue.x > 1`.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node) }
}

extension Query where T: OptionalProtocol, T.Wrapped: _CustomPersistable {
    /// The stored value.
    public var persistableValue: Query<T.Wrapped.PersistedType?> {
        Query<T.Wrapped.PersistedType?>(node)
    }
}

extension Query where T: RealmCollectionBase, T.Element: _CustomPersistable {
    /// The stored values.
    public var persistableValue: Query<List<T.Element.PersistedType>> {
        Query<List<T.Element.PersistedType>>(node)
    }
}

extension Query
where T: RealmCollectionBase, T.Element: OptionalProtocol, T.Element.Wrapped: _CustomPersistable {
    /// The stored values.
    public var persistableValue: Query<List<T.Element.Wrapped.PersistedType?>> {
        Query<List<T.Element.Wrapped.PersistedType?>>(node)
    }
}

extension Query where T: RealmKeyedCollection, T.Value: _CustomPersistable {
    /// The stored values.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> {
        Query<Map<T.Key, T.Value.PersistedType>>(node)
    }
}

extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: _CustomPersistable {
    /// The stored values.
    public var persistableValue: Query<Map<T.Key, T.Value.Wrapped.PersistedType?>> {
        Query<Map<T.Key, T.Value.Wrapped.PersistedType?>>(node)
    }
}
