import PredicateLanguage

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

// Inside lists and dictionaries.
extension Query where T == AnyRealmValue {
    /// The element of a list at a position; nil if it is none or has none there.
    ///
    /// - Precondition: `index` is not negative.
    public subscript(index: Int) -> Query<AnyRealmValue> {
        Query(.path(node.path.appending(subscript: .index(.value(Int64(index))))))
    }

    /// The value of a dictionary's key; nil if it is none or has no such key.
    public subscript(key: String) -> Query<AnyRealmValue> {
        Query(.path(node.path.appending(subscript: .index(.value(key)))))
    }

    /// Each element of a list and each value of a dictionary: it suffices that one satisfies the
    /// comparison.
    public var any: Query<AnyRealmValue> {
        Query(.path(node.path.appending(.anyElement, isCollection: true)))
    }
}
