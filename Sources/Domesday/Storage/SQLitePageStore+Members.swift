/// The store's side of sharing it with other processes.
extension SQLitePageStore {
    // MARK: What others have committed

    func mayHaveNews(since version: UInt64) -> Bool {
        guard isShared, let members else { return false }
        return members.page.announced != version || members.hasUnpinnedOther
    }

    func noteFound(_ version: UInt64) { members?.page.noteFound(version) }

    func look() throws(StorageError) -> PageNews {
        let known = logState.withLock { $0 }
        var found = (state: known, changes: ChangedBlobs?.none)
        let pin = try pinned { (connection) throws(StorageError) in
            try Self.hold(connection)
            found = try LogState.read(connection, seed, after: known)
            return found.state.blobs
        }
        return PageNews(pin: pin, log: found.state, changes: found.changes)
    }

    func adopt(_ news: PageNews) {
        if let log = news.log { logState.withLock { $0 = log } }
    }

    // MARK: Writing

    /// The pin at the version that was committed just now, in its turn.
    ///
    /// - Returns: nil if it cannot be had: then nobody else commits until it can.
    func pinCommit(_ others: StoreMembers) -> SQLitePagePin? {
        do throws(StorageError) {
            let pin = try pinned { (connection) throws(StorageError) in
                try Self.hold(connection)
                return logState.withLock { $0.blobs }
            }
            others.signal()
            return pin
        } catch {
            others.page.setState(others.slot, .unpinned)
            setShared(false)
            others.signal()
            return nil
        }
    }

    /// Ends the turn of a write, if it has one.
    func endTurn() { members?.endTurnIfHeld() }

    func keepOthersOut() throws(StorageError) {
        try members?.keepOthersOut(timeout: options.busyTimeout)
    }

    func letOthersIn() { members?.endOpening() }

    // MARK: Coming and going

    func beginWatching(_ watcher: any PageWatcher) {
        watching.withLock { $0.watcher = watcher }
        members?.beginWatching { [weak watcher] isTick in watcher?.lookAround(isTick: isTick) }
    }

    func attend(_ watcher: any PageWatcher, isTick: Bool) {
        guard let members else { return }
        if isShared {
            // The dead do not signal.
            if isTick { _ = members.livingOthers() }
            if !members.isAccompanied { return endSharing(members, watcher) }
            answerRenewal(members, watcher)
        } else if members.isAccompanied {
            beginSharing(members, watcher)
        }
    }

    /// Holds what is read, so that others may commit; waits for a write that was begun alone.
    private func beginSharing(_ members: StoreMembers, _ watcher: any PageWatcher) {
        while !gate.enter(timeout: .milliseconds(200)) {
            if members.isEnding || isShared { return }
        }
        defer { gate.leave() }
        if isShared { return }
        do throws(StorageError) { members.page.announced = try watcher.pinNewest() } catch {
            // Tried again at the next look, in a second at the latest; nobody else commits before.
            return
        }
        setShared(true)
        members.page.setState(members.slot, .pinned)
        members.signal()
    }

    /// Gives up the pin of the newest version, which nobody can change any more.
    private func endSharing(_ members: StoreMembers, _ watcher: any PageWatcher) {
        // A writer is at work: at another look.
        guard gate.enter(timeout: .zero) else { return }
        defer { gate.leave() }
        guard isShared, members.beginTurnIfFree() else { return }
        defer { members.endTurnIfHeld() }
        do throws(StorageError) { try watcher.unpinNewest() } catch { return }
        members.page.setState(members.slot, .unpinned)
        setShared(false)
    }
}

// MARK: The WAL

/// SQLite begins the WAL anew once all of it is in the main file and no read transaction reads from
/// it. While the store is shared there is always one at the newest version. So when the WAL has become
/// long, the writer asks all to renew theirs: then all of it can be copied, after which they read from
/// the main file once they are renewed again.
extension SQLitePageStore {
    /// Who is told of other processes, and at which length the WAL is to be shortened.
    struct Watching {
        weak var watcher: (any PageWatcher)?
        var frameLimit = SQLitePageStore.longFrameCount
    }

    /// 8 MB.
    static let longFrameCount: Int32 = 2048

    /// Lets the next commit begin the WAL anew if it is long; in the turn of a write, before it begins.
    func shortenWAL(_ connection: SQLiteConnection) {
        guard isShared, let members else { return }
        let frameCount = connection.checkpoints.frameCount
        let (watcher, limit) = watching.withLock { watching in
            if frameCount < Self.longFrameCount { watching.frameLimit = Self.longFrameCount }
            return (watching.watcher, watching.frameLimit)
        }
        guard frameCount >= limit, let watcher else { return }
        // Where somebody stays at an old version it cannot be had, and is not asked for each time.
        watching.withLock { $0.frameLimit = frameCount + Self.longFrameCount }
        // Others may have to wait for a processor. The longer the WAL, the more is it worth.
        let patience = Duration.milliseconds(50 << min(frameCount / Self.longFrameCount - 1, 5))
        do throws(StorageError) {
            guard members.renewOthers(timeout: patience) else { return }
            try watcher.renewPin()
            guard connection.copyWAL(), members.renewOthers(timeout: patience) else { return }
            try watcher.renewPin()
        } catch {
            // A later write tries again.
        }
    }

    private func answerRenewal(_ members: StoreMembers, _ watcher: any PageWatcher) {
        let renewal = members.page.renewal
        if members.page.renewed(members.slot) == renewal { return }
        do throws(StorageError) { try watcher.renewPin() } catch { return }
        members.page.setRenewed(members.slot, renewal)
        members.signal()
    }
}

// MARK: Closing

extension SQLitePageStore {
    /// Sees to it that nobody else opens the store or commits while the log is folded; for the holder
    /// of `gate`, whose log is up to date then.
    ///
    /// - Returns: false if others have it open; else `endFolding` is owed.
    func beginFolding() -> Bool {
        guard let members else { return true }
        do throws(StorageError) { try members.keepOthersOut(timeout: .zero) } catch { return false }
        if !isShared { return true }
        // Others were there, and may have committed last.
        do throws(StorageError) {
            guard members.beginTurnIfFree() else { throw closedError }
            let log = try readLog()
            logState.withLock { $0 = log }
            return true
        } catch {
            endFolding()
            return false
        }
    }

    func endFolding() {
        members?.endTurnIfHeld()
        members?.endOpening()
    }
}
