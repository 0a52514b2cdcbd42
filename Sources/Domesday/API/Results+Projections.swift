public import Foundation
import PredicateLanguage

// Results of projections are queried by the names of the objects they show.
extension Results where Element: ProjectionObservable {
    private var roots: Results<Element.Root> { Results<Element.Root>(_query) }

    /// The projections whose objects a text holds for; as for `Results` of objects.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        filter(NSPredicate(format: predicateFormat, argumentArray: args))
    }

    /// The projections whose objects a predicate holds for.
    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        Results(roots.filter(predicate)._query)
    }

    /// The projections whose objects a condition holds for.
    public func `where`(
        _ isIncluded: (Query<Element.Root>) -> Query<Bool>
    ) -> Results<Element> {
        Results(roots.where(isIncluded)._query)
    }

    /// The projections sorted by a property of their objects.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        Results(roots.sorted(byKeyPath: keyPath, ascending: ascending)._query)
    }

    /// The projections sorted by properties of their objects.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Element == SortDescriptor {
        Results(roots.sorted(by: sortDescriptors)._query)
    }

    /// The position of a projection's object, nil if it is not among them.
    public func index(of element: Element) -> Int? { _query.objects.index(of: element.rootObject) }
}

/// One property of each element of a collection: `person.dogs.projectTo.name`; live, to be read.
///
/// **Threads.** As the collection.
public struct ProjectedCollection<Element> {
    private let collection: any ThreadConfined
    private let countOf: () -> Int
    private let elementAt: (Int) -> Element

    fileprivate init<C: RealmCollection>(_ base: C, _ keyPath: Swift.KeyPath<C.Element, Element>) {
        collection = base
        countOf = { base.count }
        elementAt = { base[$0][keyPath: keyPath] }
    }
}

@available(*, unavailable, message: "confined to the Realm's thread, queue or actor")
extension ProjectedCollection: Sendable {}

extension ProjectedCollection: RandomAccessCollection, ThreadConfined, CustomStringConvertible {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { countOf() }
    /// The number of elements.
    public var count: Int { countOf() }
    /// The position after `i`; whether it is in range is not checked.
    public func index(after i: Int) -> Int { i + 1 }
    /// The position before `i`; whether it is in range is not checked.
    public func index(before i: Int) -> Int { i - 1 }
    /// - Precondition: as the collection's.
    public subscript(position: Int) -> Element { elementAt(position) }
    /// The Realm the collection is in.
    public var realm: Realm? { collection.realm }
    /// Whether the collection can no longer be used.
    public var isInvalidated: Bool { collection.isInvalidated }
    /// Whether the collection shows one version for ever.
    public var isFrozen: Bool { collection.isFrozen }

    /// The values with their positions.
    public var description: String {
        "ProjectedCollection<\(Element.self)> {\n"
            + enumerated().map { "\t[\($0)] \(DynamicValue.text($1))\n" }.joined() + "}"
    }
}

/// Turns a property of elements into a collection of its values; see `projectTo`.
///
/// **Threads.** As the collection.
@dynamicMemberLookup
public struct CollectionElementMapper<Base: RealmCollection> {
    fileprivate let base: Base

    /// The property of each element.
    public subscript<Value>(
        dynamicMember member: Swift.KeyPath<Base.Element, Value>
    ) -> ProjectedCollection<Value> { ProjectedCollection(base, member) }
}

extension RealmCollection where Element: ObjectBase {
    /// Names a property of the elements, to see it of all: `dogs.projectTo.name`.
    public var projectTo: CollectionElementMapper<Self> { CollectionElementMapper(base: self) }
}
