import CRuntime
import Synchronization

/// One version of one cluster: its two blobs, loaded and validated at first touch, shared by all
/// versions of the store that have not changed it.
///
/// **Threads.** Any. Two threads that touch it at once load it once.
final class ClusterCell: Evictable, @unchecked Sendable {
    // @unchecked: `fixed` and the companion of its buffer change under `lock` only; `slot` belongs
    // to the cache and its lock.

    let fixedAddress: BlobAddress
    let heapAddress: BlobAddress
    private let lock = Lock<BlobBuffer?>(nil)
    private let cache: ClusterCache
    var cacheSlot = -1
    let touched = Atomic<Bool>(true)

    /// A cell whose blobs are read when needed.
    init(fixed: BlobAddress, heap: BlobAddress, cache: ClusterCache) {
        fixedAddress = fixed
        heapAddress = heap
        self.cache = cache
    }

    /// A cell whose blobs were just written.
    convenience init(
        fixed: BlobAddress,
        heap: BlobAddress,
        cache: ClusterCache,
        buffer: BlobBuffer
    ) {
        self.init(fixed: fixed, heap: heap, cache: cache)
        lock.withLock { $0 = buffer }
        cache.add(self, byteCount: Self.byteCount(buffer))
    }

    deinit { cache.remove(self) }

    private static func byteCount(_ buffer: BlobBuffer) -> Int {
        buffer.byteCount + (buffer.companion?.byteCount ?? 0)
    }

    /// The fixed part, retained by the caller for as long as it uses pointers into it.
    func fixed(
        from source: some BlobSource,
        columns: [ColumnDefinition]
    ) throws(StorageError) -> BlobBuffer {
        touched.store(true, ordering: .relaxed)
        var loaded = false
        let buffer = try withLock { (held: inout BlobBuffer?) throws(StorageError) -> BlobBuffer in
            if let held, ClusterView(held.payload).columnCount >= columns.count { return held }
            let buffer = try load(from: source, columns: columns)
            held = buffer
            loaded = true
            return buffer
        }
        if loaded { cache.add(self, byteCount: buffer.byteCount) }
        return buffer
    }

    /// The fixed part if it is in memory, its heap part with it if that is.
    var fixedInMemory: BlobBuffer? { lock.withLock { $0 } }

    /// Loads the heap part and notes its address in front of the fixed part.
    ///
    /// - Parameter buffer: this cell's fixed part, as `fixed` returned it.
    func loadHeap(
        of buffer: BlobBuffer,
        from source: some BlobSource
    ) throws(StorageError) -> BlobBuffer {
        var loaded = false
        let heap = try withLock { (_: inout BlobBuffer?) throws(StorageError) -> BlobBuffer in
            if let heap = buffer.companion { return heap }
            let heap = try source.load(heapAddress)
            if let problem = ClusterCheck.problem(heap: heap, beside: buffer) {
                throw source.damaged(heapAddress, problem)
            }
            buffer.companion = heap
            domesday_store_release(
                buffer.payload - 48,
                UInt64(UInt(bitPattern: heap.payload))
            )
            loaded = true
            return heap
        }
        if loaded { cache.grow(self, by: heap.byteCount) }
        return heap
    }

    private func load(
        from source: some BlobSource,
        columns: [ColumnDefinition]
    ) throws(StorageError) -> BlobBuffer {
        let buffer = try source.load(fixedAddress)
        if let problem = ClusterCheck.problem(fixed: buffer) {
            throw source.damaged(fixedAddress, problem)
        }
        let view = ClusterView(buffer.payload)
        guard view.firstKey == fixedAddress.id else {
            throw source.damaged(fixedAddress, "first key")
        }
        for column in columns.prefix(view.columnCount) where !column.isRemoved {
            guard view.kind(column.id) == column.kind else {
                throw source.damaged(fixedAddress, "kind of column \(column.id)")
            }
        }
        guard view.columnCount < columns.count else { return buffer }
        // Written under an older schema: converted in memory, on disk when next written.
        var heap: BlobBuffer?
        if columns.prefix(view.columnCount).contains(where: { $0.kind == .bytes }) {
            let part = try source.load(heapAddress)
            if let problem = ClusterCheck.problem(heap: part, beside: buffer) {
                throw source.damaged(heapAddress, problem)
            }
            heap = part
        }
        let cluster = MutableCluster(
            id: view.firstKey,
            copying: buffer,
            heap: heap,
            columns: [],
            isStored: true
        )
        cluster.convert(to: columns)
        return cluster.release().fixed
    }

    private func withLock<R: ~Copyable>(
        _ body: (inout BlobBuffer?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try lock.withLock(body)
    }

    // MARK: - Evictable

    func evict() -> Bool {
        lock.withLockIfAvailable { $0 = nil } != nil
    }
}

extension BlobBuffer {
    /// The heap part that belongs to this fixed part, if it has been loaded.
    ///
    /// **Threads.** Any, also while another thread loads it: `companion` is set once, before the
    /// address that is looked at here.
    var loadedHeap: BlobBuffer? { ClusterView(payload).heap == nil ? nil : companion }
}
