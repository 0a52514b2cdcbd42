// What a version that another process has made takes over from an older one.

extension ClusterDirectory {
    /// A directory of other clusters: chunks that did not change are the same objects, cells that did
    /// not change as well.
    ///
    /// - Parameter keys: first keys, ascending.
    /// - Parameter changed: by first key, cells of which the ones here are older versions.
    /// - Parameter make: The cell of a cluster that is not here.
    func replacing(
        _ keys: [ObjectKey],
        _ changed: [ObjectKey: ClusterCell],
        _ make: (ObjectKey) -> ClusterCell
    ) -> ClusterDirectory {
        var result: [Chunk] = []
        var position = 0
        // Mostly clusters are added at the end.
        for chunk in chunks.dropLast() {
            let end = position + chunk.firstKeys.count
            guard end <= keys.count, chunk.firstKeys.elementsEqual(keys[position..<end]) else {
                break
            }
            if chunk.firstKeys.contains(where: { changed[$0] != nil }) {
                let cells = zip(chunk.firstKeys, chunk.cells).map { changed[$0] ?? $1 }
                result.append(Chunk(firstKeys: chunk.firstKeys, cells: ContiguousArray(cells)))
            } else {
                result.append(chunk)
            }
            position = end
        }
        let rest = keys[position...].map { key -> (ObjectKey, ClusterCell) in
            if let cell = changed[key] { return (key, cell) }
            let ordinal = ordinal(of: key)
            let isHere = ordinal >= 0 && firstKey(ordinal) == key
            return (key, isHere ? cell(ordinal) : make(key))
        }
        return ClusterDirectory(chunks: result + ClusterDirectory.chunks(rest))
    }
}

extension IndexSnapshot {
    /// The index that the store's state describes, with the groups of an older version that did not
    /// change. Reads no blob.
    convenience init(
        _ root: IndexRoot,
        after old: IndexSnapshot,
        changedGroups: Set<Int64>
    ) {
        var known: [Int64: IndexGroupSlot] = [:]
        for slot in old.slots where !changedGroups.contains(slot.id) { known[slot.id] = slot }
        self.init(
            old.place,
            slots: root.groups.map { group in
                if let slot = known[group.id], slot.fence == group.fence,
                    slot.entryCount == group.entryCount
                {
                    return slot
                }
                return IndexGroupSlot(
                    id: group.id,
                    fence: group.fence,
                    entryCount: group.entryCount
                )
            },
            nextLeafId: root.nextLeafId,
            nextGroupId: root.nextGroupId,
            pinned: []
        )
    }
}
