/// A page store that ends with its last reference.
///
/// Each blob is a short history: the version that is newest and those that pins still see.
///
/// **Threads.** Any. All state is guarded by one lock, held for a lookup or for one commit.
final class MemoryPageStore: PageStore, Sendable {
    private struct State {
        var blobs = VersionedBlobs()
        /// Pins per version.
        var pins: [UInt64: Int] = [:]
        var isWriting = false
        var isClosed = false
    }

    let path: String
    let seed: UInt64
    private let busyTimeout: Duration
    private let gate = WriterGate()
    private let state = Lock(State())

    /// Makes an empty store whose identifier, for messages, is `path`.
    ///
    /// Its writers wait for each other at most `busyTimeout`.
    init(
        path: String,
        seed: UInt64 = .random(in: .min ... .max),
        busyTimeout: Duration = .seconds(5)
    ) {
        self.path = path
        self.seed = seed
        self.busyTimeout = busyTimeout
    }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        try newest(address)?.copy()
    }

    func beginWrite() throws(StorageError) -> any PageWriter {
        guard gate.enter(timeout: busyTimeout) else {
            throw StorageError(.busy, path: path, detail: "another write did not end in time")
        }
        do throws(StorageError) {
            try withState { $0.isWriting = true }
        } catch {
            gate.leave()
            throw error
        }
        return MemoryPageWriter(self)
    }

    func pin() throws(StorageError) -> any PagePin {
        let version = try withState { state in
            state.pins[state.blobs.version, default: 0] += 1
            return state.blobs.version
        }
        return MemoryPagePin(self, version)
    }

    func close() throws(StorageError) {
        try state.withLock { (state) throws(StorageError) in
            if state.isClosed { return }
            guard !state.isWriting, state.pins.isEmpty else {
                throw StorageError(
                    .busy,
                    path: path,
                    detail: "closed while a write or a snapshot is open"
                )
            }
            state = State()
            state.isClosed = true
        }
    }

    /// Blobs in memory, superseded ones included.
    var keptBlobCount: Int { state.withLock { $0.blobs.keptCount } }

    // MARK: For writers and pins

    /// The stored blob itself, not a copy.
    fileprivate func newest(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        try withState { $0.blobs.blob(at: address, version: $0.blobs.version) }
    }

    fileprivate func blob(at address: BlobAddress, version: UInt64) throws(StorageError)
        -> BlobBuffer?
    {
        try withState { $0.blobs.blob(at: address, version: version) }
    }

    fileprivate func endWrite(applying changes: MemoryPageWriter.Changes?) {
        state.withLock { state in
            if let changes {
                state.blobs.apply(changes, pinned: state.pins.keys.sorted())
            }
            state.isWriting = false
        }
        gate.leave()
    }

    fileprivate func unpin(_ version: UInt64) {
        state.withLock { state in
            guard let count = state.pins[version] else { return }
            state.pins[version] = count == 1 ? nil : count - 1
            if count == 1 { state.blobs.freeSuperseded(pinned: state.pins.keys.sorted()) }
        }
    }

    private func withState<R: Sendable>(_ body: (inout State) -> R) throws(StorageError) -> R {
        try state.withLock { (state) throws(StorageError) in
            guard !state.isClosed else {
                throw StorageError(.closed, path: path, detail: "the store has been closed")
            }
            return body(&state)
        }
    }
}

/// Gathers changes and applies them at the commit.
final class MemoryPageWriter: PageWriter {
    struct Changes {
        /// Whole spaces removed, before `blobs` is applied.
        var deletedSpaces: Set<Space> = []
        /// `nil` for a deleted one.
        var blobs: [BlobAddress: BlobBuffer?] = [:]
    }

    private let store: MemoryPageStore
    private var changes = Changes()
    private var isOpen = true

    init(_ store: MemoryPageStore) { self.store = store }

    deinit { rollback() }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        try checkOpen()
        if let change = changes.blobs[address] { return change?.copy() }
        if changes.deletedSpaces.contains(address.space) { return nil }
        return try store.newest(address)?.copy()
    }

    func write(_ buffer: BlobBuffer, at address: BlobAddress) throws(StorageError) {
        try checkOpen()
        buffer.seal(at: address, seed: store.seed)
        changes.blobs[address] = .some(buffer.copy())
    }

    func delete(_ address: BlobAddress) throws(StorageError) {
        try checkOpen()
        changes.blobs[address] = .some(nil)
    }

    func deleteSpace(_ space: Space) throws(StorageError) {
        try checkOpen()
        changes.deletedSpaces.insert(space)
        changes.blobs = changes.blobs.filter { $0.key.space != space }
    }

    func commit() throws(StorageError) {
        try checkOpen()
        isOpen = false
        store.endWrite(applying: changes)
    }

    func rollback() {
        guard isOpen else { return }
        isOpen = false
        store.endWrite(applying: nil)
    }

    private func checkOpen() throws(StorageError) {
        if isOpen { return }
        throw StorageError(.closed, path: store.path, detail: "the transaction has ended")
    }
}

/// A version of a store in memory that is kept from being freed.
final class MemoryPagePin: PagePin, Sendable {
    private let store: MemoryPageStore
    private let version: UInt64
    private let isReleased = Lock(false)

    init(_ store: MemoryPageStore, _ version: UInt64) {
        self.store = store
        self.version = version
    }

    deinit { release() }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        if isReleased.withLock({ $0 }) {
            throw StorageError(.closed, path: store.path, detail: "the snapshot was released")
        }
        return try store.blob(at: address, version: version)?.copy()
    }

    func release() {
        let isFirst = isReleased.withLock { isReleased in
            defer { isReleased = true }
            return !isReleased
        }
        if isFirst { store.unpin(version) }
    }
}
