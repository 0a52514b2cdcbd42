extension Realm {
    /// Names a write that waits, or a completion.
    public typealias AsyncTransactionId = UInt32

    /// Runs `block` in a write as soon as the store may be written, without waiting for it here.
    ///
    /// Writes asked for in this way run in order, each in a turn of the Realm's place.
    ///
    /// - Parameters:
    ///   - block: Changes the Realm; it may end the transaction itself.
    ///   - onComplete: Called in a later turn, once the changes are durable; with the error if they
    ///     could not be made so, and are undone.
    /// - Returns: What `cancelAsyncWrite` takes.
    /// - Precondition: a place with turns: "Cannot schedule async transaction. Make sure you are running
    ///   from inside a run loop."; not frozen, not read-only.
    @discardableResult
    public func writeAsync(
        _ block: @escaping () -> Void,
        onComplete: ((_ error: (any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        let writes = asyncWrites()
        let id = writes.nextID()
        let state = state
        let complete = { (error: (any Swift.Error)?) in
            if let onComplete { writes.complete(id) { onComplete(error) } }
        }
        writes.append(
            .init(id: id) { [unowned state] in
                block()
                guard state.reader.isWriting else { return complete(nil) }
                do throws(StorageError) {
                    try state.commitWrite()
                    complete(nil)
                } catch {
                    if state.reader.isWriting { state.cancelWrite() }
                    complete(Error(storage: error))
                }
            } failed: {
                complete(Error(storage: $0))
            }
        )
        return id
    }

    /// Begins a write as soon as the store may be written, and runs `asyncWriteBlock` in it.
    ///
    /// The block ends the transaction: by `commitAsyncWrite`, `commitWrite` or `cancelWrite`. If it does
    /// not, its changes are undone.
    ///
    /// - Returns: What `cancelAsyncWrite` takes.
    /// - Precondition: as `writeAsync`. A store that fails traps.
    @discardableResult
    public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
        let writes = asyncWrites()
        let id = writes.nextID()
        writes.append(
            .init(id: id, run: asyncWriteBlock) { fatalError("\(Error(storage: $0))") }
        )
        return id
    }

    /// Commits the write that is open, and tells when that is done.
    ///
    /// Small commits that allow grouping are made durable together: when no further one came in a
    /// turn, when they are a hundred, or with the next commit that does not allow it, of any Realm of
    /// the store. Everybody sees their changes at once. A power cut before that may undo the last of
    /// them, each as a whole; the end of the process undoes none.
    ///
    /// - Parameters:
    ///   - allowGrouping: Whether it need not be durable at once.
    ///   - onComplete: Called in a later turn, in the order of the commits, once the changes are
    ///     durable; with the error if they are undone because they could not be committed, or, of a
    ///     commit that allows grouping, if it is not known whether they are durable.
    /// - Returns: What `cancelAsyncWrite` takes; it then only drops the call.
    /// - Precondition: a write is open: "Can't commit a non-existing write transaction".
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false,
        _ onComplete: ((_ error: (any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        let writes = asyncWrites()
        let id = writes.nextID()
        do throws(StorageError) { try state.commitWrite(defersSync: allowGrouping) } catch {
            let failure = Error(storage: error)
            if state.reader.isWriting { state.cancelWrite() }
            if let onComplete { writes.complete(id) { onComplete(failure) } }
            return id
        }
        if allowGrouping {
            writes.completeOnceDurable(id) { onComplete?($0.map { Error(storage: $0) }) }
        } else if let onComplete {
            writes.complete(id) { onComplete(nil) }
        }
        return id
    }

    /// Takes back a write that has not begun, or a completion that was not called.
    ///
    /// - Throws: ``Realm/Error`` `.fail` if there is none of that number.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        if asyncWrites().cancel(asyncTransactionId) { return }
        throw Error(
            .fail,
            "There is no asynchronous write \(asyncTransactionId) in the Realm at path "
                + "'\(state.path)' that could be cancelled."
        )
    }

    /// Whether a write asked for asynchronously waits, or its completion.
    public var isPerformingAsynchronousWriteOperations: Bool {
        state.checkConfinement()
        return state.asyncWrites?.isBusy ?? false
    }

    private func asyncWrites() -> AsyncWrites {
        state.checkConfinement()
        if state.isFrozen {
            fatalError(
                "Can't perform transactions on a frozen Realm. Realm at path '\(state.path)'."
            )
        }
        if state.turns == nil, !state.beginTurns(DeliveryPlace(state.confinement)) {
            fatalError(
                "Cannot schedule async transaction. Make sure you are running from inside a run loop. "
                    + "The Realm at path '\(state.path)' belongs to "
                    + "\(state.confinement.description)."
            )
        }
        if let writes = state.asyncWrites {
            if writes.isCompleting {
                fatalError(
                    "Can't begin, commit or cancel a write transaction from inside a commit completion "
                        + "callback. Realm at path '\(state.path)'."
                )
            }
            return writes
        }
        let writes = AsyncWrites(state)
        state.asyncWrites = writes
        return writes
    }

    // MARK: - Swift concurrency

    /// Begins a write, runs `block` and commits, as `write`; waits for other writers without blocking
    /// the actor.
    ///
    /// - Returns: What `block` returns.
    /// - Throws: What `block` throws, with everything undone; `CancellationError` if the task is
    ///   cancelled before the write begins; ``Realm/Error`` when the store cannot be written.
    /// - Precondition: a Realm of the main actor or another actor: "asyncWrite() can only be called on
    ///   main thread or actor-isolated Realms".
    @discardableResult
    public func asyncWrite<Result>(
        _isolation: isolated (any Actor)? = #isolation,
        _ block: () throws -> Result
    ) async throws -> Result {
        checkActor("asyncWrite()")
        let lock = state.reader.store.writeLock
        while true {
            try Task.checkCancellation()
            let request = await offeredRequest(lock)
            state.lockRequests.removeAll { $0.request === request }
            if Task.isCancelled {
                lock.withdraw(request)
                throw CancellationError()
            }
            // Observers are told first; what they do may write, and take the lock.
            if state.observer?.isObserved ?? false { refresh() }
            // A write that began meanwhile, or a thread that waited too long, has taken it.
            if lock.take(request) { break }
            lock.withdraw(request)
        }
        try converting { () throws(StorageError) in try state.beginWrite(holdingLock: true) }
        let result: Result
        do { result = try block() } catch {
            if isInWriteTransaction { cancelWrite() }
            throw error
        }
        do { if isInWriteTransaction { try commitWrite() } } catch {
            if isInWriteTransaction { cancelWrite() }
            throw error
        }
        return result
    }

    /// Asks for the lock, and waits until it is offered, a write of this Realm goes first, or the task
    /// is cancelled.
    private func offeredRequest(
        _ lock: FairLock,
        _isolation: isolated (any Actor)? = #isolation
    ) async -> FairLock.Request {
        let (offers, offered) = AsyncStream<Void>.makeStream()
        let request = lock.request { _ in offered.finish() }
        state.lockRequests.append((request, { offered.finish() }))
        var iterator = offers.makeAsyncIterator()
        _ = await iterator.next(isolation: _isolation)
        return request
    }

    /// Moves to the newest version, as `refresh`, without blocking the actor.
    ///
    /// - Returns: Whether there was a newer one.
    /// - Precondition: as `asyncWrite`.
    @discardableResult
    public func asyncRefresh(_isolation: isolated (any Actor)? = #isolation) async -> Bool {
        checkActor("asyncRefresh()")
        await Task.yield()
        return refresh()
    }

    private func checkActor(_ name: String) {
        state.checkConfinement()
        switch state.confinement {
        case .actor, .task: return
        case .thread, .queue, .anywhere: break
        }
        fatalError(
            "\(name) can only be called on main thread or actor-isolated Realms. The Realm at path "
                + "'\(state.path)' belongs to \(state.confinement.description)."
        )
    }
}
