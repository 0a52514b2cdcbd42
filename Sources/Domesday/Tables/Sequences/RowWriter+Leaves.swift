// Collections that are too long for one byte string.
extension RowWriter {
    /// Replaces some elements of a collection that is in leaves, leaving indexes and back-links
    /// alone.
    func replaceInLeaves(
        _ column: Int,
        _ range: Range<Int>,
        _ new: EncodedElements,
        _ tree: SequenceTree
    ) throws(StorageError) {
        try table.loadHeap(of: cluster)
        let tree = writable(tree)
        try write(range, new, to: tree)
        guard tree.byteCount <= table.reader.store.leafByteLimit / 2 else {
            return setReference(column, to: tree)
        }
        let stored = StoredSequence(tree)
        var all = EncodedElements(tree.layout)
        guard stored.appendElements(0..<tree.count, to: &all) else {
            throw table.damagedSequence(cluster.view)
        }
        let bytes = all.stored(0..<all.count)
        try bytes.withUnsafeBufferPointer { bytes throws(StorageError) in
            try storeBytes(UnsafeRawBufferPointer(bytes), column)
        }
    }

    /// Moves a collection that becomes too long into leaves.
    func storeInLeaves(
        _ column: Int,
        _ stored: StoredSequence,
        _ range: Range<Int>,
        _ new: EncodedElements
    ) throws(StorageError) {
        try table.loadHeap(of: cluster)
        guard let all = stored.elements(replacing: range, with: new) else {
            throw table.damagedSequence(cluster.view)
        }
        try dropLongValue(column)
        let number = changes.takeLongNumber()
        let tree = SequenceTree(SequenceRoot(all.layout), number: number, of: table)
        changes.trees[number] = tree
        try write(0..<0, all, to: tree)
        cluster.setState(column, row, 3)
        setReference(column, to: tree)
    }

    /// The transaction's own copy of what the root says.
    private func writable(_ tree: SequenceTree) -> SequenceTree {
        if let own = changes.trees[tree.number] { return own }
        let own = SequenceTree(tree.root, number: tree.number, of: table)
        changes.trees[tree.number] = own
        return own
    }

    private var version: UInt64 { table.reader.write?.version ?? 0 }

    private func write(
        _ range: Range<Int>,
        _ new: EncodedElements,
        to tree: SequenceTree
    ) throws(StorageError) {
        try SequenceWriter(
            tree: tree,
            changes: changes,
            byteLimit: table.reader.store.leafByteLimit,
            version: version
        ).replace(range, with: new)
    }

    private func setReference(_ column: Int, to tree: SequenceTree) {
        SequenceReference(number: tree.number, version: version)
            .withBytes { cluster.setBytes(column, row, $0) }
    }
}
