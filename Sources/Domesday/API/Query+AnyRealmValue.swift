// Conditions on the text in values of any type; other types satisfy none of them but `notEquals`.

extension Query where T == AnyRealmValue {
    /// Is a text that has the value within it.
    public func contains(_ value: AnyRealmValue, options: StringOptions? = nil) -> Query<Bool> {
        Self.comparing(self, .contains, .value(value), options)
    }

    /// Is a text that begins with the value.
    public func starts(with value: AnyRealmValue, options: StringOptions? = nil) -> Query<Bool> {
        Self.comparing(self, .beginsWith, .value(value), options)
    }

    /// Is a text that ends with the value.
    public func ends(with value: AnyRealmValue, options: StringOptions? = nil) -> Query<Bool> {
        Self.comparing(self, .endsWith, .value(value), options)
    }

    /// Is a text that matches the pattern as a whole: `?` stands for one character, `*` for any
    /// number of them.
    public func like(_ value: AnyRealmValue, caseInsensitive: Bool = false) -> Query<Bool> {
        Self.comparing(self, .like, .value(value), caseInsensitive ? .caseInsensitive : nil)
    }

    /// Equal to the value.
    public func equals(_ value: AnyRealmValue, options: StringOptions? = nil) -> Query<Bool> {
        Self.comparing(self, .equal, .value(value), options)
    }

    /// Not equal to the value.
    public func notEquals(_ value: AnyRealmValue, options: StringOptions? = nil) -> Query<Bool> {
        Self.comparing(self, .notEqual, .value(value), options)
    }
}
