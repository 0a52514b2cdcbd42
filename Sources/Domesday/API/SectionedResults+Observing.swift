public import Dispatch
public import Foundation

/// What happened to observed sections, or to one section.
///
/// **Shape.** An index path is a section's position and a position in it. Deletions, modifications and
/// `sectionsToDelete` are positions in what was told last, insertions and `sectionsToInsert` in the
/// present sections; ascending, and exact. The objects of a section that came or went are listed too.
/// A section that moved is deleted and inserted; so is an object that moved, also to another section.
///
/// Of one section nothing is told when only its position changes.
/// **Threads.** As the sections.
public enum RealmSectionedResultsChange<CollectionType> {
    /// Told once, at first.
    case initial(CollectionType)
    /// Sections or objects came, went, moved, or were modified.
    case update(
        CollectionType,
        deletions: [IndexPath],
        insertions: [IndexPath],
        modifications: [IndexPath],
        sectionsToInsert: IndexSet,
        sectionsToDelete: IndexSet
    )

    /// The places of the modified objects in the present sections; of one section, beside the section's
    /// position as it was told last.
    ///
    /// - Complexity: O(modifications * log changes + changes).
    public var modificationsInNew: [IndexPath] {
        guard
            case .update(_, let deletions, let insertions, let modifications, let come, let gone) =
                self
        else { return [] }
        let sections = PositionMap(deletions: Array(gone), insertions: Array(come))
        let deleted = Dictionary(grouping: deletions) { $0[0] }
        let inserted = Dictionary(grouping: insertions) { $0[0] }
        return modifications.map { place in
            let section = sections.newPosition(of: place[0])
            let rows = PositionMap(
                deletions: deleted[place[0]]?.map { $0[1] } ?? [],
                insertions: inserted[section]?.map { $0[1] } ?? []
            )
            return [section, rows.newPosition(of: place[1])]
        }
    }
}

/// Sections that can be observed.
///
/// **Threads.** As the sections.
protocol ObservableSections {
    associatedtype Key: _Persistable & Hashable
    associatedtype Object: RealmCollectionValue

    var state: SectionedState<Key, Object> { get }
    /// The key of the one section that this is; nil for all.
    var onlyKey: Key? { get }
}

extension SectionedResults: ObservableSections {
    var onlyKey: Key? { nil }
}

extension ResultsSection: ObservableSections {
    var onlyKey: Key? { key }
}

extension ObservableSections {
    func notifier(
        _ realm: RealmState,
        _ keyPaths: [String]?,
        _ report: @escaping (SectionedDifference?) -> Void
    ) -> Notifier {
        let base = state.results._query.objects
        return SectionedNotifier(
            realm,
            ObservedQuery(base),
            of: base.table,
            section: onlyKey,
            keyPaths: keyPaths,
            keyOf: { [state] object throws(StorageError) in try state.key(of: object) },
            report: report
        )
    }
}

extension RealmSectionedResult {
    /// Tells what happens to the sections, or to this section: at first once, then after each commit
    /// that changes them.
    ///
    /// See `RealmCollection.observe` for when and where, and for the parameters.
    ///
    /// What tells an object's key may read the object and what it links to, four links deep: an object
    /// goes to another section when something changes there, whatever `keyPaths` says.
    ///
    /// - Returns: The token that keeps it going.
    /// - Precondition: as `RealmCollection.observe`.
    /// - Complexity: A commit that changes none of the objects costs in proportion to what it changed,
    ///   another one to the objects.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmSectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        Observation.begin(self, managedState(), on: queue) { sections, state in
            Self.notifier(of: sections, state, keyPaths, block)
        }
    }

    /// Tells an actor what happens to the sections, or to this section, as the actor's own Realm shows
    /// it.
    ///
    /// - Returns: The token that keeps it going; it does nothing if the task is cancelled.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmSectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        let state = managedState()
        Observation.check(state)
        return await Observation.begin(
            ThreadSafeReference(to: self),
            state.configuration,
            on: actor
        ) { sections, state in
            Self.notifier(of: sections, state, keyPaths) { change in
                let handed = Observation.Handed(change)
                actor.assumeIsolated { block($0, handed.value) }
            }
        }
    }

    /// What happens to the sections, or to this section, as `observe` tells it.
    ///
    /// Those in each change are frozen; `thaw` gives the live ones. Not in RealmSwift.
    public var changes: RealmChanges<RealmSectionedResultsChange<Self>> { changes(keyPaths: nil) }

    /// What happens to the sections, or to this section, as `observe(keyPaths:)` tells it.
    public func changes(keyPaths: [String]?) -> RealmChanges<RealmSectionedResultsChange<Self>> {
        RealmChanges { report in
            self.observe(keyPaths: keyPaths) { change in
                switch change {
                case .initial(let sections): report(.initial(sections.freeze()))
                case .update(
                    let sections,
                    let deletions,
                    let insertions,
                    let modifications,
                    let sectionsToInsert,
                    let sectionsToDelete
                ):
                    if sections.isInvalidated { return report(nil) }
                    report(
                        .update(
                            sections.freeze(),
                            deletions: deletions,
                            insertions: insertions,
                            modifications: modifications,
                            sectionsToInsert: sectionsToInsert,
                            sectionsToDelete: sectionsToDelete
                        )
                    )
                }
            }
        }
    }

    private func managedState() -> RealmState {
        Observation.managingState(
            self,
            "Change notifications are only supported on managed collections. \(Self.self)."
        )
    }

    private static func notifier(
        of sections: Self,
        _ state: RealmState,
        _ keyPaths: [String]?,
        _ block: @escaping (RealmSectionedResultsChange<Self>) -> Void
    ) -> Notifier {
        guard let observable = sections as? any ObservableSections else {
            fatalError("\(Self.self) cannot be observed.")
        }
        return observable.notifier(state, keyPaths) { change in
            guard let change else { return block(.initial(sections)) }
            let paths = { (places: [SectionedDifference.Place]) -> [IndexPath] in
                places.map { IndexPath(indexes: [$0.section, $0.row]) }
            }
            block(
                .update(
                    sections,
                    deletions: paths(change.deletions),
                    insertions: paths(change.insertions),
                    modifications: paths(change.modifications),
                    sectionsToInsert: IndexSet(change.insertedSections),
                    sectionsToDelete: IndexSet(change.deletedSections)
                )
            )
        }
    }
}

// Key paths of the class of the objects.
extension SectionedResults where SectionElement: ObjectBase {
    /// As the other, with key paths of the objects' class: `[\.name, \.owner?.age]`.
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmSectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { QueryTrap.name(of: $0) }, on: queue, block)
    }

    /// As the other, with key paths of the objects' class.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<SectionElement>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmSectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { QueryTrap.name(of: $0) },
            on: actor,
            _isolation: _isolation,
            block
        )
    }
}

extension ResultsSection where Element: ObjectBase {
    /// As the other, with key paths of the objects' class: `[\.name, \.owner?.age]`.
    public func observe(
        keyPaths: [PartialKeyPath<Element>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmSectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { QueryTrap.name(of: $0) }, on: queue, block)
    }

    /// As the other, with key paths of the objects' class.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmSectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { QueryTrap.name(of: $0) },
            on: actor,
            _isolation: _isolation,
            block
        )
    }
}
