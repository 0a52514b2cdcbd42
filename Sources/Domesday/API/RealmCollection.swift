import PredicateLanguage

/// What belongs to one Realm, and so to one thread, queue or actor, once it is managed.
public protocol ThreadConfined {
    /// The Realm it is managed by, nil if it is unmanaged.
    var realm: Realm? { get }
    /// Whether it can no longer be used, because its object is gone or its Realm was invalidated.
    var isInvalidated: Bool { get }
    /// Whether it shows one version for ever.
    var isFrozen: Bool { get }
    /// The same as it is now in the Realm's version, for ever, for all threads.
    func freeze() -> Self
    /// The same live, on the current thread, queue or actor; nil if its object is gone.
    func thaw() -> Self?
}

extension ObjectBase: ThreadConfined {}

/// What `Results`, `List`, `MutableSet` and `LinkingObjects` have in common: a live, ordered
/// collection that can be queried.
///
/// The conforming types are fixed.
///
/// **Threads.** As the collection.
public protocol RealmCollection: RealmCollectionBase, RandomAccessCollection, Equatable,
    CustomStringConvertible, ThreadConfined
where Index == Int, Element: RealmCollectionValue {
    /// The collection as a query; there is nothing in it for users.
    var _query: _QuerySource { get }

    /// The position of an element, nil if it is not among them, found in O(*n*).
    func index(of element: Element) -> Int?
}

/// A collection as a query; opaque to users.
public struct _QuerySource {
    enum Base {
        case objects(CollectionQuery)
        case values(any ElementQuerying)
    }

    let base: Base

    init(_ base: CollectionQuery) { self.base = .objects(base) }

    init(_ base: any ElementQuerying) { self.base = .values(base) }

    /// A managed collection as it is.
    ///
    /// - Precondition: it is managed: "This method may only be called on RLMArray instances
    ///   retrieved from an RLMRealm".
    init<Base: StoredCollection>(_ collection: Base) {
        guard collection.isManaged else {
            fatalError(
                "This method may only be called on \(Base.realmName) instances retrieved from an "
                    + "RLMRealm: a \(Base.self) that is not managed cannot be queried."
            )
        }
        let place = collection.place()
        guard place.layout.type == .link else {
            self.init(ElementQuery(collection))
            return
        }
        let query = ObjectQuery(place.target, source: CollectionSource(collection))
        self.init(CollectionQuery(place.realm, place.target, query))
    }

    /// The objects, where a collection holds some.
    var objects: CollectionQuery {
        guard case .objects(let base) = base else {
            fatalError("A collection of values has no objects.")
        }
        return base
    }

    /// The query of values.
    ///
    /// - Precondition: it is none of objects; `Element` is what it was made for.
    func values<Element: RealmCollectionValue>(of type: Element.Type) -> ElementQuery<Element> {
        guard case .values(let base) = base, let query = base as? ElementQuery<Element> else {
            fatalError("A query of values was used as one of \(type).")
        }
        return query
    }

    var state: RealmState {
        switch base {
        case .objects(let base): base.state
        case .values(let base): base.state
        }
    }

    var isInvalidated: Bool {
        switch base {
        case .objects(let base): base.table.control.pointee.isInvalidated
        case .values(let base): base.isInvalidated
        }
    }

    /// The same in another Realm of the store; nil if it starts from an object's collection and the
    /// object is not there.
    func moved(to realm: RealmState) throws(StorageError) -> _QuerySource? {
        switch base {
        case .objects(let base): try base.moved(to: realm).map { _QuerySource($0) }
        case .values(let base): try base.moved(to: realm).map { _QuerySource($0) }
        }
    }

    func filtered(_ tree: PredicateLanguage.Predicate) throws(QueryError) -> _QuerySource {
        switch base {
        case .objects(let base): _QuerySource(try base.filtered(tree))
        case .values(let base): _QuerySource(try base.filtered(tree))
        }
    }

    func sorted(_ keys: [(keyPath: String, ascending: Bool)]) throws(QueryError) -> _QuerySource {
        switch base {
        case .objects(let base): return _QuerySource(try base.sorted(keys))
        case .values(let base):
            var sorted = base
            for key in keys.reversed() {
                guard key.keyPath == "self" || key.keyPath == "SELF" else {
                    throw QueryError(
                        "Cannot sort on key path '\(key.keyPath)': arrays of "
                            + "'\(base.typeName)' can only be sorted on 'self'"
                    )
                }
                sorted = sorted.sorted(ascending: key.ascending)
            }
            return _QuerySource(sorted)
        }
    }

    /// The first of each value that occurs.
    func distinct() -> _QuerySource {
        guard case .values(let base) = base else {
            fatalError("Objects are distinct: name the properties that are to differ.")
        }
        return _QuerySource(base.distinct())
    }
}

extension List: RealmCollection {
    /// The collection as a query; there is nothing in it for users.
    public var _query: _QuerySource { _QuerySource(self) }
}

extension MutableSet: RealmCollection {
    /// The collection as a query; there is nothing in it for users.
    public var _query: _QuerySource { _QuerySource(self) }
}

extension Map {
    /// The values as a query; there is nothing in it for users.
    public var _query: _QuerySource { _QuerySource(self) }
}

extension LinkingObjects: RealmCollection {
    /// The collection as a query; there is nothing in it for users.
    public var _query: _QuerySource {
        guard let source else {
            fatalError(
                "LinkingObjects<\(Element.self)> of an object that is not managed cannot be queried."
            )
        }
        return _QuerySource(
            CollectionQuery(
                source.control.realm,
                source.originTable,
                ObjectQuery(source.originTable, source: source)
            )
        )
    }
}
