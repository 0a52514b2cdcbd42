extension Realm {
    /// Whether it shows one version for ever and may be used on any thread.
    public var isFrozen: Bool { state.isFrozen }

    /// This Realm as it is now, for ever, for all threads at once.
    ///
    /// In a write that is the version before it. What the frozen Realm has read stays in memory, and
    /// its version on disk, until it and everything that came from it is let go.
    ///
    /// - Returns: Itself if it is frozen; the same one for each call at one version.
    /// - Complexity: O(classes + clusters), no object is read.
    public func freeze() -> Realm {
        state.checkConfinement()
        return Realm(state: OpenRealms.frozen(state))
    }

    /// The live Realm here: the one of this queue, actor or thread.
    ///
    /// It is at least at the version that was frozen.
    ///
    /// - Returns: Itself if it is not frozen.
    public func thaw() -> Realm { Realm(state: Freezing.live(of: state)) }

    /// As the object's own `freeze`.
    public func freeze<T: ObjectBase>(_ obj: T) -> T { obj.freeze() }

    /// As the object's own `thaw`.
    public func thaw<T: ObjectBase>(_ obj: T) -> T? { obj.thaw() }

    /// As the collection's own `freeze`.
    public func freeze<C: RealmCollection>(_ collection: C) -> C { collection.freeze() }

    /// As the collection's own `thaw`.
    public func thaw<C: RealmCollection>(_ collection: C) -> C? { collection.thaw() }

    /// As the map's own `freeze`.
    public func freeze<C: RealmKeyedCollection>(_ map: C) -> C { map.freeze() }

    /// As the map's own `thaw`.
    public func thaw<C: RealmKeyedCollection>(_ map: C) -> C? { map.thaw() }
}

extension ThreadConfined {
    /// The same as it is now in the Realm's version, for ever, for all threads at once.
    ///
    /// In a write that is the version before it. See `Realm.freeze`.
    ///
    /// - Returns: Itself if it is frozen.
    /// - Precondition: managed: "Unmanaged objects cannot be frozen."; not deleted; not added in the
    ///   write that is open: "Cannot freeze an object in the same write transaction as it was created
    ///   in."
    public func freeze() -> Self { Freezing.frozen(self) }

    /// The same live, in the Realm of this queue, actor or thread, which is opened if need be.
    ///
    /// - Returns: Itself if it is not frozen; nil if its object is gone.
    /// - Precondition: managed: "Unmanaged objects cannot be thawed."
    public func thaw() -> Self? { Freezing.thawed(self) }
}

/// Going from live to frozen and back.
enum Freezing {
    static func frozen<T: ThreadConfined>(_ value: T) -> T {
        let (managed, state) = managed(value, "frozen")
        if state.isFrozen { return value }
        state.checkConfinement()
        checkValid(value)
        guard let frozen = relocated(managed, to: OpenRealms.frozen(state)) as? T else {
            fatalError(
                "Cannot freeze an object in the same write transaction as it was created in. "
                    + "\(T.self) of the Realm at path '\(state.path)'."
            )
        }
        return frozen
    }

    static func thawed<T: ThreadConfined>(_ value: T) -> T? {
        let (managed, state) = managed(value, "thawed")
        if !state.isFrozen { return value }
        state.checkConfinement()
        return relocated(managed, to: live(of: state)) as? T
    }

    /// The live Realm of a frozen one, here, at its version or a later one.
    static func live(of state: RealmState) -> RealmState {
        state.checkConfinement()
        do {
            let live = try OpenRealms.live(state)
            if live !== state { try live.advance(to: state.reader.snapshot.version) }
            return live
        } catch {
            fatalError("Cannot open the Realm at path '\(state.path)' to thaw: \(error)")
        }
    }

    static func relocated(_ value: any Relocatable, to state: RealmState) -> (any Relocatable)? {
        reading("\(type(of: value))") { () throws(StorageError) in try value.relocated(to: state) }
    }

    /// Runs `body` and traps if the store fails.
    static func reading<R>(_ subject: String, _ body: () throws(StorageError) -> R) -> R {
        do throws(StorageError) { return try body() } catch { ObjectTrap.storage(error, subject) }
    }

    private static func managed<T: ThreadConfined>(
        _ value: T,
        _ participle: String
    ) -> (any Relocatable, RealmState) {
        if let managed = value as? any Relocatable, let state = managed.managingState {
            return (managed, state)
        }
        if value is ObjectBase {
            fatalError("Unmanaged objects cannot be \(participle). Object of class '\(T.self)'.")
        }
        let name = (value as? any StoredCollection).map { type(of: $0).realmName } ?? "RLMArray"
        fatalError(
            "This method may only be called on \(name) instances retrieved from an RLMRealm: an "
                + "unmanaged \(T.self) cannot be \(participle)."
        )
    }

    /// Traps for what its Realm has no more.
    static func checkValid<T: ThreadConfined>(_ value: T) {
        if value.isInvalidated {
            fatalError("Object has been deleted or invalidated. \(T.self).")
        }
    }
}
