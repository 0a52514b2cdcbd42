/// The open write transaction of a reader: turns what its tables have changed into blobs.
///
/// **Threads.** The writer's.
final class WriteTransaction {
    private let pageWriter: any PageWriter
    // SAFETY: the reader owns its transaction and ends it before it goes.
    unowned(unsafe) let reader: StoreReader
    let base: Snapshot
    private var nextSpace: Int
    private var userVersion: UInt64
    private var schemaChanged: Bool
    /// What is kept of the changes; see `setHistory`.
    var history: HistorySettings?
    private var dirtyByteCount = 0
    /// Bytes of changed clusters above which they are flushed.
    private var flushLimit: Int
    private static let glanceLimit = 16
    private var glanceCount = 0

    /// - Parameter writer: The page store's transaction, begun when `base` was the newest version.
    init(base: Snapshot, writer: any PageWriter, reader: StoreReader) {
        self.base = base
        self.reader = reader
        pageWriter = writer
        nextSpace = base.nextSpace
        userVersion = reader.store.userVersion
        schemaChanged = base.version == 0
        history = base.history
        flushLimit = reader.store.cache.byteLimit
    }

    /// The version this transaction makes.
    var version: UInt64 { base.version + 1 }

    func load(_ address: BlobAddress) throws(StorageError) -> BlobBuffer {
        guard let buffer = try pageWriter.read(address) else {
            throw base.damaged(address, "missing")
        }
        return buffer
    }

    /// Lets `body` look at parts of a blob that is not in memory; see `PageWriter.glance`.
    ///
    /// Some times only: who looks for many objects needs most blobs whole.
    func glance(at address: BlobAddress, _ body: (any BlobGlance) -> Bool) -> Bool {
        guard glanceCount < Self.glanceLimit else { return false }
        glanceCount += 1
        return pageWriter.glance(at: address, body)
    }

    func rollback() { pageWriter.rollback() }

    // MARK: - Memory

    func noteDirty(_ byteCount: Int) { dirtyByteCount += byteCount }

    var isOverMemoryLimit: Bool { dirtyByteCount > flushLimit }

    /// Writes changed clusters into the open transaction and gives their memory back.
    ///
    /// Where there is no room they stay in memory, and are asked about again when they are twice as
    /// many: a flush that fails undoes the transaction amid its user's setters, which cannot throw;
    /// a commit can.
    func flush() throws(StorageError) {
        guard reader.store.pages.hasRoom(for: dirtyByteCount) else {
            flushLimit = dirtyByteCount * 2
            return
        }
        flushLimit = reader.store.cache.byteLimit
        for table in reader.tables.compactMap({ $0 }) {
            guard let pending = table.pending else { continue }
            let tail = pending.clusterCount - 1
            for ordinal in pending.dirty.keys.sorted() where ordinal != tail {
                guard let cluster = pending.dirty.removeValue(forKey: ordinal) else { continue }
                pending.flushed[ordinal] = try store(cluster, table, replacing: nil)
            }
            try storeLongValues(pending)
            pending.longValues = [:]
            pending.trees = [:]
            pending.leaves = [:]
            pending.hasFlushedLongValues = true
        }
        dirtyByteCount = 0
        reader.unpin()
    }

    func write(
        _ buffer: BlobBuffer,
        _ address: BlobAddress,
        replacing old: BlobBuffer? = nil
    ) throws(StorageError) {
        buffer.version = version
        try pageWriter.write(buffer, at: address, replacing: old)
    }

    func delete(_ address: BlobAddress) throws(StorageError) { try pageWriter.delete(address) }

    func deleteSpace(_ space: Space) throws(StorageError) { try pageWriter.deleteSpace(space) }

    private func store(
        _ cluster: MutableCluster,
        _ table: TableReader,
        replacing old: BlobBuffer?
    ) throws(StorageError) -> ClusterCell {
        let heapChanged = cluster.heapChanged || !cluster.isStored
        let (fixed, heap) = cluster.release()
        let spaces = table.spaces
        let fixedAddress = BlobAddress(space: spaces.fixed, id: cluster.id)
        let heapAddress = BlobAddress(space: spaces.heap, id: cluster.id)
        try write(fixed, fixedAddress, replacing: old)
        if let heap, heapChanged { try write(heap, heapAddress, replacing: old?.loadedHeap) }
        return ClusterCell(
            fixed: fixedAddress,
            heap: heapAddress,
            cache: reader.store.cache,
            buffer: fixed
        )
    }

    private func storeLongValues(_ pending: PendingTable) throws(StorageError) {
        for (number, value) in pending.longValues { try storeLong(number, value, pending) }
        let space = pending.spaces.long
        for (number, leaf) in pending.leaves.sorted(by: { $0.key < $1.key }) {
            let address = BlobAddress(space: space, id: number)
            try write(leaf.blob(), address, replacing: leaf.stored)
        }
        for (number, tree) in pending.trees.sorted(by: { $0.key < $1.key }) {
            try write(tree.root.encoded(), BlobAddress(space: space, id: number))
        }
    }

    private func storeLong(
        _ number: Int64,
        _ value: [UInt8],
        _ pending: PendingTable
    ) throws(StorageError) {
        let buffer = BlobBuffer(payloadByteCount: value.count)
        value.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: buffer.payload, count: $0.count)
                .copyMemory(from: $0)
        }
        try write(buffer, BlobAddress(space: pending.spaces.long, id: number))
    }

    // MARK: - Schema

    /// Adds a table without columns.
    func addTable(named name: String, isEmbedded: Bool) -> TableReader {
        let spaces = TableSpaces(
            fixed: takeSpace(),
            heap: takeSpace(),
            long: takeSpace(),
            indexes: [:]
        )
        let definition = TableDefinition(
            id: reader.tables.count,
            name: name,
            isEmbedded: isEmbedded,
            isRemoved: false,
            columns: []
        )
        let table = TableReader(
            TableSnapshot(
                definition: definition,
                spaces: spaces,
                directory: ClusterDirectory(),
                count: 0,
                nextKey: 1,
                nextLongValue: 1,
                indexes: [:]
            ),
            in: reader
        )
        reader.adopt(table)
        table.changes().schemaChanged = true
        schemaChanged = true
        return table
    }

    func takeSpace() -> Space {
        defer { nextSpace += 1 }
        return Space(nextSpace)
    }

    /// Adds a column; its id is set here. Existing objects read zero, empty, or nil if optional.
    ///
    /// - Complexity: O(1); an index costs a pass over the table.
    @discardableResult
    func addColumn(_ column: ColumnDefinition, to table: TableReader) throws(StorageError)
        -> ColumnDefinition
    {
        let changes = table.changes()
        let added = column.numbered(changes.definition.columns.count)
        try convertPending(table) { $0.columns.append(added) }
        if added.hasIndex { try buildIndex(added, of: table) }
        return added
    }

    /// Removes a column with its values and index, and the embedded objects that it owns.
    ///
    /// - Complexity: O(objects) if the column's values can be long, or own objects; else O(1). The
    ///   bytes inside clusters go when those are next written.
    func removeColumn(_ column: Int, from table: TableReader) throws(StorageError) {
        try table.dropContents(ofColumn: column)
        try dropIndex(column, of: table)
        try convertPending(table) { $0.columns[column].isRemoved = true }
    }

    /// Changes what a column is called or how it is indexed; not its type.
    func changeColumn(
        _ column: Int,
        of table: TableReader,
        _ change: (inout ColumnDefinition) -> Void
    ) throws(StorageError) {
        let before = table.definition.columns[column]
        try convertPending(table) { change(&$0.columns[column]) }
        let after = table.definition.columns[column]
        // An index that becomes unique is made anew: all its entries are looked at then.
        let isSame =
            before.entersIndex == after.entersIndex && before.entersWords == after.entersWords
            && (before.isUnique || !after.isUnique)
        if isSame { return }
        if before.hasIndex { try dropIndex(column, of: table) }
        if after.hasIndex { try buildIndex(after, of: table) }
    }

    func noteSchemaChange() { schemaChanged = true }

    func setUserVersion(_ version: UInt64) {
        userVersion = version
        schemaChanged = true
    }

    private func convertPending(
        _ table: TableReader,
        _ change: (inout TableDefinition) -> Void
    ) throws(StorageError) {
        let changes = table.changes()
        for cluster in changes.dirty.values { try table.loadHeap(of: cluster) }
        change(&changes.definition)
        changes.schemaChanged = true
        schemaChanged = true
        for cluster in changes.dirty.values { cluster.convert(to: changes.definition.columns) }
        reader.unpin()
    }

    private func buildIndex(_ column: ColumnDefinition, of table: TableReader) throws(StorageError)
    {
        let changes = table.changes()
        let spaces = IndexSpaces(leaves: takeSpace(), groups: takeSpace())
        changes.spaces.indexes[column.id] = spaces
        let empty = IndexSnapshot(emptyIn: reader.store.place(spaces))
        let overlay = IndexOverlay(empty)
        changes.setOverlay(overlay, of: column.id)
        overlay.reserve(table.count)
        for ordinal in 0..<table.clusterCount {
            reader.safePoint()
            let view = try table.cluster(ordinal)
            if column.entersWords {
                try table.enterWords(column.id, view, into: overlay)
                continue
            }
            guard column.isLink || column.isMixed else {
                try table.enter(column.id, view, into: overlay)
                continue
            }
            for row in 0..<view.rowCount {
                if column.isLink {
                    for target in try table.targets(of: column, view, row) {
                        overlay.insert(value: UInt64(target), key: UInt64(view.key(row)))
                    }
                } else {
                    for link in try table.mixedLinks(of: column, view, row) {
                        overlay.insert(value: link.image, key: UInt64(view.key(row)))
                    }
                }
            }
        }
    }

    private func dropIndex(_ column: Int, of table: TableReader) throws(StorageError) {
        let changes = table.changes()
        guard let spaces = changes.spaces.indexes.removeValue(forKey: column) else { return }
        changes.setOverlay(nil, of: column)
        try pageWriter.deleteSpace(spaces.leaves)
        try pageWriter.deleteSpace(spaces.groups)
        changes.schemaChanged = true
        schemaChanged = true
    }

    // MARK: - Commit

    /// Makes everything durable and the newest version. When it throws, nothing has changed.
    ///
    /// - Parameter defersSync: Whether it may be left for the page store's `sync` to make it durable.
    /// - Returns: nil when there was nothing to write.
    func commit(defersSync: Bool) throws(StorageError) -> Snapshot? {
        let isChanged =
            schemaChanged || reader.tables.contains { $0?.pending?.isChanged ?? false }
        guard isChanged else {
            pageWriter.rollback()
            return nil
        }
        do throws(StorageError) {
            var tables: [TableSnapshot?] = []
            for table in reader.tables {
                tables.append(try table.map { (table) throws(StorageError) in try finish(table) })
            }
            if history != nil || base.history != nil { try recordHistory(tables) }
            let next = Snapshot(
                version: version,
                schemaVersion: schemaChanged ? version : base.schemaVersion,
                tables: tables,
                nextSpace: nextSpace,
                history: history,
                store: reader.store
            )
            if schemaChanged {
                try write(
                    StoreCoding.encodeSchema(next, userVersion: userVersion),
                    StoreCoding.schemaAddress
                )
            }
            try write(StoreCoding.encodeState(next), StoreCoding.stateAddress)
            try reader.store.publish(
                next,
                userVersion: userVersion,
                writer: pageWriter,
                defersSync: defersSync
            )
            for table in tables {
                for index in table?.indexes.values ?? [:].values { index.makeEvictable() }
            }
            return next
        } catch {
            pageWriter.rollback()
            throw error
        }
    }

    private func finish(_ table: TableReader) throws(StorageError) -> TableSnapshot {
        guard let pending = table.pending, pending.isChanged else { return table.base }
        let removed = try mergeUnderfull(table, pending)
        var replaced = pending.flushed
        let base = pending.base.directory
        for ordinal in pending.dirty.keys.sorted() {
            guard let cluster = pending.dirty[ordinal], !removed.contains(ordinal) else { continue }
            let old =
                ordinal < base.count && cluster.isStored
                ? base.cell(ordinal).fixedInMemory : nil
            replaced[ordinal] = try store(cluster, table, replacing: old)
        }
        let directory = try directory(table, pending, replaced: replaced, removed: removed)
        try storeLongValues(pending)
        for number in pending.droppedLongValues {
            try pageWriter.delete(BlobAddress(space: pending.spaces.long, id: number))
        }
        var indexes = pending.base.indexes.filter { pending.spaces.indexes[$0.key] != nil }
        for (column, overlay) in pending.changedIndexes {
            indexes[column] = try overlay.base.merge(
                overlay,
                into: pageWriter,
                version: version,
                from: table
            )
        }
        return TableSnapshot(
            definition: pending.definition,
            spaces: pending.spaces,
            directory: directory,
            count: pending.count,
            nextKey: pending.nextKey,
            nextLongValue: pending.nextLongValue,
            indexes: indexes
        )
    }

    /// Joins neighbours of which deletes left little; deletes the blobs of those that end.
    ///
    /// - Returns: the ordinals that are no more.
    private func mergeUnderfull(
        _ table: TableReader,
        _ pending: PendingTable
    ) throws(StorageError) -> Set<Int> {
        var removed: Set<Int> = []
        func live(before ordinal: Int) -> Int? {
            var candidate = ordinal - 1
            while candidate >= 0, removed.contains(candidate) { candidate -= 1 }
            return candidate >= 0 ? candidate : nil
        }
        for ordinal in pending.shrunk.sorted() {
            let rowCount = try table.cluster(ordinal).rowCount
            if rowCount > 0 {
                guard rowCount < ClusterShape.rowLimit / 2, let left = live(before: ordinal),
                    try table.cluster(left).rowCount + rowCount <= ClusterShape.mergeLimit
                else { continue }
                let target = try table.mutable(left)
                target.absorb(try table.mutable(ordinal))
                target.seal()
            }
            removed.insert(ordinal)
            let id = try table.cluster(ordinal).firstKey
            for space in [pending.spaces.fixed, pending.spaces.heap] {
                try pageWriter.delete(BlobAddress(space: space, id: id))
            }
        }
        return removed
    }

    private func directory(
        _ table: TableReader,
        _ pending: PendingTable,
        replaced: [Int: ClusterCell],
        removed: Set<Int>
    ) throws(StorageError) -> ClusterDirectory {
        let old = pending.base.directory
        if removed.isEmpty, pending.appended.isEmpty { return old.replacing(replaced) }
        var touched: Set<Int> = []
        for ordinal in replaced.keys where ordinal < old.count {
            touched.insert(old.place(ordinal).chunk)
        }
        for ordinal in removed where ordinal < old.count {
            touched.insert(old.place(ordinal).chunk)
        }
        if !pending.appended.isEmpty, !old.chunks.isEmpty { touched.insert(old.chunks.count - 1) }
        var chunks: [ClusterDirectory.Chunk] = []
        var rest: [(ObjectKey, ClusterCell)] = []
        for (number, chunk) in old.chunks.enumerated() {
            guard touched.contains(number) else {
                chunks.append(chunk)
                continue
            }
            var entries: [(ObjectKey, ClusterCell)] = []
            for index in chunk.cells.indices {
                let ordinal = old.starts[number] + index
                if removed.contains(ordinal) { continue }
                entries.append((chunk.firstKeys[index], replaced[ordinal] ?? chunk.cells[index]))
            }
            if number == old.chunks.count - 1 {
                rest = entries
            } else if !entries.isEmpty {
                chunks += ClusterDirectory.chunks(entries)
            }
        }
        for (index, key) in pending.appended.enumerated() {
            let ordinal = old.count + index
            if removed.contains(ordinal) { continue }
            if let cell = replaced[ordinal] { rest.append((key, cell)) }
        }
        chunks += ClusterDirectory.chunks(rest)
        let new = ClusterDirectory(chunks: chunks)
        if !removed.isEmpty || !pending.appended.isEmpty {
            try write(
                StoreCoding.encodeDirectory(new),
                StoreCoding.directoryAddress(pending.definition.id)
            )
        }
        return new
    }
}

/// Reads what it has written.
extension WriteTransaction: BlobSource {
    var path: String { base.path }
}

extension ClusterShape {
    /// Neighbours are joined when they have at most this many objects together.
    static let mergeLimit = 224
}
