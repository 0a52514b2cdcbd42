import Foundation

extension TableReader {
    /// The changes of the open write transaction, begun if this is the first.
    ///
    /// - Precondition: the reader is writing.
    func changes() -> PendingTable {
        if let pending { return pending }
        precondition(reader.isWriting, "no write transaction is open")
        let new = PendingTable(base)
        new.nextKey = max(new.nextKey, reader.store.firstUnspentKey(base.definition.id))
        pending = new
        return new
    }

    /// A cluster's private copy, made at the first change, with all it needs.
    func mutable(_ ordinal: Int) throws(StorageError) -> MutableCluster {
        let cluster = try mutableNumbers(ordinal)
        try loadHeap(of: cluster)
        return cluster
    }

    /// As `mutable`, without a heap part if that has not been loaded: a change of numbers needs none.
    private func mutableNumbers(_ ordinal: Int) throws(StorageError) -> MutableCluster {
        let changes = changes()
        if let cluster = changes.dirty[ordinal] { return cluster }
        let view = try cluster(ordinal)
        let buffer = BlobBuffer.holding(view.payload)
        let copy = MutableCluster(
            id: view.firstKey,
            copying: buffer,
            heap: buffer.loadedHeap,
            columns: definition.columns,
            isStored: true
        )
        adopt(copy, ordinal)
        return copy
    }

    /// Gives a changed cluster the heap part that it may have been made without.
    func loadHeap(of cluster: MutableCluster) throws(StorageError) {
        guard cluster.lacksHeap else { return }
        let cell = cell(ordinal(of: cluster.id))
        let fixed = try cell.fixed(from: self, columns: cluster.columns)
        let heap = try cell.loadHeap(of: fixed, from: self)
        reader.write?.noteDirty(heap.byteCount)
        cluster.attach(heap: heap)
    }

    private func adopt(_ cluster: MutableCluster, _ ordinal: Int) {
        cluster.moved = { [unowned self] cluster in
            setPointer(UnsafeRawPointer(cluster.fixed.payload), ordinal)
            reader.epochDidChange()
        }
        let changes = changes()
        changes.dirty[ordinal] = cluster
        if ordinal == changes.clusterCount - 1 { changes.tail = cluster }
        setPointer(UnsafeRawPointer(cluster.fixed.payload), ordinal)
        reader.write?.noteDirty(cluster.byteCount)
        reader.epochDidChange()
    }

    // MARK: - Inserting

    /// Adds an object: zero, empty, or nil where a column is optional.
    ///
    /// - Complexity: O(columns), amortized.
    func insert() throws(StorageError) -> ObjectKey {
        let writer = try insertRow()
        try writer.enterIndexes()
        return writer.key
    }

    /// As `insert`, with a writer at the new row whose values enter no index until the caller, having
    /// set them, calls `enterIndexes`.
    func insertRow() throws(StorageError) -> RowWriter {
        if let row = insertRowIntoTail() { return row }
        return try insertRowElsewhere()
    }

    /// nil if the last cluster has not been changed yet, or is full.
    @inline(__always)
    private func insertRowIntoTail() -> RowWriter? {
        unretainedPending?._withUnsafeGuaranteedRef { changes in
            changes.unretainedTail?._withUnsafeGuaranteedRef { tail in
                guard tail.rowCount < ClusterShape.rowLimit, !tail.lacksHeap else { return nil }
                return insertRow(into: tail, changes)
            }
        }
    }

    @inline(never)
    private func insertRowElsewhere() throws(StorageError) -> RowWriter {
        let changes = changes()
        let key = changes.nextKey
        var cluster = changes.tail
        if let cluster { try loadHeap(of: cluster) }
        if cluster == nil {
            let ordinal = changes.clusterCount - 1
            if ordinal >= 0, try self.cluster(ordinal).rowCount < ClusterShape.rowLimit {
                cluster = try mutable(ordinal)
            }
        }
        if let full = cluster, full.rowCount == ClusterShape.rowLimit {
            full.seal()
            changes.pattern = full.pattern
            cluster = nil
            if let write = reader.write, write.isOverMemoryLimit { try write.flush() }
        }
        let target: MutableCluster
        if let cluster {
            target = cluster
        } else {
            target = MutableCluster(
                columns: changes.definition.columns,
                firstKey: key,
                pattern: changes.pattern
            )
            changes.appended.append(key)
            adopt(target, changes.clusterCount - 1)
        }
        return insertRow(into: target, changes)
    }

    /// - Precondition: the cluster has room for one more.
    @inline(__always)
    private func insertRow(into cluster: MutableCluster, _ changes: PendingTable) -> RowWriter {
        let key = changes.nextKey
        let row = cluster.append(key: key)
        changeCounts.noteObjects()
        changes.nextKey += 1
        changes.count += 1
        return RowWriter(
            table: self,
            changes: changes,
            cluster: cluster,
            key: key,
            row: row,
            isNew: true
        )
    }

    /// Changes an object's values.
    ///
    /// - Precondition: there is an object of that key.
    func writer(of key: ObjectKey) throws(StorageError) -> RowWriter {
        guard let place = try locate(key) else {
            preconditionFailure("no object of key \(key) in table \(definition.name)")
        }
        return try writer(of: key, at: place)
    }

    /// As `writer(of:)`, for an object that was found since the last change.
    @inline(__always)
    func writer(of key: ObjectKey, at place: RowLocation) throws(StorageError) -> RowWriter {
        if let pending, let cluster = MutableCluster.owner(of: place.cluster) {
            return RowWriter(
                table: self,
                changes: pending,
                cluster: cluster,
                key: key,
                row: place.row,
                isNew: false
            )
        }
        return try firstWriter(of: key, place.row)
    }

    /// The writer of an object whose cluster has not been changed yet.
    @inline(never)
    private func firstWriter(of key: ObjectKey, _ row: Int) throws(StorageError) -> RowWriter {
        if let write = reader.write, write.isOverMemoryLimit { try write.flush() }
        return RowWriter(
            table: self,
            changes: changes(),
            cluster: try mutableNumbers(ordinal(of: key)),
            key: key,
            row: row,
            isNew: false
        )
    }
}
