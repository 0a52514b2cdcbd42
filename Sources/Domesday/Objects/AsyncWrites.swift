/// The writes of one Realm that wait for their turn, in order.
///
/// A write that begins at once may come in between: it takes the lock that was granted, or gives up
/// the request for it, which is made again when it is over.
///
/// **Threads.** The Realm's.
final class AsyncWrites {
    /// What begins a write, and what to call if it cannot begin.
    struct Pending {
        let id: UInt32
        /// Called within the write.
        let run: () -> Void
        let failed: (StorageError) -> Void
    }

    // SAFETY: the Realm owns this.
    unowned(unsafe) private let state: RealmState
    private var pending: [Pending] = []
    private var lastID: UInt32 = 0
    private var request: FairLock.Request?
    /// Keeps the Realm while something is to be done.
    private var kept: RealmState?
    /// Completions that were not called yet, by id.
    private var completions: [UInt32: (StorageError?) -> Void] = [:]
    private(set) var isCompleting = false
    /// The commits that were not made durable yet, in order, and how many there were a turn ago.
    private var group: [UInt32] = []
    private var groupCountBefore = 0
    private var isSyncScheduled = false
    /// So many commits are made durable together at most.
    static let groupLimit = 100

    private let writeLock: FairLock

    init(_ state: RealmState) {
        self.state = state
        writeLock = state.reader.store.writeLock
    }

    // Nobody would answer an offer any more.
    deinit { withdrawRequest() }

    /// Whether a write waits, or a completion.
    var isBusy: Bool { !pending.isEmpty || !completions.isEmpty || !group.isEmpty }

    func nextID() -> UInt32 {
        lastID += 1
        return lastID
    }

    /// Puts a write at the end of those that wait.
    func append(_ write: Pending) {
        pending.append(write)
        keep()
        requestLock()
    }

    /// Takes back a write that has not begun, or a completion that was not called.
    ///
    /// - Returns: Whether there was one.
    func cancel(_ id: UInt32) -> Bool {
        defer { keep() }
        if completions.removeValue(forKey: id) != nil { return true }
        guard let index = pending.firstIndex(where: { $0.id == id }) else { return false }
        pending.remove(at: index)
        if pending.isEmpty { withdrawRequest() }
        return true
    }

    /// Calls `body` in a turn of its own, after the completions of earlier commits.
    func complete(_ id: UInt32, _ body: @escaping () -> Void) {
        // If the commit before this call was durable, so is the group, and nothing is synced.
        syncGroup()
        completions[id] = { _ in body() }
        keep()
        enqueueCompletion(id, nil)
    }

    private func enqueueCompletion(_ id: UInt32, _ error: StorageError?) {
        state.turns?.enqueue { state in
            guard let writes = state.asyncWrites else { return }
            guard let body = writes.completions.removeValue(forKey: id) else { return }
            writes.isCompleting = true
            body(error)
            writes.isCompleting = false
            writes.keep()
        }
    }

    // MARK: - Groups

    /// Adds a commit to those that are made durable together, and calls `body` in a turn of its own
    /// once they are; with the error if they cannot be.
    func completeOnceDurable(_ id: UInt32, _ body: @escaping (StorageError?) -> Void) {
        completions[id] = body
        group.append(id)
        keep()
        if group.count >= Self.groupLimit { return syncGroup() }
        scheduleSync()
    }

    /// Looks again in a later turn: a group that has not grown by then is made durable.
    private func scheduleSync() {
        if isSyncScheduled { return }
        isSyncScheduled = true
        state.turns?.enqueue { $0.asyncWrites?.syncIfComplete() }
    }

    private func syncIfComplete() {
        isSyncScheduled = false
        if group.isEmpty { return }
        if group.count == groupCountBefore { return syncGroup() }
        groupCountBefore = group.count
        scheduleSync()
    }

    private func syncGroup() {
        groupCountBefore = 0
        let group = self.group
        if group.isEmpty { return }
        self.group = []
        var failure: StorageError?
        do throws(StorageError) { try state.reader.store.pages.sync() } catch { failure = error }
        for id in group { enqueueCompletion(id, failure) }
        keep()
    }

    // MARK: - The lock

    private func withdrawRequest() {
        if let request { writeLock.withdraw(request) }
        request = nil
    }

    private func keep() { kept = isBusy ? state : nil }

    /// Asks for the lock if a write waits for it.
    func requestLock() {
        guard request == nil, !pending.isEmpty, !state.reader.isWriting, let turns = state.turns
        else { return }
        request = writeLock.request { request in
            turns.enqueue { $0.asyncWrites?.lockWasOffered(to: request) }
        }
    }

    /// Takes the lock for a write that begins at once.
    ///
    /// - Returns: Whether it is held.
    func takeLock() -> Bool {
        guard let request else { return false }
        self.request = nil
        if writeLock.take(request) { return true }
        writeLock.withdraw(request)
        return false
    }

    private func lockWasOffered(to offered: FairLock.Request) {
        // A write that began at once has taken it, and asked again when it was over.
        guard offered === request else { return }
        // What observers do may write, and take the lock.
        if let observer = state.observer, observer.isObserved {
            do throws(StorageError) { _ = try state.refresh() } catch {
                ObjectTrap.storage(error, "The Realm")
            }
        }
        guard offered === request else { return }
        request = nil
        // A thread that had to wait too long has taken it.
        guard writeLock.take(offered) else { return requestLock() }
        guard !pending.isEmpty else { return writeLock.unlock() }
        let next = pending.removeFirst()
        do throws(StorageError) { try state.beginWrite(holdingLock: true) } catch {
            next.failed(error)
            keep()
            return requestLock()
        }
        next.run()
        // A block that neither commits nor cancels has done nothing.
        if state.reader.isWriting { state.cancelWrite() }
        keep()
        requestLock()
    }
}
