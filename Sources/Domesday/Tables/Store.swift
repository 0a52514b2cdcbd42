/// One open store: its page store, its cache, its newest version and its write lock.
///
/// Guarded state: the newest version and the `holders` and `pin` of all snapshots by `versions`; the
/// one write transaction by `writeLock`. Lock order: write lock, the page store's gate, then a cell's,
/// then version lock, then the cache's.
///
/// **Threads.** Any. One per file in a process.
final class Store: @unchecked Sendable {
    // @unchecked: all other state is constant or inside a lock, as listed above.

    let pages: any PageStore
    /// The seed of the hashes in its indexes.
    var seed: UInt64 { pages.seed }
    let cache: ClusterCache
    /// The cells of index leaves; their limit is a quarter of the clusters'.
    let leafCache: CellCache
    /// Above so many bytes collections are kept in leaves; see ``SequenceRoot``.
    let leafByteLimit: Int
    let writeLock = FairLock()
    let versions = Lock(Versions())
    /// By table: keys that cancelled writes have given away, so that "deleted" stays certain.
    private let spentKeys = Lock<[TableID: ObjectKey]>([:])

    /// Who wants to hear of commits, by the reader.
    private let listeners = Lock<[ObjectIdentifier: @Sendable () -> Void]>([:])
    /// Who reads which version, by the reader.
    private let held = Lock<[ObjectIdentifier: VersionHolding]>([:])

    struct Versions {
        /// nil only while the store is being opened.
        var newest: Snapshot?
        var userVersion: UInt64 = 0

        func current() -> Snapshot {
            guard let newest else { preconditionFailure("the store is not open yet") }
            return newest
        }
    }

    var path: String { pages.path }

    /// Opens what the page store holds; an empty one is version 0 without tables.
    ///
    /// - Parameters:
    ///   - cacheByteLimit: clean blobs kept in memory.
    ///   - leafByteLimit: another one for tests; a store may be opened with different ones.
    init(
        pages: any PageStore,
        cacheByteLimit: Int,
        leafByteLimit: Int = SequenceRoot.usualLeafByteLimit
    ) throws(StorageError) {
        self.pages = pages
        self.leafByteLimit = leafByteLimit
        cache = ClusterCache(byteLimit: cacheByteLimit)
        leafCache = CellCache(maximumByteCount: cacheByteLimit / 4)
        if pages.isShared {
            try catchUp(always: true)
        } else {
            let loader = SnapshotLoader(store: self) { (address) throws(StorageError) in
                try pages.read(address)
            }
            let loaded = try loader.load()
            versions.withLock {
                $0 = Versions(newest: loaded.snapshot, userVersion: loaded.userVersion)
            }
        }
        pages.beginWatching(self)
    }

    func place(_ spaces: IndexSpaces) -> IndexPlace {
        IndexPlace(leaves: spaces.leaves, groups: spaces.groups, cache: leafCache)
    }

    func clusterCell(_ spaces: TableSpaces, _ id: ObjectKey) -> ClusterCell {
        ClusterCell(
            fixed: BlobAddress(space: spaces.fixed, id: id),
            heap: BlobAddress(space: spaces.heap, id: id),
            cache: cache
        )
    }

    /// The first key of a table that no write of this process has given, committed or not.
    func firstUnspentKey(_ table: TableID) -> ObjectKey {
        spentKeys.withLock { $0[table] ?? 1 }
    }

    /// Notes the keys that a write gives up with all its changes.
    func spend(_ table: TableID, below key: ObjectKey) {
        spentKeys.withLock { $0[table] = max($0[table] ?? 1, key) }
    }

    // MARK: - Versions

    /// The user's schema version, as last committed.
    var userVersion: UInt64 { versions.withLock { $0.userVersion } }

    var newestVersion: UInt64 { versions.withLock { $0.current().version } }

    /// The newest version, held until `release`.
    func acquireNewest() -> Snapshot {
        versions.withLock { versions in
            let newest = versions.current()
            newest.holders += 1
            return newest
        }
    }

    /// Holds a version once more.
    func retain(_ snapshot: Snapshot) { versions.withLock { _ in snapshot.holders += 1 } }

    /// Gives a version up; the last one ends its read transaction.
    func release(_ snapshot: Snapshot) {
        versions.withLock { versions in
            snapshot.holders -= 1
            // The newest one may be pinned because of other processes.
            if snapshot.holders == 0, snapshot !== versions.newest { snapshot.unpin() }
        }
    }

    /// Who reads which version, the oldest first.
    var holdings: [VersionHolding] {
        held.withLock { Array($0.values) }.sorted {
            ($0.version, $0.since) < ($1.version, $1.since)
        }
    }

    /// Calls `listener` after each commit of another reader, on the writer's thread; it must be quick.
    func listen(_ reader: ObjectIdentifier, _ listener: @escaping @Sendable () -> Void) {
        listeners.withLock { $0[reader] = listener }
    }

    func stopListening(_ reader: ObjectIdentifier) { listeners.withLock { $0[reader] = nil } }

    /// Tells everybody but the writer of a commit; nil for one of another process.
    func announceCommit(by writer: ObjectIdentifier?) {
        let others = listeners.withLock { listeners in
            listeners.isEmpty ? [] : listeners.compactMap { $0.key == writer ? nil : $0.value }
        }
        for listener in others { listener() }
    }

    func note(_ holding: VersionHolding, of reader: ObjectIdentifier) {
        held.withLock { $0[reader] = holding }
    }

    func forgetHolding(of reader: ObjectIdentifier) { held.withLock { $0[reader] = nil } }

    private func damage(_ address: BlobAddress, _ detail: String) -> StorageError {
        StorageError(.damaged, path: path, address: address, detail: detail)
    }

    /// Reads a blob as it is at a version.
    func load(_ address: BlobAddress, at snapshot: Snapshot) throws(StorageError) -> BlobBuffer {
        let found = try read(address, at: snapshot)
        guard let buffer = found else { throw damage(address, "missing") }
        guard buffer.version <= snapshot.version else {
            throw damage(address, "written by version \(buffer.version), newer than expected")
        }
        return buffer
    }

    /// As `load`; nil if there is none.
    func read(
        _ address: BlobAddress,
        at snapshot: Snapshot
    ) throws(StorageError) -> BlobBuffer? {
        // The lock is held while reading, so that no commit comes between.
        try versions.withLock { _ throws(StorageError) -> BlobBuffer? in
            if let pin = snapshot.pin { return try pin.read(address) }
            return try pages.read(address)
        }
    }

    /// Makes a write transaction's version the newest; the old one gets a read transaction of its
    /// own first if anybody but the writer, who is about to leave it, still reads it.
    func publish(
        _ snapshot: Snapshot,
        userVersion: UInt64,
        writer: any PageWriter,
        defersSync: Bool
    ) throws(StorageError) {
        try versions.withLock { versions throws(StorageError) in
            let newest = versions.current()
            do throws(StorageError) {
                if newest.holders > 1, newest.pin == nil { newest.pin = try pages.pin() }
            } catch {
                writer.rollback()
                throw error
            }
            if defersSync { try writer.commitDeferringSync() } else { try writer.commit() }
            snapshot.pin = writer.takePin()
            versions = Versions(newest: snapshot, userVersion: userVersion)
        }
    }

    /// Ends all use of the store. Done by the page store's own end, if nobody asks.
    func close() throws(StorageError) {
        versions.withLock { versions in
            if let newest = versions.newest, newest.holders == 0 { newest.unpin() }
        }
        do throws(StorageError) { try pages.close() } catch {
            // Somebody uses it still, and other processes may commit.
            if error.code == .busy { try catchUp(always: pages.isShared) }
            throw error
        }
    }
}
