// Conditions on text and data. Text is compared by its Unicode scalars: a composed and a decomposed
// letter differ, unless `.diacriticInsensitive` is given.

extension Query where T: _QueryBinary {
    /// Has the value within it.
    public func contains(_ value: T, options: StringOptions? = nil) -> Query<Bool> {
        Self.comparing(self, .contains, .value(value), options)
    }

    /// Has the other column within it.
    public func contains<U: _QueryBinary>(
        _ column: Query<U>,
        options: StringOptions? = nil
    ) -> Query<Bool> {
        Self.comparing(self, .contains, column.node, options)
    }

    /// Begins with the value.
    public func starts(with value: T, options: StringOptions? = nil) -> Query<Bool> {
        Self.comparing(self, .beginsWith, .value(value), options)
    }

    /// Begins with the other column.
    public func starts<U: _QueryBinary>(
        with column: Query<U>,
        options: StringOptions? = nil
    ) -> Query<Bool> {
        Self.comparing(self, .beginsWith, column.node, options)
    }

    /// Ends with the value.
    public func ends(with value: T, options: StringOptions? = nil) -> Query<Bool> {
        Self.comparing(self, .endsWith, .value(value), options)
    }

    /// Ends with the other column.
    public func ends<U: _QueryBinary>(
        with column: Query<U>,
        options: StringOptions? = nil
    ) -> Query<Bool> {
        Self.comparing(self, .endsWith, column.node, options)
    }

    /// Equal to the value.
    public func equals(_ value: T, options: StringOptions? = nil) -> Query<Bool> {
        Self.comparing(self, .equal, .value(value), options)
    }

    /// Equal to the other column.
    public func equals<U: _QueryBinary>(
        _ column: Query<U>,
        options: StringOptions? = nil
    ) -> Query<Bool> {
        Self.comparing(self, .equal, column.node, options)
    }

    /// Not equal to the value.
    public func notEquals(_ value: T, options: StringOptions? = nil) -> Query<Bool> {
        Self.comparing(self, .notEqual, .value(value), options)
    }

    /// Not equal to the other column.
    public func notEquals<U: _QueryBinary>(
        _ column: Query<U>,
        options: StringOptions? = nil
    ) -> Query<Bool> {
        Self.comparing(self, .notEqual, column.node, options)
    }
}

extension Query where T: _QueryString {
    /// Matches the pattern as a whole: `?` stands for one character, `*` for any number of them.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        Self.comparing(self, .like, .value(value), caseInsensitive ? .caseInsensitive : nil)
    }

    /// Matches the pattern in the other column.
    public func like<U: _QueryString>(
        _ column: Query<U>,
        caseInsensitive: Bool = false
    ) -> Query<Bool> {
        Self.comparing(self, .like, column.node, caseInsensitive ? .caseInsensitive : nil)
    }
}
