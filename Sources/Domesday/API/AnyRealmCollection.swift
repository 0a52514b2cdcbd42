/// Any collection of a Realm whose elements are of one type: its own type is hidden.
///
/// **Threads.** As the collection.
public struct AnyRealmCollection<Element: RealmCollectionValue> {
    private let box: CollectionBox<Element>

    /// Hides the type of a collection.
    public init<C: RealmCollection>(_ base: C) where C.Element == Element {
        box = CollectionBoxOf(base)
    }

    /// The Realm it is in; nil if it is unmanaged.
    public var realm: Realm? { box.realm }
    /// Whether it can no longer be used.
    public var isInvalidated: Bool { box.isInvalidated }
    /// Whether it shows one version for ever.
    public var isFrozen: Bool { box.isFrozen }
}

@available(*, unavailable, message: "confined to the Realm's thread, queue or actor")
extension AnyRealmCollection: Sendable {}

extension AnyRealmCollection: ObservableCollection {
    func observedSource() -> any ObservedSource { box.observedSource() }
}

// What `Relocatable` asks for.
extension AnyRealmCollection {
    var relocatable: (any Relocatable)? { box.relocatable }

    func relocatedBase(to realm: RealmState) throws(StorageError) -> AnyRealmCollection? {
        try box.relocated(to: realm).map { AnyRealmCollection(box: $0) }
    }

    private init(box: CollectionBox<Element>) { self.box = box }
}

extension AnyRealmCollection: RealmCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// One past the last position: `count`, at its cost.
    public var endIndex: Int { box.count }
    /// As the collection's.
    public var count: Int { box.count }
    /// The position after `i`; whether it is in range is not checked.
    public func index(after i: Int) -> Int { i + 1 }
    /// The position before `i`; whether it is in range is not checked.
    public func index(before i: Int) -> Int { i - 1 }

    /// - Precondition: as the collection's.
    public subscript(position: Int) -> Element { box.element(at: position) }

    /// Visits what the collection's own iterator visits.
    public func makeIterator() -> AnyIterator<Element> { box.makeIterator() }

    /// The position of an element, nil if it is not among them.
    public func index(of element: Element) -> Int? { box.index(of: element) }

    /// The collection as a query; there is nothing in it for users.
    public var _query: _QuerySource { box.query }

    /// Whether both hide collections of one type that are equal.
    public static func == (a: AnyRealmCollection, b: AnyRealmCollection) -> Bool {
        a.box.isEqual(to: b.box)
    }

    /// As the collection's.
    public var description: String { box.description }
}

extension AnyRealmCollection: Encodable where Element: Encodable {
    /// Encodes the elements in order, as an array; managed objects as copies.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(elements: self)
    }
}

/// A collection whose type is not known.
private class CollectionBox<Element> {
    var realm: Realm? { nil }
    var isInvalidated: Bool { false }
    var isFrozen: Bool { false }
    var count: Int { 0 }
    var description: String { "" }
    var query: _QuerySource { fatalError("a collection without a type") }
    func element(at position: Int) -> Element { fatalError("a collection without a type") }
    func makeIterator() -> AnyIterator<Element> { AnyIterator { nil } }
    func index(of element: Element) -> Int? { nil }
    func isEqual(to other: CollectionBox) -> Bool { self === other }
    var relocatable: (any Relocatable)? { nil }
    func relocated(to realm: RealmState) throws(StorageError) -> CollectionBox? { nil }
    func observedSource() -> any ObservedSource { fatalError("a collection without a type") }
}

private final class CollectionBoxOf<Base: RealmCollection>: CollectionBox<Base.Element> {
    let base: Base

    init(_ base: Base) { self.base = base }

    override var realm: Realm? { base.realm }
    override var isInvalidated: Bool { base.isInvalidated }
    override var isFrozen: Bool { base.isFrozen }
    override var count: Int { base.count }
    override var description: String { base.description }
    override var query: _QuerySource { base._query }
    override func element(at position: Int) -> Base.Element { base[position] }
    override func makeIterator() -> AnyIterator<Base.Element> { AnyIterator(base.makeIterator()) }
    override func index(of element: Base.Element) -> Int? { base.index(of: element) }

    override func isEqual(to other: CollectionBox<Base.Element>) -> Bool {
        (other as? CollectionBoxOf).map { base == $0.base } ?? false
    }

    override var relocatable: (any Relocatable)? { base as? any Relocatable }

    override func relocated(
        to realm: RealmState
    ) throws(StorageError) -> CollectionBox<Base.Element>? {
        (try relocatable?.relocated(to: realm) as? Base).map { CollectionBoxOf($0) }
    }

    override func observedSource() -> any ObservedSource {
        guard let observable = base as? any ObservableCollection else {
            fatalError("'\(Base.self)' cannot be observed.")
        }
        return observable.observedSource()
    }
}
