import Synchronization

@testable import Domesday

/// A page store in a dictionary, with checksums, pins and a writer: as little as index tests need.
final class LeafStore: PageStore {
    typealias Blobs = [BlobAddress: [UInt8]]

    struct State {
        var committed: Blobs = [:]
        var loadCount = 0
    }

    let state = Mutex(State())
    /// Whether reads verify the checksum. Tests of the second line of defence turn it off.
    let verifies: Bool

    init(verifies: Bool = true) { self.verifies = verifies }

    let path = "leaf-test"
    let seed: UInt64 = 0x5EED

    var blobs: Blobs {
        get { state.withLock { $0.committed } }
        set { state.withLock { $0.committed = newValue } }
    }

    var loadCount: Int { state.withLock { $0.loadCount } }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        let blobs = state.withLock { state in
            state.loadCount += 1
            return state.committed
        }
        return try read(address, in: blobs)
    }

    func read(_ address: BlobAddress, in blobs: Blobs) throws(StorageError) -> BlobBuffer? {
        guard let bytes = blobs[address] else { return nil }
        let buffer = bytes.withUnsafeBytes { BlobBuffer(copying: $0) }
        let isWhole = bytes.count >= 32 && buffer.checksum == Self.checksum(buffer)
        if verifies, !isWhole {
            throw StorageError(.damaged, path: path, address: address, detail: "checksum differs")
        }
        return buffer
    }

    /// FNV by words over everything behind the checksum itself.
    static func checksum(_ buffer: BlobBuffer) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(buffer.byteCount)
        var offset = 8
        while offset < buffer.byteCount {
            // SAFETY: a buffer has slack behind its last byte, zeroed.
            let word = buffer.base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            hash = (hash ^ word) &* 0x100_0000_01b3
            hash ^= hash >> 29
            offset += 8
        }
        return hash
    }

    func beginWrite() -> any PageWriter { begin() }
    func begin() -> LeafWriter { LeafWriter(self) }
    func pin() -> any PagePin { LeafPin(self) }
    func close() {}
}

final class LeafWriter: PageWriter {
    let store: LeafStore
    var blobs: LeafStore.Blobs
    private(set) var writtenByteCounts: [BlobAddress: Int] = [:]
    private var buffers: [BlobAddress: BlobBuffer] = [:]

    init(_ store: LeafStore) {
        self.store = store
        blobs = store.blobs
    }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        try store.read(address, in: blobs)
    }

    func write(_ buffer: BlobBuffer, at address: BlobAddress) {
        buffer.checksum = LeafStore.checksum(buffer)
        // SAFETY: the buffer holds `byteCount` bytes.
        blobs[address] = Array(
            UnsafeRawBufferPointer(start: buffer.base, count: buffer.byteCount)
        )
        buffers[address] = buffer
        writtenByteCounts[address] = buffer.byteCount
    }

    func delete(_ address: BlobAddress) { blobs[address] = nil }

    func deleteSpace(_ space: Space) { blobs = blobs.filter { $0.key.space != space } }

    func commit() { store.blobs = blobs }
    func rollback() {}
}

final class LeafPin: PagePin {
    let store: LeafStore
    let blobs: LeafStore.Blobs

    init(_ store: LeafStore) {
        self.store = store
        blobs = store.blobs
    }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        try store.read(address, in: blobs)
    }

    func release() {}
}

/// Reads through a closure: the store, a pin or a writer.
struct LeafSource: BlobSource {
    let path = "leaf-test"
    let seed: UInt64 = 0x5EED
    let read: (BlobAddress) throws(StorageError) -> BlobBuffer?

    init(_ store: LeafStore) {
        read = { address throws(StorageError) in try store.read(address) }
    }

    init(_ pin: any PagePin) {
        read = { address throws(StorageError) in try pin.read(address) }
    }

    init(_ writer: any PageWriter) {
        read = { address throws(StorageError) in try writer.read(address) }
    }

    func load(_ address: BlobAddress) throws(StorageError) -> BlobBuffer {
        guard let buffer = try read(address) else { throw damaged(address, "missing") }
        return buffer
    }
}

/// SplitMix64.
struct LeafRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }
}

/// One index in a store of its own, and commits to it.
final class LeafWorld {
    let store: LeafStore
    let cache: CellCache
    let place: IndexPlace
    var snapshot: IndexSnapshot
    var version: UInt64 = 0

    init(cacheByteCount: Int = 1 << 30, verifies: Bool = true) {
        store = LeafStore(verifies: verifies)
        cache = CellCache(maximumByteCount: cacheByteCount)
        place = IndexPlace(leaves: Space(7), groups: Space(8), cache: cache)
        snapshot = IndexSnapshot(emptyIn: place)
    }

    var source: LeafSource { LeafSource(store) }

    /// Merges what `body` changes and commits it; returns the transaction for inspection.
    @discardableResult
    func write(_ body: (IndexOverlay) throws -> Void) throws -> LeafWriter {
        let overlay = IndexOverlay(snapshot)
        try body(overlay)
        return try commit(overlay)
    }

    @discardableResult
    func commit(_ overlay: IndexOverlay) throws -> LeafWriter {
        let writer = store.begin()
        version += 1
        snapshot = try snapshot.merge(
            overlay,
            into: writer,
            version: version,
            from: LeafSource(writer)
        )
        writer.commit()
        snapshot.makeEvictable()
        return writer
    }

    /// The same index, opened from its stored root with nothing in memory.
    func reopened() throws -> IndexSnapshot {
        IndexSnapshot(
            try IndexRoot.decode(snapshot.root.encoded(), path: "leaf-test"),
            in: place
        )
    }

    func findings() throws -> [String] {
        try IndexCheck.findings(snapshot.root, leaves: place.leaves, groups: place.groups) {
            address throws(StorageError) in try self.store.read(address)
        }
    }

    func entries(_ snapshot: IndexSnapshot? = nil) throws -> [IndexEntry] {
        var result: [IndexEntry] = []
        try (snapshot ?? self.snapshot).forEachEntry(from: source) { entry in
            result.append(entry)
            return true
        }
        return result
    }
}
