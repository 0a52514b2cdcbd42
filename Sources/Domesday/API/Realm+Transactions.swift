extension Realm {
    /// Whether a write transaction is open on this Realm.
    public var isInWriteTransaction: Bool {
        state.checkConfinement()
        return state.reader.isWriting
    }

    /// Begins a write, runs `block` and commits; a throw undoes everything and is rethrown.
    ///
    /// `block` may end the transaction itself.
    ///
    /// - Returns: What `block` returns.
    /// - Throws: What `block` throws; ``Realm/Error`` when the store cannot be written, with
    ///   nothing changed.
    @discardableResult
    public func write<Result>(_ block: () throws -> Result) throws -> Result {
        try converting { () throws(StorageError) in try state.beginWrite() }
        let result: Result
        do { result = try block() } catch {
            if isInWriteTransaction { cancelWrite() }
            throw error
        }
        if isInWriteTransaction { try commitWrite() }
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
    /// - Throws: ``Realm/Error``; then all changes are undone and the transaction is over.
    public func commitWrite() throws {
        try converting { () throws(StorageError) in try state.commitWrite() }
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
