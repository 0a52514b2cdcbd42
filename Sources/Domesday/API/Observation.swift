import Dispatch

/// A collection that can be observed; every public one conforms.
///
/// **Threads.** As the collection.
protocol ObservableCollection {
    /// Where its elements come from.
    func observedSource() -> any ObservedSource
}

extension Results: ObservableCollection {
    func observedSource() -> any ObservedSource {
        switch source.base {
        case .objects(let base): ObservedQuery(base)
        case .values(let base):
            ObservedValues(base, from: base.source.observedColumn())
        }
    }
}

extension StoredCollection {
    func observedColumn() -> ObservedColumn {
        let place = place()
        return ObservedColumn(place.table, place.key, column, path: path)
    }
}

extension List: ObservableCollection {
    func observedSource() -> any ObservedSource { observedColumn() }
}

extension MutableSet: ObservableCollection {
    func observedSource() -> any ObservedSource { observedColumn() }
}

extension LinkingObjects: ObservableCollection {
    func observedSource() -> any ObservedSource {
        guard let source else { fatalError("linking objects that are not managed") }
        return ObservedLinks(source)
    }
}

/// Registers observers where they are to be told.
enum Observation {
    /// A callback, or another value, on its way to the place that it was given for.
    struct Handed<Value>: @unchecked Sendable {
        // @unchecked: used by nobody but that place once it was handed over.
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    /// Begins an observation where the Realm is, or on another queue.
    ///
    /// - Parameter makeNotifier: Called with `value`, or with its twin of the queue's own Realm.
    static func begin<T: ThreadConfined>(
        _ value: T,
        _ state: RealmState,
        on queue: DispatchQueue?,
        _ makeNotifier: @escaping (T, RealmState) -> Notifier
    ) -> NotificationToken {
        let token = NotificationToken()
        check(state)
        guard let queue, Confinement.onQueue(queue).identity != state.confinement.identity else {
            beginTurns(state)
            token.begin(makeNotifier(value, state))
            return token
        }
        let reference = ThreadSafeReference(to: value)
        let configuration = state.configuration
        let path = state.path
        let start = Handed { (realm: Realm, token: NotificationToken) in
            guard let value = realm.resolve(reference) else { return }
            token.begin(makeNotifier(value, realm.state))
        }
        queue.async { [weak token] in
            // The token may be let go before.
            guard let token, !token.isInvalidated else { return }
            do {
                start.value(try Realm(configuration: configuration, queue: queue), token)
            } catch {
                fatalError("Cannot open the Realm at path '\(path)' to observe: \(error)")
            }
        }
        return token
    }

    /// Begins an observation on an actor.
    static func begin<T: ThreadConfined, A: Actor>(
        _ reference: ThreadSafeReference<T>,
        _ configuration: Realm.Configuration,
        on actor: isolated A,
        _ makeNotifier: (T, RealmState) -> Notifier
    ) -> NotificationToken {
        let token = NotificationToken()
        if Task.isCancelled {
            token.invalidate()
            return token
        }
        do {
            let state = try Realm.opened(configuration, .onActor(actor), "observe(on:)")
            guard let value = Realm(state: state).resolve(reference) else { return token }
            token.begin(makeNotifier(value, state))
        } catch {
            fatalError("Cannot open a Realm to observe on \(A.self): \(error)")
        }
        return token
    }

    /// Traps where nothing can be observed.
    static func check(_ state: RealmState) {
        state.checkConfinement()
        if state.isFrozen {
            fatalError(
                "Frozen Realms do not change and do not have change notifications. Realm at path "
                    + "'\(state.path)'."
            )
        }
        if state.configuration.readOnly {
            fatalError(
                "Read-only Realms do not change and do not have change notifications. Realm at path "
                    + "'\(state.path)'."
            )
        }
        if state.reader.isWriting {
            fatalError(
                "Cannot register notification blocks from within write transactions. Realm at path "
                    + "'\(state.path)'."
            )
        }
    }

    static func beginTurns(_ state: RealmState) {
        if state.turns != nil || state.beginTurns(DeliveryPlace(state.confinement)) { return }
        fatalError(
            "Can only add notification blocks from within runloops. The Realm at path "
                + "'\(state.path)' belongs to \(state.confinement.description), which runs none; a "
                + "Realm of a queue or an actor can be observed, or give observe(on:) a queue."
        )
    }

    static func managingState<T>(_ value: T, _ text: String) -> RealmState {
        guard let state = (value as? any Relocatable)?.managingState else { fatalError(text) }
        return state
    }
}
