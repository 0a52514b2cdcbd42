extension Query where T == Bool {
    /// Both.
    public static func && (left: Query, right: Query) -> Query<Bool> {
        if case .and(let nodes) = left.node { return Query(.and(nodes + [right.node])) }
        return Query(.and([left.node, right.node]))
    }

    /// At least one of both.
    public static func || (left: Query, right: Query) -> Query<Bool> {
        if case .or(let nodes) = left.node { return Query(.or(nodes + [right.node])) }
        return Query(.or([left.node, right.node]))
    }

    /// Not.
    public static prefix func ! (query: Query) -> Query<Bool> { Query(.not(query.node)) }

    /// How many elements of a collection satisfy the condition, to be compared with a number.
    ///
    /// ```swift
    /// realm.objects(Person.self).where { ($0.dogs.age > 3 && $0.dogs.isGood).count >= 2 }
    /// ```
    ///
    /// - Precondition: the condition is about members of one collection: "Subqueries must contain a
    ///   keypath starting with a collection."
    public var count: Query<Int> { Query<Int>(.subqueryCount(node)) }
}
