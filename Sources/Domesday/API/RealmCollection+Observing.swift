public import Dispatch

extension RealmCollection {
    /// Tells what happens to the collection: at first once, then after each commit that changes it.
    ///
    /// Several commits may be told as one. Calls come between turns of the Realm's place: the main run
    /// loop or main actor, its queue or actor, the thread's run loop; and before a write begins, and in
    /// `refresh`. A callback may write.
    ///
    /// ```swift
    /// token = people.observe(keyPaths: ["name"]) { change in
    ///     if case .update(let people, let deletions, let insertions, let modifications) = change { }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPaths: What counts as a modification of an element: dotted names, `*` for every property
    ///     of a class; none for insertions and deletions alone; nil for every change in an element and
    ///     up to four links away.
    ///   - queue: A serial queue to be called on, with a collection of that queue's own Realm; nil for
    ///     where the Realm is.
    ///   - block: What to call.
    /// - Returns: The token that keeps it going.
    /// - Precondition: managed and not frozen; outside a write; "Can only add notification blocks from
    ///   within runloops."; key paths lead somewhere.
    /// - Complexity: A commit costs in proportion to what it changed, and where elements came, went or
    ///   moved, to the collection; never to the class.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        let state = Observation.managingState(
            self,
            "Change notifications are only supported on managed collections. \(Self.self)."
        )
        return Observation.begin(self, state, on: queue) { collection, state in
            Self.notifier(of: collection, state, keyPaths, block)
        }
    }

    /// As the other, with key paths of the element's class: `[\.name, \.owner?.age]`.
    public func observe(
        keyPaths: [PartialKeyPath<Element>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken where Element: ObjectBase {
        observe(keyPaths: keyPaths.map { QueryTrap.name(of: $0) }, on: queue, block)
    }

    /// Tells an actor what happens to the collection, as the actor's own Realm shows it.
    ///
    /// - Returns: The token that keeps it going; it does nothing if the task is cancelled.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        let state = Observation.managingState(
            self,
            "Change notifications are only supported on managed collections. \(Self.self)."
        )
        Observation.check(state)
        return await Observation.begin(
            ThreadSafeReference(to: self),
            state.configuration,
            on: actor
        ) { collection, state in
            Self.notifier(of: collection, state, keyPaths) { change in
                let handed = Observation.Handed(change)
                actor.assumeIsolated { block($0, handed.value) }
            }
        }
    }

    /// As the other, with key paths of the element's class.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken where Element: ObjectBase {
        await observe(
            keyPaths: keyPaths.map { QueryTrap.name(of: $0) },
            on: actor,
            _isolation: _isolation,
            block
        )
    }

    static func notifier(
        of collection: Self,
        _ state: RealmState,
        _ keyPaths: [String]?,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> Notifier {
        guard let observable = collection as? any ObservableCollection else {
            fatalError("\(Self.self) cannot be observed.")
        }
        return CollectionNotifier(state, observable.observedSource(), keyPaths: keyPaths) {
            change in
            guard let change else { return block(.initial(collection)) }
            block(
                .update(
                    collection,
                    deletions: change.deletions,
                    insertions: change.insertions,
                    modifications: change.modifications
                )
            )
        }
    }
}
