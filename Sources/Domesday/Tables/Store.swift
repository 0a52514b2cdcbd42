/// One open store: its page store, its cache, its newest version and its write lock.
///
/// Guarded state: the newest version and the `holders` and `pin` of all snapshots by `versions`; the
/// one write transaction by `writeLock`. Lock order: write lock, then a cell's, then version lock, then
/// the cache's.
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
    let writeLock = FairLock()
    private let versions = Lock(Versions())
    /// By table: keys that cancelled writes have given away, so that "deleted" stays certain.
    private let spentKeys = Lock<[TableID: ObjectKey]>([:])

    /// Who wants to hear of commits, by the reader.
    private let listeners = Lock<[ObjectIdentifier: @Sendable () -> Void]>([:])
    /// Who reads which version, by the reader.
    private let held = Lock<[ObjectIdentifier: VersionHolding]>([:])

    private struct Versions {
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
    /// - Parameter cacheByteLimit: clean blobs kept in memory.
    init(pages: any PageStore, cacheByteLimit: Int) throws(StorageError) {
        self.pages = pages
        cache = ClusterCache(byteLimit: cacheByteLimit)
        leafCache = CellCache(maximumByteCount: cacheByteLimit / 4)
        guard let schemaBlob = try pages.read(StoreCoding.schemaAddress) else {
            let empty = Snapshot(
                version: 0,
                schemaVersion: 0,
                tables: [],
                nextSpace: 1,
                store: self
            )
            versions.withLock { $0.newest = empty }
            return
        }
        try loadNewest(schemaBlob)
    }

    private func damage(_ address: BlobAddress, _ detail: String) -> StorageError {
        StorageError(.damaged, path: path, address: address, detail: detail)
    }

    private func loadNewest(_ schemaBlob: BlobBuffer) throws(StorageError) {
        let schema = try StoreCoding.decodeSchema(
            schemaBlob,
            damage: damage(StoreCoding.schemaAddress, "schema makes no sense")
        )
        guard let stateBlob = try pages.read(StoreCoding.stateAddress) else {
            throw damage(StoreCoding.stateAddress, "state is missing")
        }
        let stateDamage = damage(StoreCoding.stateAddress, "state makes no sense")
        var reader = ByteReader(stateBlob.payloadBytes, damage: stateDamage)
        let version = try reader.unsigned()
        var tables: [TableSnapshot?] = []
        for entry in schema.tables {
            guard let (definition, spaces) = entry else {
                tables.append(nil)
                continue
            }
            tables.append(try loadTable(definition, spaces, &reader))
        }
        let newest = Snapshot(
            version: version,
            schemaVersion: version,
            tables: tables,
            nextSpace: schema.nextSpace,
            store: self
        )
        versions.withLock { $0 = Versions(newest: newest, userVersion: schema.userVersion) }
    }

    private func loadTable(
        _ definition: TableDefinition,
        _ spaces: TableSpaces,
        _ reader: inout ByteReader
    ) throws(StorageError) -> TableSnapshot {
        let count = try reader.int(below: 1 << 60)
        let nextKey = try reader.int(below: 1 << 60)
        let nextLong = try reader.int(below: 1 << 60)
        var indexes: [Int: IndexSnapshot] = [:]
        for id in spaces.indexes.keys.sorted() {
            guard let space = spaces.indexes[id] else { continue }
            let root = try IndexRoot.decode(try reader.byteString(), path: path)
            indexes[id] = IndexSnapshot(root, in: place(space))
        }
        let address = StoreCoding.directoryAddress(definition.id)
        var directory = ClusterDirectory()
        if let blob = try pages.read(address) {
            let keys = try StoreCoding.decodeDirectory(
                blob,
                damage: damage(address, "directory makes no sense")
            )
            directory = ClusterDirectory(
                chunks: ClusterDirectory.chunks(
                    keys.map { ($0, clusterCell(spaces, $0)) }
                )
            )
        }
        return TableSnapshot(
            definition: definition,
            spaces: spaces,
            directory: directory,
            count: count,
            nextKey: Int64(nextKey),
            nextLongValue: Int64(nextLong),
            indexes: indexes
        )
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
        versions.withLock { _ in
            snapshot.holders -= 1
            guard snapshot.holders == 0, let pin = snapshot.pin else { return }
            pin.release()
            snapshot.pin = nil
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

    /// Tells everybody but the writer of a commit.
    func announceCommit(by writer: ObjectIdentifier) {
        let others = listeners.withLock { listeners in
            listeners.isEmpty ? [] : listeners.compactMap { $0.key == writer ? nil : $0.value }
        }
        for listener in others { listener() }
    }

    func note(_ holding: VersionHolding, of reader: ObjectIdentifier) {
        held.withLock { $0[reader] = holding }
    }

    func forgetHolding(of reader: ObjectIdentifier) { held.withLock { $0[reader] = nil } }

    /// Reads a blob as it is at a version.
    func load(_ address: BlobAddress, at snapshot: Snapshot) throws(StorageError) -> BlobBuffer {
        let found = try read(address, at: snapshot)
        guard let buffer = found else { throw damage(address, "missing") }
        guard buffer.version <= snapshot.version else {
            throw damage(address, "written by version \(buffer.version), newer than expected")
        }
        return buffer
    }

    private func read(
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
            versions = Versions(newest: snapshot, userVersion: userVersion)
        }
    }

    /// Ends all use of the store. Done by the page store's own end, if nobody asks.
    func close() throws(StorageError) { try pages.close() }
}
