public import Dispatch

extension ThreadConfined where Self: ObjectBase {
    /// Tells which properties of the object change, and when it is deleted.
    ///
    /// See `RealmCollection.observe` for when and where. Nothing is told at first.
    ///
    /// - Parameters:
    ///   - keyPaths: What to be told of, dotted names, `*` for every property of a class; nil for every
    ///     property of the object itself.
    ///   - queue: A serial queue to be called on, with an object of that queue's own Realm; nil for
    ///     where the Realm is.
    ///   - block: What to call.
    /// - Returns: The token that keeps it going.
    /// - Precondition: "Only objects which are managed by a Realm support change notifications"; not
    ///   frozen, outside a write.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        let state = managedState()
        return Observation.begin(self, state, on: queue) { object, state in
            Self.notifier(of: object, state, keyPaths, block)
        }
    }

    /// As the other, with key paths of the class: `[\.name, \.owner?.age]`.
    public func observe(
        keyPaths: [PartialKeyPath<Self>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { QueryTrap.name(of: $0) }, on: queue, block)
    }

    /// Tells an actor what happens to the object, as the actor's own Realm shows it.
    ///
    /// - Returns: The token that keeps it going; it does nothing if the task is cancelled.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        let state = managedState()
        Observation.check(state)
        return await Observation.begin(
            ThreadSafeReference(to: self),
            state.configuration,
            on: actor
        ) { object, state in
            Self.notifier(of: object, state, keyPaths) { change in
                let handed = Observation.Handed(change)
                actor.assumeIsolated { block($0, handed.value) }
            }
        }
    }

    /// As the other, with key paths of the class.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { QueryTrap.name(of: $0) },
            on: actor,
            _isolation: _isolation,
            block
        )
    }

    private func managedState() -> RealmState {
        let state = Observation.managingState(
            self,
            "Only objects which are managed by a Realm support change notifications. Object of class "
                + "'\(Self.className())'."
        )
        if isInvalidated { ObjectTrap.deleted(Self.className(), objectBinding.key) }
        return state
    }

    static func notifier(
        of object: Self,
        _ state: RealmState,
        _ keyPaths: [String]?,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> Notifier {
        ObjectNotifier(
            state,
            object.objectBinding.control?.table ?? state.requireTable(of: type(of: object)),
            object.objectBinding.key,
            keyPaths: keyPaths,
            from: RealmNotifications.of(state).heldSnapshot()
        ) { changes in
            guard let changes else { return block(.deleted) }
            block(
                .change(
                    object,
                    changes.map {
                        PropertyChange(name: $0.name, oldValue: $0.oldValue, newValue: $0.newValue)
                    }
                )
            )
        }
    }
}

extension Realm {
    /// Tells when the Realm shows a newer version.
    ///
    /// A commit of this Realm is told before `commitWrite` returns, others' when it moves on.
    ///
    /// - Returns: The token that keeps it going.
    /// - Precondition: not frozen, outside a write: "Can only add notification blocks from within
    ///   runloops."
    public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
        Observation.check(state)
        Observation.beginTurns(state)
        let token = NotificationToken()
        let base = RealmNotifications.of(state).heldSnapshot()
        token.begin(
            RealmNotifier(state, from: base) { [unowned state] isRefreshRequired in
                block(isRefreshRequired ? .refreshRequired : .didChange, Realm(state: state))
            }
        )
        return token
    }
}
