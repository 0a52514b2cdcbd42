import Dispatch

/// The wait of one Realm for its store's write lock, off its own thread.
///
/// **Threads.** Any. The lock is taken by another thread and belongs to whoever `take`s it.
final class WriteLockRequest: Sendable {
    private enum State {
        case waiting
        case granted
        /// Taken, or not wanted any more.
        case over
    }

    private let state = Lock(State.waiting)
    private let givenUp: @Sendable () -> Void

    /// Asks for the lock of a store.
    ///
    /// - Parameters:
    ///   - granted: Called on another thread once the lock is held, unless it was given up.
    ///   - givenUp: Called by who gives it up.
    init(
        _ store: Store,
        granted: @escaping @Sendable () -> Void,
        givenUp: @escaping @Sendable () -> Void = {}
    ) {
        self.givenUp = givenUp
        // Waiting threads are those of the system's pool, of which there are enough for as many
        // Realms as wait for one store.
        DispatchQueue.global().async { [self] in
            store.writeLock.lock()
            let isWanted = state.withLock { state in
                guard case .waiting = state else { return false }
                state = .granted
                return true
            }
            if isWanted { granted() } else { store.writeLock.unlock() }
        }
    }

    /// Takes the lock if it was granted; else gives the request up.
    ///
    /// - Returns: Whether the caller holds the lock now.
    @discardableResult
    func take() -> Bool {
        let before = state.withLock { state in
            defer { state = .over }
            return state
        }
        if case .waiting = before { givenUp() }
        if case .granted = before { return true }
        return false
    }

    /// Does not wait any longer. A lock that was granted stays so.
    func giveUp() {
        let wasWaiting = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .over
            return true
        }
        if wasWaiting { givenUp() }
    }

    /// Takes the lock if it was granted; else leaves the request as it is.
    func takeIfGranted() -> Bool {
        state.withLock { state in
            guard case .granted = state else { return false }
            state = .over
            return true
        }
    }
}
