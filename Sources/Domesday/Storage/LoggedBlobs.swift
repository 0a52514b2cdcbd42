/// The newest blobs of which the page store's file holds older ones and the commit log the
/// difference.
///
/// **Threads.** A value; guarded by its owner. Its blobs are not changed any more.
struct LoggedBlobs: Sendable {
    /// A commit that would pass so many bytes here writes the blobs themselves, unless the store
    /// was opened with another limit.
    ///
    /// Enough for some thousand commits of one object each, whose blobs are then written once, in
    /// order; little enough to be read again and written in a moment.
    static let byteLimit = 8 << 20
    /// So many stand apart, since a pin makes the next commit copy them.
    private static let recentLimit = 64

    private var older: [BlobAddress: BlobBuffer] = [:]
    private var recent: [BlobAddress: BlobBuffer] = [:]
    private(set) var byteCount = 0

    var isEmpty: Bool { recent.isEmpty && older.isEmpty }

    subscript(address: BlobAddress) -> BlobBuffer? {
        isEmpty ? nil : recent[address] ?? older[address]
    }

    /// All of them, in the order of their places in the tables.
    var inOrder: [(key: BlobAddress, value: BlobBuffer)] {
        older.merging(recent) { $1 }
            .sorted { ($0.key.space, $0.key.id) < ($1.key.space, $1.key.id) }
    }

    mutating func set(_ blob: BlobBuffer, at address: BlobAddress) {
        byteCount += blob.byteCount - (self[address]?.byteCount ?? 0)
        // Without the other one that the buffer may keep alive, now or later: nobody counts that.
        recent[address] = blob.sharingBytes()
        if recent.count >= Self.recentLimit {
            older.merge(recent) { $1 }
            recent.removeAll(keepingCapacity: true)
        }
    }

    /// Carries out records of a commit log.
    ///
    /// - Parameter read: The blob that the file holds at an address, if any.
    /// - Returns: What they have changed.
    /// - Throws: What `read` throws; `.damaged`, with nothing changed, if a record does not fit what is
    ///   stored.
    mutating func apply(
        records: [UInt8],
        seed: UInt64,
        path: String,
        _ read: (BlobAddress) throws(StorageError) -> BlobBuffer?
    ) throws(StorageError) -> ChangedBlobs {
        let damage = StorageError(.damaged, path: path, detail: "the commit log makes no sense")
        var logged = self
        // SAFETY: the pointer is used within the closure only.
        let changes = try records.withUnsafeBufferPointer { bytes throws(StorageError) in
            var reader = ByteReader(UnsafeRawBufferPointer(bytes), damage: damage)
            var changes = ChangedBlobs()
            while !reader.isAtEnd {
                changes.countCommit()
                let blobCount = try reader.int(below: bytes.count)
                for _ in 0..<blobCount {
                    changes.insert(try logged.apply(&reader, seed: seed, read))
                }
            }
            return changes
        }
        self = logged
        return changes
    }

    /// - Returns: The address of the blob.
    private mutating func apply(
        _ reader: inout ByteReader,
        seed: UInt64,
        _ read: (BlobAddress) throws(StorageError) -> BlobBuffer?
    ) throws(StorageError) -> BlobAddress {
        let space = Space(try reader.int(below: 1 << 40))
        let address = BlobAddress(space: space, id: try reader.zigzag())
        let byteCount = try reader.int(below: 1 << 23) * BlobBuffer.quantum
        let old: BlobBuffer?
        if let logged = self[address] { old = logged } else { old = try read(address) }
        let blob = try BlobDelta.apply(&reader, to: old, byteCount: byteCount)
        if blob.damage(at: address, seed: seed) != nil {
            throw StorageError(
                .damaged,
                path: reader.damage.path,
                address: address,
                detail: "the blob does not follow from the stored one by the commit log"
            )
        }
        set(blob, at: address)
        return address
    }
}
