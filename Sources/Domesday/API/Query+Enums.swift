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

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum {
    /// The stored values.
    public var rawValue: Query<Map<T.Key, T.Value.RawValue>> {
        Query<Map<T.Key, T.Value.RawValue>>(node)
    }
}

extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum {
    /// The stored values.
    public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> {
        Query<Map<T.Key, T.Value.Wrapped.RawValue?>>(node)
    }
}
