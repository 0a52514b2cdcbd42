/// Makes a version of what a page store holds.
///
/// Of a version that this process knows it takes over all that was not changed since: cells keep their
/// memory, and what is the same object is known to be equal.
///
/// **Threads.** One.
struct SnapshotLoader {
    /// A version that is older, and what commits have written since.
    struct Known {
        let snapshot: Snapshot
        let userVersion: UInt64
        let changes: ChangedBlobs
    }

    let store: Store
    let known: Known?
    let read: (BlobAddress) throws(StorageError) -> BlobBuffer?

    init(
        store: Store,
        known: Known? = nil,
        _ read: @escaping (BlobAddress) throws(StorageError) -> BlobBuffer?
    ) {
        self.store = store
        self.known = known
        self.read = read
    }

    /// The version that the page store holds; 0 if it is empty.
    func version() throws(StorageError) -> UInt64 {
        guard let blob = try read(StoreCoding.stateAddress) else { return 0 }
        defer { withExtendedLifetime(blob) {} }
        var reader = stateReader(blob)
        return try reader.unsigned()
    }

    /// - Complexity: O(clusters), or O(what was changed + index groups of changed indexes) if that is
    ///   known.
    func load() throws(StorageError) -> (snapshot: Snapshot, userVersion: UInt64) {
        guard let schemaBlob = try read(StoreCoding.schemaAddress) else {
            return (Snapshot(emptyIn: store), 0)
        }
        guard let stateBlob = try read(StoreCoding.stateAddress) else {
            throw damage(StoreCoding.stateAddress, "state is missing")
        }
        defer { withExtendedLifetime(stateBlob) {} }
        var reader = stateReader(stateBlob)
        let version = try reader.unsigned()
        if let known = usable(at: version) {
            return (try advance(known, to: version, &reader), known.userVersion)
        }
        let schema = try StoreCoding.decodeSchema(
            schemaBlob,
            damage: damage(StoreCoding.schemaAddress, "schema makes no sense")
        )
        var tables: [TableSnapshot?] = []
        for entry in schema.tables {
            guard let (definition, spaces) = entry else {
                tables.append(nil)
                continue
            }
            tables.append(try table(definition, spaces, &reader))
        }
        let snapshot = Snapshot(
            version: version,
            schemaVersion: version,
            tables: tables,
            nextSpace: schema.nextSpace,
            history: try history(),
            store: store
        )
        return (snapshot, schema.userVersion)
    }

    private func history() throws(StorageError) -> HistorySettings? {
        let address = HistorySettings.address
        guard let blob = try read(address) else { return nil }
        defer { withExtendedLifetime(blob) {} }
        return try HistorySettings(
            blob,
            damage: damage(address, "settings of the history make no sense")
        )
    }

    private func damage(_ address: BlobAddress, _ detail: String) -> StorageError {
        StorageError(.damaged, path: store.path, address: address, detail: detail)
    }

    /// - Precondition: the blob lives as long as the reader.
    private func stateReader(_ blob: BlobBuffer) -> ByteReader {
        ByteReader(
            blob.payloadBytes,
            damage: damage(StoreCoding.stateAddress, "state makes no sense")
        )
    }

    // MARK: From nothing

    private func table(
        _ definition: TableDefinition,
        _ spaces: TableSpaces,
        _ reader: inout ByteReader
    ) throws(StorageError) -> TableSnapshot {
        let state = try TableState(spaces, &reader, path: store.path)
        var indexes: [Int: IndexSnapshot] = [:]
        for (id, root) in state.roots {
            guard let space = spaces.indexes[id] else { continue }
            indexes[id] = IndexSnapshot(root, in: store.place(space))
        }
        let keys = try directoryKeys(definition) ?? []
        let cells = keys.map { ($0, store.clusterCell(spaces, $0)) }
        return state.table(
            definition,
            spaces,
            ClusterDirectory(chunks: ClusterDirectory.chunks(cells)),
            indexes
        )
    }

    private func directoryKeys(
        _ definition: TableDefinition
    ) throws(StorageError) -> [ObjectKey]? {
        let address = StoreCoding.directoryAddress(definition.id)
        guard let blob = try read(address) else { return nil }
        return try StoreCoding.decodeDirectory(
            blob,
            damage: damage(address, "directory makes no sense")
        )
    }

    // MARK: From a known version

    /// The known version if the changes are all that lies between, and leave tables what they are.
    private func usable(at version: UInt64) -> Known? {
        guard let known, known.snapshot.version > 0,
            known.snapshot.version + UInt64(known.changes.commitCount) == version,
            !known.changes.contains(StoreCoding.schemaAddress)
        else { return nil }
        return known
    }

    private func advance(
        _ known: Known,
        to version: UInt64,
        _ reader: inout ByteReader
    ) throws(StorageError) -> Snapshot {
        var tables: [TableSnapshot?] = []
        for table in known.snapshot.tables {
            guard let table else {
                tables.append(nil)
                continue
            }
            tables.append(try advance(table, known.changes, &reader))
        }
        let hasSameHistory = !known.changes.contains(HistorySettings.address)
        return Snapshot(
            version: version,
            schemaVersion: known.snapshot.schemaVersion,
            tables: tables,
            nextSpace: known.snapshot.nextSpace,
            history: hasSameHistory ? known.snapshot.history : try history(),
            store: store
        )
    }

    private func advance(
        _ old: TableSnapshot,
        _ changes: ChangedBlobs,
        _ reader: inout ByteReader
    ) throws(StorageError) -> TableSnapshot {
        let state = try TableState(old.spaces, &reader, path: store.path)
        let directory = try directory(old, changes)
        var changesIndex = false
        var indexes: [Int: IndexSnapshot] = [:]
        for (id, index) in old.indexes {
            let hasChanged =
                changes.bySpace[index.place.leaves] != nil
                || changes.bySpace[index.place.groups] != nil
            guard hasChanged, let root = state.roots[id] else {
                indexes[id] = index
                continue
            }
            changesIndex = true
            indexes[id] = IndexSnapshot(
                root,
                after: index,
                changedGroups: changes.bySpace[index.place.groups] ?? []
            )
        }
        if directory == nil, !changesIndex, state.describes(old) { return old }
        return state.table(old.definition, old.spaces, directory ?? old.directory, indexes)
    }

    /// nil if nothing has changed.
    private func directory(
        _ old: TableSnapshot,
        _ changes: ChangedBlobs
    ) throws(StorageError) -> ClusterDirectory? {
        let changed = (changes.bySpace[old.spaces.fixed] ?? [])
            .union(changes.bySpace[old.spaces.heap] ?? [])
        var cells: [ObjectKey: ClusterCell] = [:]
        for key in changed { cells[key] = store.clusterCell(old.spaces, key) }
        let isSameSet = !changes.contains(StoreCoding.directoryAddress(old.definition.id))
        if isSameSet, cells.isEmpty { return nil }
        guard isSameSet else {
            let keys = try directoryKeys(old.definition) ?? []
            return old.directory.replacing(keys, cells) { store.clusterCell(old.spaces, $0) }
        }
        var byOrdinal: [Int: ClusterCell] = [:]
        for (key, cell) in cells {
            let ordinal = old.directory.ordinal(of: key)
            if ordinal >= 0, old.directory.firstKey(ordinal) == key { byOrdinal[ordinal] = cell }
        }
        return old.directory.replacing(byOrdinal)
    }
}

/// What the store's state says of one table.
private struct TableState {
    let count: Int
    let nextKey: ObjectKey
    let nextLongValue: Int64
    /// By column id.
    var roots: [Int: IndexRoot] = [:]

    init(
        _ spaces: TableSpaces,
        _ reader: inout ByteReader,
        path: String
    ) throws(StorageError) {
        count = try reader.int(below: 1 << 60)
        nextKey = Int64(try reader.int(below: 1 << 60))
        nextLongValue = Int64(try reader.int(below: 1 << 60))
        for id in spaces.indexes.keys.sorted() {
            roots[id] = try IndexRoot.decode(try reader.byteString(), path: path)
        }
    }

    func describes(_ table: TableSnapshot) -> Bool {
        table.count == count && table.nextKey == nextKey && table.nextLongValue == nextLongValue
    }

    func table(
        _ definition: TableDefinition,
        _ spaces: TableSpaces,
        _ directory: ClusterDirectory,
        _ indexes: [Int: IndexSnapshot]
    ) -> TableSnapshot {
        TableSnapshot(
            definition: definition,
            spaces: spaces,
            directory: directory,
            count: count,
            nextKey: nextKey,
            nextLongValue: nextLongValue,
            indexes: indexes
        )
    }
}
