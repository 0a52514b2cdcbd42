extension RealmCollection where Element: ObjectBase {
    // MARK: - Distinct

    /// The first of those objects that have the same values at all key paths.
    ///
    /// ```swift
    /// people.sorted(byKeyPath: "age").distinct(by: ["name"])   // the youngest of each name
    /// ```
    ///
    /// nil is a value like any other. As in Realm, a condition is asked before objects are made
    /// distinct, wherever in the chain it stands; sorts before it decide which object stays.
    ///
    /// - Parameter keyPaths: Properties, or links, which may be reached over to-one links.
    /// - Precondition: each leads to one value: "Cannot distinct on key path ...".
    /// - Complexity: O(*n*) when it is used; memory for each combination of values.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Element == String {
        QueryTrap.trapping { () throws(Realm.Error) in
            try changed { base throws(QueryError) in try base.distinct(Array(keyPaths)) }
        }
    }

    /// The first of those objects that have the same values at all key paths.
    ///
    /// - Precondition: as `distinct(by:)` with names.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Element == PartialKeyPath<Element> {
        distinct(by: keyPaths.map { QueryTrap.name(of: $0) })
    }

    // MARK: - Cutting

    /// The first objects, at most so many; live as all results.
    ///
    /// ```swift
    /// people.sorted(byKeyPath: "age", ascending: false).limit(10)   // the ten oldest
    /// ```
    ///
    /// Not in RealmSwift. What follows in the chain is about what it leaves: a condition behind a
    /// limit can leave fewer.
    ///
    /// - Precondition: `count` is not negative.
    /// - Complexity: A sort before it keeps only that many.
    public func limit(_ count: Int) -> Results<Element> {
        precondition(count >= 0, "Cannot limit results to \(count) objects.")
        return Results(_query.objects.limited(count))
    }

    /// All objects but the first; live as all results.
    ///
    /// ```swift
    /// let page = people.sorted(byKeyPath: "name").offset(20).limit(10)
    /// ```
    ///
    /// Not in RealmSwift.
    ///
    /// - Precondition: `count` is not negative.
    /// - Complexity: A sort before it keeps only what this and a limit behind it need.
    public func offset(_ count: Int) -> Results<Element> {
        precondition(count >= 0, "Cannot skip \(count) objects.")
        return Results(_query.objects.skipping(count))
    }
}
