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

/// What `Results`, `List` and `LinkingObjects` have in common: a live, ordered collection that can
/// be queried.
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
    let base: CollectionQuery

    init(_ base: CollectionQuery) { self.base = base }
}

extension Results {
    /// The position of an object, nil if it is not among them, found in O(*n*).
    public func index(of element: Element) -> Int? {
        (element as? ObjectBase).flatMap { base.index(of: $0) }
    }
}

extension List: RealmCollection {
    /// The list or the linking objects as a query.
    public var _query: _QuerySource {
        guard let control = binding.control else {
            fatalError(
                "This method may only be called on RLMArray instances retrieved from an RLMRealm: "
                    + "a List<\(Element.self)> that is not managed cannot be queried."
            )
        }
        let place = place()
        return _QuerySource(
            CollectionQuery(
                control.realm,
                place.target,
                ObjectQuery(place.target, source: ListSource(self))
            )
        )
    }
}

extension LinkingObjects: RealmCollection {
    /// The list or the linking objects as a query.
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
