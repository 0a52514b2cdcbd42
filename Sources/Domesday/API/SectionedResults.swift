public import Foundation

/// A sequence of sections, and of what belongs to one Realm.
///
/// **Threads.** As its elements.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined,
    CustomStringConvertible
where Index == Int {}

/// Objects in sections: sorted, and grouped by a key; live as the objects are.
///
/// ```swift
/// let byInitial = people.sectioned(by: { $0.name.prefix(1).uppercased() }, sortDescriptors: ["name"])
/// for section in byInitial {
///     print(section.key, section.count)
/// }
/// ```
///
/// **Shape.** Sections are in the order in which their keys come first in the sorted objects; those of
/// one key are one section, wherever they stand. Indexes are positions at the moment of the call.
/// **Threads.** The Realm's.
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue> {
    let state: SectionedState<Key, SectionElement>

    /// The keys of all sections, in order.
    ///
    /// - Complexity: O(*n*) at first use after a change, and inside a write; else O(sections).
    public var allKeys: [Key] { state.sections().map(\.key) }

    /// - Precondition: as for `Results`: "Index N is out of bounds (must be less than M)."
    public subscript(position: Int) -> ResultsSection<Key, SectionElement> {
        let sections = state.sections()
        if position < 0 { fatalError("Cannot pass a negative value for 'index'.") }
        guard position < sections.count else {
            fatalError(
                "Index \(position) is out of bounds (must be less than \(sections.count))."
            )
        }
        return ResultsSection(state: state, key: sections[position].key)
    }

    /// The object at a section's position and a position in that section.
    ///
    /// - Precondition: an index path of two positions that exist.
    public subscript(indexPath: IndexPath) -> SectionElement {
        guard indexPath.count == 2 else {
            fatalError("An index path into sections has two positions, not \(indexPath.count).")
        }
        return self[indexPath[0]][indexPath[1]]
    }

    /// The Realm they are in.
    public var realm: Realm? { state.results.realm }
    /// Whether the Realm was invalidated since.
    public var isInvalidated: Bool { state.results.isInvalidated }
    /// Whether they are those of a frozen Realm; what tells the keys is then called on any thread.
    public var isFrozen: Bool { state.results.isFrozen }
}

@available(*, unavailable, message: "confined to the Realm's thread, queue or actor")
extension SectionedResults: Sendable {}

extension SectionedResults: RealmSectionedResult {
    /// A section.
    public typealias Element = ResultsSection<Key, SectionElement>
    /// A section's position.
    public typealias Index = Int
    /// A range of positions.
    public typealias Indices = Range<Int>

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { state.sections().count }
    /// The number of sections.
    public var count: Int { endIndex }
    /// The position after `i`; whether it is in range is not checked.
    public func index(after i: Int) -> Int { i + 1 }
    /// The position before `i`; whether it is in range is not checked.
    public func index(before i: Int) -> Int { i - 1 }

    /// Visits the sections that are there now.
    public func makeIterator() -> IndexingIterator<[ResultsSection<Key, SectionElement>]> {
        state.sections().map { ResultsSection(state: state, key: $0.key) }.makeIterator()
    }

    /// Whether both are sections of the same objects, by the same call.
    public static func == (a: SectionedResults, b: SectionedResults) -> Bool { a.state === b.state }

    /// All sections with their objects; long ones are cut short.
    public var description: String {
        let name = "SectionedResults<\(Key.self), \(SectionElement.self)>"
        let lines = map { (section: ResultsSection<Key, SectionElement>) -> String in
            section.description.split(separator: "\n").map { "\t\($0)\n" }.joined()
        }
        return "\(name) (\n" + lines.joined() + ")"
    }
}

/// One section of ``SectionedResults``: its key and its objects, live.
///
/// It is empty while no object has its key.
///
/// **Threads.** The Realm's.
public struct ResultsSection<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    let state: SectionedState<Key, Element>
    /// What its objects have in common.
    public let key: Key

    private var positions: [Int] { state.positions(of: key) }

    /// - Precondition: as for `Results`.
    public subscript(position: Int) -> Element {
        let positions = positions
        if position < 0 { fatalError("Cannot pass a negative value for 'index'.") }
        guard position < positions.count else {
            fatalError(
                "Index \(position) is out of bounds (must be less than \(positions.count))."
            )
        }
        return state.results[positions[position]]
    }

    /// The Realm its objects are in.
    public var realm: Realm? { state.results.realm }
    /// Whether the Realm was invalidated since.
    public var isInvalidated: Bool { state.results.isInvalidated }
    /// Whether they are those of a frozen Realm; what tells the keys is then called on any thread.
    public var isFrozen: Bool { state.results.isFrozen }
}

@available(*, unavailable, message: "confined to the Realm's thread, queue or actor")
extension ResultsSection: Sendable {}

extension ResultsSection: RealmSectionedResult, Identifiable {
    /// A position.
    public typealias Index = Int
    /// A range of positions.
    public typealias Indices = Range<Int>

    /// The key.
    public var id: Key { key }
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { positions.count }
    /// The number of objects.
    public var count: Int { endIndex }
    /// The position after `i`; whether it is in range is not checked.
    public func index(after i: Int) -> Int { i + 1 }
    /// The position before `i`; whether it is in range is not checked.
    public func index(before i: Int) -> Int { i - 1 }

    /// Visits the objects that are there now.
    public func makeIterator() -> IndexingIterator<[Element]> {
        positions.map { state.results[$0] }.makeIterator()
    }

    /// Whether both are the section of one key of the same sections.
    public static func == (a: ResultsSection, b: ResultsSection) -> Bool {
        a.state === b.state && a.key == b.key
    }

    /// The key and the objects; many objects and deep ones are cut short.
    public var description: String {
        "\(key) "
            + ObjectDescription.list(self, Element._shape, named: "ResultsSection", depth: 0)
    }
}

/// Sorted objects, how their sections are told, and the sections found last.
final class SectionedState<Key: Hashable, Element: RealmCollectionValue> {
    typealias Section = (key: Key, positions: [Int])

    let results: Results<Element>
    private let keyOf: (Element) -> Key
    /// Behind a lock because several threads may use frozen ones.
    private let found = Lock<(epoch: UInt64, sections: [Section], byKey: [Key: Int])?>(nil)

    init(_ results: Results<Element>, _ keyOf: @escaping (Element) -> Key) {
        self.results = results
        self.keyOf = keyOf
    }

    func sections() -> [Section] { current().sections }

    func positions(of key: Key) -> [Int] {
        let (sections, byKey) = current()
        return byKey[key].map { sections[$0].positions } ?? []
    }

    /// The sections as they are now.
    ///
    /// Remembered outside writes, for as long as the version stays.
    private func current() -> (sections: [Section], byKey: [Key: Int]) {
        results._query.objects.check()
        let control = results._query.objects.table.control
        if let found = found.withLock({ $0 }), found.epoch == control.pointee.epoch,
            !control.pointee.isWritable
        {
            return (found.sections, found.byKey)
        }
        var sections: [Section] = []
        var byKey: [Key: Int] = [:]
        for (position, element) in results.enumerated() {
            let key = keyOf(element)
            if let known = byKey[key] {
                sections[known].positions.append(position)
            } else {
                byKey[key] = sections.count
                sections.append((key, [position]))
            }
        }
        // The epoch is read after the objects, which may have moved something.
        let made = (control.pointee.epoch, sections, byKey)
        found.withLock { $0 = made }
        return (sections, byKey)
    }

    /// The sections of the same objects in another Realm.
    func relocated(to realm: RealmState) throws(StorageError) -> SectionedState? {
        try results.relocated(to: realm).map { SectionedState($0, keyOf) }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The objects sorted and grouped by a property.
    public func sectioned<Key: _Persistable & Hashable & SortableType>(
        by keyPath: Swift.KeyPath<Element, Key>,
        ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(
            by: keyPath,
            sortDescriptors: [
                SortDescriptor(keyPath: QueryTrap.name(of: keyPath), ascending: ascending)
            ]
        )
    }

    /// The objects sorted by descriptors, of which the first is by the property, and grouped by it.
    ///
    /// - Precondition: "The section key path must match the primary sort descriptor."
    public func sectioned<Key: _Persistable & Hashable & SortableType>(
        by keyPath: Swift.KeyPath<Element, Key>,
        sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        guard let first = sortDescriptors.first else {
            fatalError(
                "There must be at least one SortDescriptor when using SectionedResults."
            )
        }
        let name = QueryTrap.name(of: keyPath)
        guard first.keyPath == name else {
            fatalError(
                "The section key path must match the primary sort descriptor. The key path is "
                    + "'\(name)', the descriptor's '\(first.keyPath)'."
            )
        }
        return sectioned(sortDescriptors: sortDescriptors) { $0[keyPath: keyPath] }
    }

    /// The objects sorted by descriptors, and grouped by what `block` tells of each.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key,
        sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sectioned(sortDescriptors: sortDescriptors, block)
    }

    /// The objects sorted by descriptors, and grouped by what `keyBlock` tells of each.
    ///
    /// - Precondition: "Can not section Results with empty sortDescriptor parameter."
    public func sectioned<Key: _Persistable & Hashable>(
        sortDescriptors: [SortDescriptor],
        _ keyBlock: @escaping (Element) -> Key
    ) -> SectionedResults<Key, Element> {
        if sortDescriptors.isEmpty {
            fatalError("Can not section Results with empty sortDescriptor parameter.")
        }
        return SectionedResults(
            state: SectionedState(sorted(by: sortDescriptors), keyBlock)
        )
    }
}
