/// What other processes do to the store.
extension Store: PageWatcher {
    /// Moves on to the newest version that any process has committed, and tells the readers here.
    ///
    /// - Parameter always: Whether to look although nobody has announced anything.
    /// - Throws: `.schemaChanged`, with nothing changed, if tables are no longer what they were; the
    ///   page store's errors.
    /// - Complexity: some loads from memory if there is nothing new; else as `SnapshotLoader.load`.
    func catchUp(always: Bool = false) throws(StorageError) {
        guard always || pages.mayHaveNews(since: newestVersion) else { return }
        let hasMoved = try versions.withLock { versions throws(StorageError) in
            let news = try pages.look()
            do throws(StorageError) { return try take(news, &versions) } catch {
                news.pin.release()
                throw error
            }
        }
        if hasMoved { announceCommit(by: nil) }
    }

    /// - Returns: Whether there is a newer version.
    private func take(_ news: PageNews, _ versions: inout Versions) throws(StorageError) -> Bool {
        let newest = versions.newest
        var known: SnapshotLoader.Known?
        if let newest, let changes = news.changes {
            known = .init(snapshot: newest, userVersion: versions.userVersion, changes: changes)
        }
        let loader = SnapshotLoader(store: self, known: known) { (address) throws(StorageError) in
            try news.pin.read(address)
        }
        let version = try loader.version()
        if let newest, newest.version == version {
            if pages.isShared {
                newest.unpin()
                newest.pin = news.pin
            } else {
                news.pin.release()
            }
            pages.adopt(news)
            pages.noteFound(version)
            return false
        }
        let loaded = try loader.load()
        if let newest { try refuseOtherTables(newest, loaded.snapshot) }
        loaded.snapshot.pin = news.pin
        pages.adopt(news)
        pages.noteFound(version)
        versions = Versions(newest: loaded.snapshot, userVersion: loaded.userVersion)
        if let newest, newest.holders == 0 { newest.unpin() }
        return newest != nil
    }

    /// Refuses a version in which a table or column is gone or has become another one: the classes of
    /// this process are bound to them.
    private func refuseOtherTables(_ old: Snapshot, _ new: Snapshot) throws(StorageError) {
        if old.schemaVersion == new.schemaVersion { return }
        for case let before? in old.tables where !before.definition.isRemoved {
            let after = (new.tables[safe: before.definition.id] ?? nil)?.definition
            if let after, after.name == before.definition.name, !after.isRemoved,
                zip(before.definition.columns, after.columns).allSatisfy({ $1.isStill($0) }),
                after.columns.count >= before.definition.columns.count
            {
                continue
            }
            throw StorageError(
                .schemaChanged,
                path: path,
                detail: "another process has changed what '\(before.definition.name)' is made of "
                    + "since the store was opened here: it must be opened anew"
            )
        }
    }

    // MARK: Called by the page store

    func lookAround(isTick: Bool) {
        pages.attend(self, isTick: isTick)
        // What fails here fails again where somebody asks for it.
        try? catchUp()
    }

    func pinNewest() throws(StorageError) -> UInt64 {
        try versions.withLock { versions throws(StorageError) in
            let newest = versions.current()
            if newest.pin == nil { newest.pin = try pages.pin() }
            return newest.version
        }
    }

    func renewPin() throws(StorageError) { try catchUp(always: true) }

    func unpinNewest() throws(StorageError) {
        try catchUp()
        versions.withLock { $0.current().unpin() }
    }

    // MARK: Writing

    /// Begins the write transaction, and moves on to what was committed before it.
    func beginWrite() throws(StorageError) -> any PageWriter {
        let writer = try pages.beginWrite()
        do throws(StorageError) { try catchUp() } catch {
            writer.rollback()
            throw error
        }
        return writer
    }
}

extension ColumnDefinition {
    /// Whether values of the one are values of the other.
    fileprivate func isStill(_ before: ColumnDefinition) -> Bool {
        before.isRemoved
            || !isRemoved && name == before.name && type == before.type && shape == before.shape
                && isOptional == before.isOptional && isPrimaryKey == before.isPrimaryKey
    }
}
