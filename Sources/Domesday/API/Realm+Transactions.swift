extension Realm {
    /// Whether a write transaction is open on this Realm.
    public var isInWriteTransaction: Bool {
        state.checkConfinement()
        return state.reader.isWriting
    }

    /// Begins a write, runs `block` and commits; a throw undoes everything and is rethrown.
    ///
    /// `block` may end the transaction itself. What observers have not been told yet is told first.
    ///
    /// - Parameter tokens: Of observers in this Realm that are not to be told of these changes.
    /// - Returns: What `block` returns.
    /// - Throws: What `block` throws; ``Realm/Error`` when the store cannot be written, with
    ///   nothing changed.
    @discardableResult
    public func write<Result>(
        withoutNotifying tokens: [NotificationToken] = [],
        _ block: () throws -> Result
    ) throws -> Result {
        try converting { () throws(StorageError) in try state.beginWrite() }
        let result: Result
        do { result = try block() } catch {
            if isInWriteTransaction { cancelWrite() }
            throw error
        }
        do { if isInWriteTransaction { try commitWrite(withoutNotifying: tokens) } } catch {
            if isInWriteTransaction { cancelWrite() }
            throw error
        }
        return result
    }

    /// Begins a write: waits for other writers, moves to the newest version.
    ///
    /// - Precondition: no write is open here: "The Realm is already in a write transaction". A store
    ///   that fails traps; `write` throws instead.
    public func beginWrite() {
        do { try converting { () throws(StorageError) in try state.beginWrite() } } catch {
            fatalError("\(error)")
        }
    }

    /// Makes the changes durable.
    ///
    /// Observers in this Realm are told at its next turn, or when it is refreshed or written again.
    ///
    /// - Parameter tokens: Of observers in this Realm that are not to be told of these changes.
    /// - Throws: ``Realm/Error``; then all changes are undone and the transaction is over. Only if a
    ///   unique property has one value in two objects, `.fail` names both and the transaction stays
    ///   open: change one of them and commit again, or cancel.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        let skipped = tokens.compactMap { $0.notifier(in: state) }
        try converting { () throws(StorageError) in try state.commitWrite(skipping: skipped) }
    }

    /// Whether the Realm moves to newer versions by itself: true unless set.
    ///
    /// It does so between turns of its place: the main run loop or main actor, its queue or actor, a
    /// thread's run loop if one ran when the Realm was opened or first observed. Elsewhere call
    /// `refresh`.
    ///
    /// - Precondition: true only for a Realm that is not frozen: "Auto-refresh cannot be enabled for
    ///   frozen Realms."
    public var autorefresh: Bool {
        get {
            state.checkConfinement()
            return state.autorefresh && !state.isFrozen
        }
        nonmutating set {
            state.checkConfinement()
            if state.isFrozen {
                if newValue {
                    fatalError(
                        "Auto-refresh cannot be enabled for frozen Realms. Realm at path "
                            + "'\(state.path)'."
                    )
                }
                return
            }
            state.autorefresh = newValue
        }
    }

    /// Undoes the changes; objects added in them stay invalid.
    public func cancelWrite() { state.cancelWrite() }

    /// Moves to the newest version.
    ///
    /// - Returns: Whether there was a newer one; never for a frozen Realm, nor within a write.
    /// - Complexity: O(tables + clusters remembered), whatever the tables hold.
    @discardableResult
    public func refresh() -> Bool {
        do { return try converting { () throws(StorageError) in try state.refresh() } } catch {
            fatalError("\(error)")
        }
    }

    /// Ends all objects and collections of this Realm; the Realm stays usable.
    public func invalidate() {
        if state.reader.isWriting { cancelWrite() }
        state.invalidate()
    }

    func converting<R>(_ body: () throws(StorageError) -> R) throws -> R {
        do throws(StorageError) { return try body() } catch { throw Error(storage: error) }
    }
}
