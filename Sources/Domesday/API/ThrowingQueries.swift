public import Foundation

// Twins of `filter`, `where` and `sorted`, which trap on conditions that do not fit: for those that
// somebody typed in. The one of `#Predicate` stands beside its `filter`.

extension RealmCollection {
    /// As `filter`, for text that comes from outside.
    ///
    /// - Throws: ``Realm/Error`` `.invalidInput` that says what is wrong, where, and which names
    ///   are near.
    public func tryFilter(_ predicateFormat: String, _ args: Any...) throws -> Results<Element> {
        try loadStart()
        return try narrowed(predicateFormat, args)
    }

    /// As `filter` of such a predicate, but throws what that traps on.
    ///
    /// - Throws: ``Realm/Error`` `.invalidInput` that says what is wrong and which names are near; for
    ///   a block predicate too.
    public func tryFilter(_ predicate: NSPredicate) throws -> Results<Element> {
        try loadStart()
        return try filter(try QueryTrap.tree(of: predicate))
    }

    /// As `where`, but throws what that traps on.
    ///
    /// - Throws: ``Realm/Error`` `.invalidInput` for a condition that does not fit the elements.
    public func tryWhere(_ isIncluded: (Query<Element>) -> Query<Bool>) throws -> Results<Element> {
        try loadStart()
        return try filter(isIncluded(Query()).predicate)
    }

    /// As `sorted(byKeyPath:ascending:)`, but throws what that traps on.
    ///
    /// - Throws: ``Realm/Error`` `.invalidInput` for a key path that leads to no one value.
    public func trySorted(
        byKeyPath keyPath: String,
        ascending: Bool = true
    ) throws -> Results<Element> {
        try trySorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// As `sorted(by:)`, but throws what that traps on.
    ///
    /// - Throws: ``Realm/Error`` `.invalidInput` for a key path that leads to no one value.
    public func trySorted<S: Sequence>(by sortDescriptors: S) throws -> Results<Element>
    where S.Element == SortDescriptor {
        try loadStart()
        return try ordered(sortDescriptors.map { ($0.keyPath, $0.ascending) })
    }
}

// As `filter`, `where` and `sorted` of a map, about its values.
extension Map {
    /// As `filter` of a text, but throws what that traps on.
    ///
    /// - Precondition: the map is managed.
    /// - Throws: ``Realm/Error`` `.invalidInput` that says what is wrong, where, and which names are
    ///   near.
    public func tryFilter(_ predicateFormat: String, _ args: Any...) throws -> Results<Value> {
        try loadedResults().narrowed(predicateFormat, args)
    }

    /// As `filter` of such a predicate, but throws what that traps on.
    ///
    /// - Precondition: the map is managed.
    /// - Throws: ``Realm/Error`` `.invalidInput` that says what is wrong.
    public func tryFilter(_ predicate: NSPredicate) throws -> Results<Value> {
        try loadedResults().tryFilter(predicate)
    }

    /// As `where`, but throws what that traps on.
    ///
    /// - Precondition: the map is managed.
    /// - Throws: ``Realm/Error`` `.invalidInput` for a condition that does not fit the values.
    public func tryWhere(_ isIncluded: (Query<Value>) -> Query<Bool>) throws -> Results<Value> {
        try loadedResults().tryWhere(isIncluded)
    }

    /// As `sorted(byKeyPath:ascending:)`, but throws what that traps on.
    ///
    /// - Precondition: the map is managed.
    /// - Throws: ``Realm/Error`` `.invalidInput` for a key path that leads to no one value.
    public func trySorted(
        byKeyPath keyPath: String,
        ascending: Bool = true
    ) throws -> Results<Value> {
        try loadedResults().trySorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// As `sorted(by:)`, but throws what that traps on.
    ///
    /// - Precondition: the map is managed.
    /// - Throws: ``Realm/Error`` `.invalidInput` for a key path that leads to no one value.
    public func trySorted<S: Sequence>(by sortDescriptors: S) throws -> Results<Value>
    where S.Element == SortDescriptor {
        try loadedResults().trySorted(by: sortDescriptors)
    }

    /// The values as results, after the row of the map's object was loaded: that does not trap then.
    private func loadedResults() throws -> Results<Value> {
        try loadStart()
        return Results(_query)
    }
}
