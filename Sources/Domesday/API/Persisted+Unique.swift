extension Persisted where Value: _Indexable {
    /// A property whose value no two objects of the class may share, with an index.
    ///
    /// nil is not compared: any number of objects may have it.
    ///
    /// It is looked at when the write is committed, so that values may be exchanged within it:
    /// `commitWrite` throws ``Realm/Error`` `.fail` with class, property, value and both objects, and
    /// `write` undoes everything.
    @inlinable @inline(__always)
    public init(unique: Bool) {
        self.init(marked: unique ? .unique : [], default: Value._rlmDefaultValue())
    }

    /// As `init(unique:)`, with a default of its own.
    @inlinable @inline(__always)
    public init(wrappedValue: @autoclosure () -> Value, unique: Bool) {
        self.init(
            marked: unique ? [.unique, .hasDefault] : .hasDefault,
            default: wrappedValue()
        )
    }
}

extension Persisted where Value: _HasPersistedType, Value.PersistedType: _Indexable {
    /// As `init(unique:)`, of what is stored.
    @_disfavoredOverload
    public init(unique: Bool) {
        self.init(marked: unique ? .unique : [], default: Value._rlmDefaultValue())
    }

    /// As `init(unique:)`, of what is stored, with a default of its own.
    @_disfavoredOverload
    public init(wrappedValue: @autoclosure () -> Value, unique: Bool) {
        self.init(
            marked: unique ? [.unique, .hasDefault] : .hasDefault,
            default: wrappedValue()
        )
    }
}
