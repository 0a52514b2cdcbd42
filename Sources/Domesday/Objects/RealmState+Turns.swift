extension RealmState {
    /// What happens at the Realm's place after commits: it moves to the newest version, if it does so
    /// by itself, and its observers are called.
    func turn() {
        guard isInPlace, !reader.isWriting else { return }
        do throws(StorageError) {
            if autorefresh {
                _ = try refresh()
            } else {
                if reader.store.newestVersion != reader.snapshot.version {
                    observer?.refreshIsRequired()
                }
                if !reader.isWriting { observer?.deliver() }
            }
        } catch { ObjectTrap.storage(error, "The Realm") }
    }

    /// Begins to take part in what other Realms of the store commit, if there is a place where turns
    /// can be run.
    ///
    /// - Returns: false if there is none: a thread without a run loop.
    @discardableResult
    func beginTurns(_ place: DeliveryPlace?) -> Bool {
        if turns != nil { return true }
        guard let place, let key = registryKey else { return false }
        let turns = TurnScheduler(place, path: path) { OpenRealms.realm(key) }
        self.turns = turns
        let id = ObjectIdentifier(reader)
        reader.store.listen(id) { [weak turns, isObservedFlag] in
            turns?.schedule(isObserved: isObservedFlag.isSet)
        }
        return true
    }

    /// Asks for a turn, if anybody waits for one.
    func scheduleTurn() {
        if observer?.isObserved ?? false { turns?.schedule(isObserved: true) }
    }

    /// Begins a write once everything that observers wait for was delivered, so that what the write
    /// changes is all they will be told of next.
    func beginObservedWrite(_ observer: any RealmObserver) throws(StorageError) {
        // Others may commit while observers are called; after some rounds they are told later.
        for _ in 0..<20 {
            _ = try reader.refresh()
            observer.deliver()
            if reader.isWriting { fatalError("The Realm is already in a write transaction") }
            if try reader.beginWrite(unlessOutdated: true, holdingLock: takeLock()) { return }
        }
        try reader.beginWrite(holdingLock: takeLock())
    }

    /// Takes the store's write lock if it was offered to a write of this Realm that waits for it; else
    /// lets none wait before one that begins at once, since nothing runs here until that has begun.
    ///
    /// - Returns: Whether the lock is held.
    func takeLock() -> Bool {
        if asyncWrites?.takeLock() ?? false { return true }
        let lock = reader.store.writeLock
        for waiting in lockRequests {
            if lock.take(waiting.request) { return true }
            lock.withdraw(waiting.request)
            waiting.wake()
        }
        return false
    }
}
