public import Dispatch

/// What happened to an observed map.
///
/// **Shape.** `deletions` are keys that the map told last had, `insertions` and `modifications` keys of
/// the present one; each once, ascending by their bytes.
/// **Threads.** As the map.
public enum RealmMapChange<Collection: RealmKeyedCollection> {
    /// The map as it is when the observation begins.
    case initial(Collection)
    /// The map, and which keys went, came, and have another value or a changed object.
    case update(
        Collection,
        deletions: [Collection.Key],
        insertions: [Collection.Key],
        modifications: [Collection.Key]
    )
    /// Never given.
    case error(any Error)
}

extension Map {
    /// Tells what happens to the map: at first once, then after each commit that changes it.
    ///
    /// When and where is as for other collections.
    ///
    /// - Parameters:
    ///   - keyPaths: What counts as a modification of an object among the values; nil for every change
    ///     in it and up to four links away.
    ///   - queue: A serial queue to be called on, with a map of that queue's own Realm; nil for where
    ///     the Realm is.
    ///   - block: What to call.
    /// - Returns: The token that keeps it going.
    /// - Precondition: managed and not frozen; outside a write; "Can only add notification blocks from
    ///   within runloops."; key paths lead somewhere.
    /// - Complexity: A commit costs in proportion to what it changed, and O(*n*) of the map.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken {
        Observation.begin(self, observableState, on: queue) { map, state in
            map.notifier(state, keyPaths, block)
        }
    }

    /// As the other, with key paths of the class of the values: `[\.name, \.owner?.age]`.
    public func observe<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken where Value: OptionalProtocol, Value.Wrapped == T {
        observe(keyPaths: keyPaths.map { QueryTrap.name(of: $0) }, on: queue, block)
    }

    /// Tells an actor what happens to the map, as the actor's own Realm shows it.
    ///
    /// - Returns: The token that keeps it going; it does nothing if the task is cancelled.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken {
        let state = observableState
        Observation.check(state)
        return await Observation.begin(
            ThreadSafeReference(to: self),
            state.configuration,
            on: actor
        ) { map, state in
            map.notifier(state, keyPaths) { change in
                let handed = Observation.Handed(change)
                actor.assumeIsolated { block($0, handed.value) }
            }
        }
    }

    private var observableState: RealmState {
        Observation.managingState(
            self,
            "Change notifications are only supported on managed collections. \(Self.self)."
        )
    }

    private func notifier(
        _ state: RealmState,
        _ keyPaths: [String]?,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> Notifier {
        MapNotifier(state, observedColumn(), keyPaths: keyPaths) { change in
            guard let change else { return block(.initial(self)) }
            block(
                .update(
                    self,
                    deletions: change.deletions.map { Key._key($0) },
                    insertions: change.insertions.map { Key._key($0) },
                    modifications: change.modifications.map { Key._key($0) }
                )
            )
        }
    }
}
