extension TableReader {
    /// The collection in a column of a row.
    ///
    /// - Parameter layout: the column's, for those who ask for many rows.
    /// - Throws: what reading the bytes throws, and `.damaged` for bytes that are no collection.
    @inline(__always)
    func sequence(
        _ column: Int,
        _ view: ClusterView,
        _ row: Int,
        layout: SequenceLayout? = nil
    ) throws(StorageError) -> StoredSequence {
        let layout = layout ?? SequenceLayout(definition.columns[column])
        if view.state(column, row) == 3 { return try longSequence(column, view, row, layout) }
        let bytes = try bytes(view.payload, column: column, row: row)
        guard let sequence = StoredSequence(layout, bytes) else { throw damagedSequence(view) }
        return sequence
    }

    @inline(never)
    private func longSequence(
        _ column: Int,
        _ view: ClusterView,
        _ row: Int,
        _ layout: SequenceLayout
    ) throws(StorageError) -> StoredSequence {
        StoredSequence(try tree(ClusterView.bytes(try heap(view), column, row), layout, view))
    }

    /// The error for a collection that could not be read: what reading a leaf threw, or that the
    /// bytes are no collection.
    func damagedSequence(_ view: ClusterView) -> StorageError {
        takeSequenceFailure()
            ?? reader.snapshot.damaged(
                BlobAddress(space: spaces.heap, id: view.firstKey),
                "collection"
            )
    }

    // MARK: Long ones

    /// The collection in leaves that a row refers to.
    func tree(
        _ reference: UnsafeRawBufferPointer,
        _ layout: SequenceLayout,
        _ view: ClusterView
    ) throws(StorageError) -> SequenceTree {
        guard let reference = SequenceReference(reference) else {
            throw reader.snapshot.damaged(
                BlobAddress(space: spaces.heap, id: view.firstKey),
                "reference to a collection"
            )
        }
        if let tree = pending?.trees[reference.number] { return tree }
        if let tree = rememberedTree(reference.number) { return tree }
        let address = BlobAddress(space: spaces.long, id: reference.number)
        let buffer = try load(address)
        defer { withExtendedLifetime(buffer) {} }
        guard buffer.version == reference.version,
            let root = SequenceRoot(layout, buffer.payloadBytes)
        else { throw reader.snapshot.damaged(address, "root of a collection") }
        return remember(SequenceTree(root, number: reference.number, of: self), buffer.byteCount)
    }

    /// The bytes of a leaf.
    func bytes(of leaf: SequenceRoot.Leaf) throws(StorageError) -> UnsafeRawBufferPointer {
        if let copy = pending?.leaves[leaf.number] { return copy.bytes }
        let buffer = try pinnedLongValue(leaf.number)
        guard buffer.version == leaf.version, buffer.payloadByteCount == leaf.byteCount else {
            let address = BlobAddress(space: spaces.long, id: leaf.number)
            throw reader.snapshot.damaged(address, "leaf of a collection")
        }
        return buffer.payloadBytes
    }

    /// A long collection, if its root has been read.
    private func rememberedTree(_ number: Int64) -> SequenceTree? {
        isFrozen ? reader.growth.withLock { _ in trees[number] } : trees[number]
    }

    /// Remembers a long collection; of a frozen table's the first one stays.
    private func remember(_ tree: SequenceTree, _ byteCount: Int) -> SequenceTree {
        if isFrozen {
            return reader.growth.withLock { _ in
                let kept = trees[tree.number] ?? tree
                trees[tree.number] = kept
                return kept
            }
        }
        trees[tree.number] = tree
        reader.noteOwned(byteCount)
        return tree
    }

    func noteSequenceFailure(_ error: StorageError) {
        reader.growth.withLock { _ in sequenceFailure = error }
    }

    /// Why a leaf could not be read, told once.
    func takeSequenceFailure() -> StorageError? {
        reader.growth.withLock { _ in
            defer { sequenceFailure = nil }
            return sequenceFailure
        }
    }
}
