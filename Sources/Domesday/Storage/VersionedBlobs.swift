/// Blobs by address and version, for a store in memory.
///
/// **Shape.** Each address has the entries that some pin or the newest version sees, ascending by
/// version; an entry without a blob says that it was deleted. The first entry of an address always
/// has a blob.
/// **Threads.** A value; guarded by its owner.
struct VersionedBlobs {
    private struct Entry {
        let version: UInt64
        let blob: BlobBuffer?
    }

    /// The newest version.
    private(set) var version: UInt64 = 0
    private var spaces: [Space: [Int64: [Entry]]] = [:]
    /// Addresses with an entry that the newest version does not see.
    private var superseded: Set<BlobAddress> = []

    /// - Complexity: O(*k*), *k* = entries of the address that are newer than `version`.
    func blob(at address: BlobAddress, version: UInt64) -> BlobBuffer? {
        spaces[address.space]?[address.id]?.last { $0.version <= version }?.blob
    }

    /// Makes the next version, while the older versions `pinned` are still read.
    ///
    /// - Complexity: O(changes and blobs of deleted spaces).
    mutating func apply(_ changes: MemoryPageWriter.Changes, pinned: [UInt64]) {
        version += 1
        for space in changes.deletedSpaces {
            for id in (spaces[space] ?? [:]).keys {
                let address = BlobAddress(space: space, id: id)
                if changes.blobs[address] == nil { append(nil, at: address, pinned: pinned) }
            }
        }
        for (address, blob) in changes.blobs { append(blob, at: address, pinned: pinned) }
    }

    /// Frees what no version is left to see, after a pin has gone.
    ///
    /// - Complexity: O(superseded addresses).
    mutating func freeSuperseded(pinned: [UInt64]) {
        for address in superseded { prune(address, pinned: pinned) }
    }

    var keptCount: Int {
        spaces.values.reduce(0) { sum, blobs in
            blobs.values.reduce(sum) { sum, entries in
                sum + entries.count { $0.blob != nil }
            }
        }
    }

    private mutating func append(_ blob: BlobBuffer?, at address: BlobAddress, pinned: [UInt64]) {
        let entry = Entry(version: version, blob: blob)
        spaces[address.space, default: [:]][address.id, default: []].append(entry)
        prune(address, pinned: pinned)
    }

    private mutating func prune(_ address: BlobAddress, pinned: [UInt64]) {
        guard let entries = spaces[address.space]?[address.id] else { return }
        var kept: [Entry] = []
        for (index, entry) in entries.enumerated() {
            let isNewest = index == entries.count - 1
            let end = isNewest ? UInt64.max : entries[index + 1].version
            guard isNewest || pinned.contains(where: { entry.version <= $0 && $0 < end }) else {
                continue
            }
            // A deletion that nothing precedes says what absence says.
            if entry.blob != nil || !kept.isEmpty { kept.append(entry) }
        }
        spaces[address.space]?[address.id] = kept.isEmpty ? nil : kept
        if spaces[address.space]?.isEmpty == true { spaces[address.space] = nil }
        if kept.count > 1 { superseded.insert(address) } else { superseded.remove(address) }
    }
}
