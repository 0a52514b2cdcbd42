public import Dispatch

extension ProjectionObservable {
    /// Tells which of the projection's properties change, and when its object is deleted.
    ///
    /// See `RealmCollection.observe` for when and where. Nothing is told at first. A property is told
    /// when something changes on the key path that it shows: the object's property, or that of an
    /// object it leads to. What is computed, not stored, is not told.
    ///
    /// - Parameters:
    ///   - keyPaths: The projection's properties, by name, also with names that follow
    ///     (`"card.title"`); `*` for all; nil for all.
    ///   - queue: A serial queue to be called on, with a projection of that queue's own Realm; nil for
    ///     where the Realm is.
    ///   - block: What to call. Values in it are those that the projection shows.
    /// - Returns: The token that keeps it going.
    /// - Precondition: as an object's `observe`.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(ProjectedProperties.named(keyPaths, in: self), on: queue, block)
    }

    /// As the other, with key paths of the projection: `[\.title, \.owner?.age]`.
    public func observe(
        keyPaths: [PartialKeyPath<Self>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(ProjectedProperties.shown(by: keyPaths, in: self), on: queue, block)
    }

    /// Tells an actor what happens to the projection, as the actor's own Realm shows it.
    ///
    /// - Returns: The token that keeps it going; it does nothing if the task is cancelled.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            ProjectedProperties.named(keyPaths, in: self),
            on: actor,
            _isolation: _isolation,
            block
        )
    }

    /// As the other, with key paths of the projection.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            ProjectedProperties.shown(by: keyPaths, in: self),
            on: actor,
            _isolation: _isolation,
            block
        )
    }

    /// What happens to the projection, as `observe` tells it; ends after `.deleted`.
    ///
    /// The projection in each change is frozen; `thaw` gives the live one. Not in RealmSwift.
    public var changes: RealmChanges<ObjectChange<Self>> { changes(keyPaths: nil) }

    /// What happens to the projection, as `observe(keyPaths:)` tells it; ends after `.deleted`.
    public func changes(keyPaths: [String]?) -> RealmChanges<ObjectChange<Self>> {
        RealmChanges { report in
            self.observe(keyPaths: keyPaths) { change in
                switch change {
                case .change(let projection, let properties):
                    report(.change(projection.freeze(), properties))
                case .deleted:
                    report(.deleted)
                    report(nil)
                case .error: break
                }
            }
        }
    }

    // MARK: - Registering

    private func observe(
        _ paths: [ProjectedProperties.Path],
        on queue: DispatchQueue?,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        Observation.begin(self, managedState(), on: queue) { projection, state in
            Self.notifier(of: projection, state, paths, block)
        }
    }

    private func observe<A: Actor>(
        _ paths: [ProjectedProperties.Path],
        on actor: A,
        _isolation: isolated (any Actor)?,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        let state = managedState()
        Observation.check(state)
        return await Observation.begin(
            ThreadSafeReference(to: self),
            state.configuration,
            on: actor
        ) { projection, state in
            Self.notifier(of: projection, state, paths) { change in
                let handed = Observation.Handed(change)
                actor.assumeIsolated { block($0, handed.value) }
            }
        }
    }

    private func managedState() -> RealmState {
        let state = Observation.managingState(
            self,
            "Only objects which are managed by a Realm support change notifications. '\(Self.self)' of "
                + "an object of class '\(Root.className())'."
        )
        if isInvalidated { ObjectTrap.deleted(Root.className(), rootObject.objectBinding.key) }
        return state
    }

    private static func notifier(
        of projection: Self,
        _ state: RealmState,
        _ paths: [ProjectedProperties.Path],
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> Notifier {
        let root = projection.rootObject
        let table = root.objectBinding.control?.table ?? state.requireTable(of: Root.self)
        let properties = ProjectedProperties.all(of: projection)
        return PathsNotifier(
            state,
            table,
            root.objectBinding.key,
            paths: paths.map { ($0.property, KeyPathFilter.paths([$0.keyPath], from: table)) },
            from: RealmNotifications.of(state).heldSnapshot()
        ) { change in
            guard let (names, version) = change else { return block(.deleted) }
            let old = Freezing.reading("'\(Self.self)'") { () throws(StorageError) in
                try table.frozenObject(root.objectBinding.key, at: version.snapshot)
            }
            let changes = names.compactMap { name in
                properties.first { $0.name == name }.map { property in
                    PropertyChange(
                        name: name,
                        oldValue: old.flatMap { property.value(of: $0, in: state) },
                        newValue: property.value(of: root, in: state)
                    )
                }
            }
            block(.change(projection, changes))
        }
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// As the other, with key paths of the projection: `[\.title, \.owner?.age]`.
    public func observe(
        keyPaths: [PartialKeyPath<Element>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { ProjectedProperties.name(of: $0) }, on: queue, block)
    }
}
