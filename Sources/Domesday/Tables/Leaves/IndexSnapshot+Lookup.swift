extension IndexSnapshot {
    /// The smallest key stored with a value that `accept` takes; `nil` if there is none.
    ///
    /// A hash index calls it with a closure that compares the stored object's key.
    ///
    /// - Parameter accept: Gets candidates in ascending order, each once however often it is held.
    /// - Throws: What the source and `accept` throw; `.damaged` for content that contradicts
    ///   itself.
    /// - Complexity: O(1) expected for hashes, O(log *entries*) otherwise, plus candidates; 1 leaf,
    ///   2 at a border.
    @inline(__always)
    func first(
        equalTo value: UInt64,
        from source: some BlobSource,
        where accept: (_ key: UInt64) throws(StorageError) -> Bool = { _ in true }
    ) throws(StorageError) -> UInt64? {
        try first(
            equalTo: value,
            from: source,
            leaf: { (_, group, index) throws(StorageError) in
                try group.leaf(index, from: source)
            },
            where: accept
        )
    }

    /// As `first(equalTo:from:where:)`, with leaves that a reader remembers.
    @inline(__always)
    func first(
        equalTo value: UInt64,
        from table: TableReader,
        _ memo: LeafMemo,
        where accept: (_ key: UInt64) throws(StorageError) -> Bool
    ) throws(StorageError) -> UInt64? {
        try first(
            equalTo: value,
            from: table,
            leaf: { (slot, group, index) throws(StorageError) in
                try memo.leaf(slot, group, index, near: value, from: table)
            },
            where: accept
        )
    }

    @inline(__always)
    private func first(
        equalTo value: UInt64,
        from source: some BlobSource,
        leaf leafAt: (Int, IndexGroup, Int) throws(StorageError) -> IndexLeaf,
        where accept: (_ key: UInt64) throws(StorageError) -> Bool
    ) throws(StorageError) -> UInt64? {
        var slot = slotIndex(before: value)
        guard slot < slots.count else { return nil }
        var group = try slots[slot].group(in: place, from: source)
        var leafIndex = group.leafIndex(before: value)
        while true {
            let leaf = try leafAt(slot, group, leafIndex)
            var index = leaf.lowerBound(value)
            while index < leaf.count {
                if leaf.value(index) != value { return nil }
                let key = leaf.key(index)
                if try accept(key) { return key }
                index += 1
            }
            leafIndex += 1
            if leafIndex == group.leaves.count {
                slot += 1
                guard slot < slots.count, slots[slot].fence.value <= value else { return nil }
                group = try slots[slot].group(in: place, from: source)
                leafIndex = 0
            }
            if group.leaves[leafIndex].fence.value > value { return nil }
        }
    }

    /// Visits the keys stored with a value, ascending, each as often as it is held.
    ///
    /// - Parameter body: Returns `false` to stop.
    /// - Complexity: As `first(equalTo:from:where:)`, plus the keys visited.
    func forEach(
        equalTo value: UInt64,
        from source: some BlobSource,
        _ body: (_ key: UInt64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try forEach(in: value...value, from: source) { entry throws(StorageError) in
            try body(entry.key)
        }
    }

    /// How many entries have this value, copies included.
    ///
    /// - Complexity: As finding both ends; at most 2 leaves are read, however many lie between.
    func count(equalTo value: UInt64, from source: some BlobSource) throws(StorageError) -> Int {
        try count(in: value...value, from: source)
    }

    /// How many entries have a value in the range, copies included.
    ///
    /// - Complexity: As `count(equalTo:from:)`.
    func count(
        in range: ClosedRange<UInt64>,
        from source: some BlobSource
    ) throws(StorageError) -> Int {
        let upper =
            range.upperBound == .max
            ? totalCount : try entryCount(below: range.upperBound + 1, source)
        // Damaged leaves are not sorted; then the difference may be negative.
        return max(0, upper - (try entryCount(below: range.lowerBound, source)))
    }

    /// Whether the pair is held at least once.
    func contains(_ entry: IndexEntry, from source: some BlobSource) throws(StorageError) -> Bool {
        try copies(of: entry, from: source) > 0
    }

    /// How often the pair is held.
    ///
    /// - Complexity: O(log *entries*), 1 leaf.
    func copies(of entry: IndexEntry, from source: some BlobSource) throws(StorageError) -> Int {
        if slots.isEmpty { return 0 }
        let slot = slotIndex(holding: entry)
        let group = try slots[slot].group(in: place, from: source)
        let leaf = try group.leaf(group.leafIndex(holding: entry), from: source)
        guard let index = leaf.index(of: entry) else { return 0 }
        return leaf.copies(index)
    }

    /// Entries whose value is less than `value`.
    private func entryCount(
        below value: UInt64,
        _ source: some BlobSource
    ) throws(StorageError) -> Int {
        if slots.isEmpty || value == 0 { return 0 }
        let slot = slotIndex(before: value)
        let group = try slots[slot].group(in: place, from: source)
        let leafIndex = group.leafIndex(before: value)
        let leaf = try group.leaf(leafIndex, from: source)
        return entryCountsBefore[slot] + group.entryCountsBefore[leafIndex]
            + leaf.entryCount(before: leaf.lowerBound(value))
    }
}
