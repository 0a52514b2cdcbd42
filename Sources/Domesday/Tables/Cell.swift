import Synchronization

/// One version of one blob, loaded at first touch, shared by all snapshots that did not change it.
///
/// A cell that can be reloaded may be emptied by its cache at any time. Whoever reads keeps the
/// returned `BlobBuffer`, never a pointer alone.
///
/// **Threads.** Any thread. A hit is one uncontended lock and one retain.
final class Cell: @unchecked Sendable {
    // @unchecked: `state` is guarded by its mutex; `ringIndex` and `countedBytes` by the cache's
    // lock; `wasCounted` is written by threads that hold the cell and read by deinit only.

    private struct State {
        var buffer: BlobBuffer?
        /// Set by each read, cleared by the passing clock hand.
        var isTouched = true
    }

    // First, so that a hit touches one cache line.
    private let state: Lock<State>
    let address: BlobAddress
    private let cache: CellCache

    /// Position among the cache's evictable cells; -1 when it is none of them.
    var ringIndex = -1
    /// What the cache has added to its sum for this cell.
    var countedBytes = 0
    private let wasCounted = Atomic(false)

    /// A cell whose blob will be loaded when it is first read.
    init(_ address: BlobAddress, cache: CellCache) {
        self.address = address
        self.cache = cache
        state = Lock(State())
    }

    /// A cell for a blob that no source can deliver yet: pinned until `unpin()`.
    init(_ address: BlobAddress, pinning buffer: BlobBuffer, cache: CellCache) {
        self.address = address
        self.cache = cache
        state = Lock(State(buffer: buffer))
        wasCounted.store(true, ordering: .relaxed)
        cache.count(self, byteCount: buffer.byteCount, isEvictable: false)
    }

    deinit {
        if wasCounted.load(ordering: .relaxed) { cache.forget(self) }
    }

    /// The blob, loaded if it is not in memory. It stays valid for as long as the caller keeps it.
    ///
    /// Concurrent readers of an empty cell wait for one load.
    ///
    /// - Parameter findDamage: Called once per load, before the blob is published: says what is
    ///   wrong with the content, or `nil`.
    /// - Throws: What the source throws; `.damaged` if `findDamage` says so. The cell stays empty.
    @inline(__always)
    func buffer(
        from source: some BlobSource,
        findDamage: (BlobBuffer) -> String? = { _ in nil }
    ) throws(StorageError) -> BlobBuffer {
        if let buffer = bufferInMemory() { return buffer }
        return try load(from: source, findDamage)
    }

    /// The blob if it is in memory; marks it as used.
    @inline(__always)
    private func bufferInMemory() -> BlobBuffer? {
        state.withLock { state in
            state.isTouched = true
            return state.buffer
        }
    }

    /// Whether the blob is in memory; does not mark it as used.
    var isLoaded: Bool { state.withLock { $0.buffer != nil } }

    @inline(never)
    private func load(
        from source: some BlobSource,
        _ findDamage: (BlobBuffer) -> String?
    ) throws(StorageError) -> BlobBuffer {
        var isNew = false
        let buffer = try state.withLock { state throws(StorageError) -> BlobBuffer in
            if let buffer = state.buffer { return buffer }
            let buffer = try source.load(address)
            if let damage = findDamage(buffer) { throw source.damaged(address, damage) }
            state.buffer = buffer
            state.isTouched = true
            isNew = true
            return buffer
        }
        // Outside the cell's lock, because the cache locks itself first and a cell second. Until it
        // is counted the cache does not know the cell and cannot empty it.
        if isNew {
            wasCounted.store(true, ordering: .relaxed)
            cache.count(self, byteCount: buffer.byteCount, isEvictable: true)
        }
        return buffer
    }

    /// Makes a pinned cell evictable: its blob has become readable. Otherwise does nothing.
    func unpin() { cache.makeEvictable(self) }

    /// Empties the cell unless it has been read since the last call. Called by the cache.
    ///
    /// - Returns: The buffer to release, once no lock is held.
    func dropUnlessTouched() -> BlobBuffer? {
        state.withLock { state in
            if state.isTouched {
                state.isTouched = false
                return nil
            }
            let buffer = state.buffer
            state.buffer = nil
            return buffer
        }
    }
}
