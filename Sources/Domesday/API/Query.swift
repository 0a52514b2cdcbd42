import PredicateLanguage

/// A condition on objects, written in Swift: what the closure of `where` gets and returns.
///
/// ```swift
/// let adults = realm.objects(Person.self).where { $0.age >= 18 && $0.name.starts(with: "A") }
/// let owners = realm.objects(Person.self).where { $0.dogs.age > 3 }   // any of the dogs
/// let busy = realm.objects(Person.self).where { ($0.dogs.age > 3).count >= 2 }
/// ```
///
/// A `Query<Person>` has the members of `Person`, each a query of the member's type; comparing one
/// gives a `Query<Bool>`. A bare `Bool` member is a condition too. A member reached through a
/// collection is compared with `ANY`: it suffices that one element satisfies the comparison.
///
/// **Shape.** Only `@Persisted` properties are members. A computed property compiles, but asks for
/// the stored property it reads last.
/// **Threads.** A value; used within the call that makes it.
@dynamicMemberLookup
public struct Query<T> {
    let node: QueryNode

    /// The object that is tested, or the element itself for a collection of scalars.
    init() { node = .path(QueryPath()) }

    init(_ node: QueryNode) { self.node = node }

    /// A query to build on, for tests.
    public static func _constructForTesting() -> Query<T> { Query<T>() }

    /// The condition as RealmSwift writes it: a format string and its arguments.
    ///
    /// - Complexity: O(*n*), *n* = parts of the condition.
    public func _constructPredicate() -> (String, [Any]) {
        let text = QueryText(of: node)
        return (text.text, text.arguments)
    }
}

extension Query where T == Bool {
    /// The condition in the predicate language.
    var predicate: PredicateLanguage.Predicate { node.predicate }
}

// Members.

extension Query where T: ObjectBase {
    /// A property of the object.
    public subscript<V>(dynamicMember member: Swift.KeyPath<T, V>) -> Query<V> {
        appending(member)
    }

    /// A collection property of the object.
    public subscript<V: RealmCollectionBase>(
        dynamicMember member: Swift.KeyPath<T, V>
    ) -> Query<V> {
        appending(member, isCollection: true)
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: ObjectBase {
    /// A property of the object a link leads to.
    public subscript<V>(dynamicMember member: Swift.KeyPath<T.Wrapped, V>) -> Query<V> {
        appending(member)
    }

    /// A collection property of the object a link leads to.
    public subscript<V: RealmCollectionBase>(
        dynamicMember member: Swift.KeyPath<T.Wrapped, V>
    ) -> Query<V> {
        appending(member, isCollection: true)
    }
}

extension Query where T: RealmCollectionBase, T.Element: ObjectBase {
    /// A property of the collection's elements.
    public subscript<V>(dynamicMember member: Swift.KeyPath<T.Element, V>) -> Query<V> {
        appending(member)
    }

    /// A collection property of the collection's elements.
    public subscript<V: RealmCollectionBase>(
        dynamicMember member: Swift.KeyPath<T.Element, V>
    ) -> Query<V> {
        appending(member, isCollection: true)
    }
}

extension Query {
    func appending<Root: ObjectBase, V>(
        _ member: Swift.KeyPath<Root, V>,
        isCollection: Bool = false
    ) -> Query<V> {
        guard let name = KeyPathName.name(of: member) else {
            fatalError(
                "Cannot query a property of '\(Root.className())' that is not @Persisted "
                    + "(\(member))."
            )
        }
        return Query<V>(.path(node.path.appending(.property(name), isCollection: isCollection)))
    }

    static func comparing(
        _ left: Query,
        _ op: ComparisonOperator,
        _ right: QueryNode,
        _ options: StringOptions? = nil
    ) -> Query<Bool> {
        Query<Bool>(.comparing(left.node, op, right, options))
    }
}
