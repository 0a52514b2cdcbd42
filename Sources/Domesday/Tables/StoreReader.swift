import Foundation

/// What one confined Realm sees of a store: a version, its tables, and while it writes, its own
/// changes.
///
/// It remembers pointers into loaded clusters. They are valid until `epochDidChange` is called:
/// at refresh, at each step of a write that moves something, and when it gives memory back.
///
/// A frozen reader stays at one version. What it remembers only grows, is published to all threads,
/// and is valid as long as the reader: it never gives memory back.
///
/// **Threads.** Confined to its Realm's thread, queue or actor; a frozen one may be used from any,
/// by several at once.
final class StoreReader {
    let store: Store
    /// Whether it stays at one version, for any thread.
    let isFrozen: Bool
    /// Held while a frozen reader remembers something; a cell's lock may be taken under it.
    let growth = Lock(0)
    private(set) var snapshot: Snapshot
    /// By table id.
    private(set) var tables: [TableReader?] = []
    /// The open write transaction.
    private(set) var write: WriteTransaction?
    /// Called whenever remembered pointers become invalid.
    var epochDidChange: () -> Void = {}
    /// Who makes its commits, for the history; empty for nobody.
    var author = ""
    /// How many writes were cancelled; with the version and the tables' counts it tells a query
    /// whether anything may have changed.
    private(set) var cancelCount: UInt64 = 0
    /// By table id.
    private var changeCounts: [ChangeCounts] = []
    /// Bytes of the buffers that the tables hold, and how many of them no cache counts.
    private var pinnedByteCount = 0
    private var ownedByteCount = 0
    private let pinnedByteLimit: Int
    private var holderName: String?
    /// The cache's departures when the tables held nothing.
    private var departureCount: Int

    var isWriting: Bool { write != nil }

    init(store: Store) {
        self.store = store
        isFrozen = false
        snapshot = store.acquireNewest()
        pinnedByteLimit = max(store.cache.byteLimit / 4, 1 << 16)
        departureCount = store.cache.departureCount
        tables = makeTables()
    }

    /// Reads a version that somebody holds, for frozen values.
    init(store: Store, at snapshot: Snapshot) {
        self.store = store
        isFrozen = true
        store.retain(snapshot)
        self.snapshot = snapshot
        pinnedByteLimit = max(store.cache.byteLimit / 4, 1 << 16)
        departureCount = store.cache.departureCount
        tables = makeTables()
    }

    deinit {
        write?.rollback()
        if write != nil { store.writeLock.unlock() }
        if holderName != nil { store.forgetHolding(of: ObjectIdentifier(self)) }
        store.release(snapshot)
        for counts in changeCounts { counts.deallocate() }
    }

    /// The counts of a table; the same for as long as the reader lives.
    func changeCounts(of table: TableID) -> ChangeCounts {
        while changeCounts.count <= table { changeCounts.append(.allocate()) }
        return changeCounts[table]
    }

    /// Says who this reader is, for those who ask what holds a version.
    func noteHolder(_ name: String) {
        holderName = name
        noteHolding()
    }

    private func noteHolding() {
        guard let holderName else { return }
        store.note(
            VersionHolding(
                version: snapshot.version,
                holder: holderName,
                isFrozen: isFrozen,
                since: Date()
            ),
            of: ObjectIdentifier(self)
        )
    }

    private func makeTables() -> [TableReader?] {
        snapshot.tables.map { table in table.map { TableReader($0, in: self) } }
    }

    func table(_ id: TableID) -> TableReader? { tables[safe: id] ?? nil }

    func table(named name: String) -> TableReader? {
        tables.compactMap { $0 }.first { $0.definition.name == name && !$0.definition.isRemoved }
    }

    /// Reads a blob as this reader sees it: with its own writes.
    func load(_ address: BlobAddress) throws(StorageError) -> BlobBuffer {
        if let write { return try write.load(address) }
        return try snapshot.load(address)
    }

    // MARK: - Memory

    /// A table holds a buffer that its cell in the cache holds too.
    func notePinned(_ byteCount: Int) {
        if !isFrozen { pinnedByteCount += byteCount }
    }

    /// A table holds a buffer that no cache counts.
    func noteOwned(_ byteCount: Int) {
        if isFrozen { return }
        pinnedByteCount += byteCount
        ownedByteCount += byteCount
    }

    /// Gives memory back if the limit is passed. Call only where no pointer into a cluster is held.
    @inline(__always)
    func safePoint() {
        if pinnedByteCount > pinnedByteLimit { giveBack() }
    }

    /// While nothing has left the cache, all that the tables hold is counted there already.
    @inline(never)
    private func giveBack() {
        if ownedByteCount > pinnedByteLimit || store.cache.departureCount != departureCount {
            unpin()
        }
    }

    /// Forgets all remembered pointers.
    func unpin() {
        departureCount = store.cache.departureCount
        ownedByteCount = 0
        for table in tables { table?.forgetPointers() }
        pinnedByteCount = 0
        epochDidChange()
    }

    /// What a check of the last commit finds, nothing if all is well.
    ///
    /// The check reads blob by blob: no commit may come between.
    func findingsOfCheck() throws(StorageError) -> [String] {
        if isWriting { return try StoreCheck.findings(in: store) }
        store.writeLock.lock()
        defer { store.writeLock.unlock() }
        return try StoreCheck.findings(in: store)
    }

    // MARK: - Versions

    /// Moves to the newest version, whichever process has committed it. Returns whether there was a
    /// newer one.
    ///
    /// Stays where it is once another process has changed the tables: the next write says so.
    @discardableResult
    func refresh() throws(StorageError) -> Bool {
        guard !isFrozen, write == nil else { return false }
        do throws(StorageError) { try store.catchUp() } catch {
            if error.code != .schemaChanged { throw error }
        }
        return moveToNewest()
    }

    private func moveToNewest() -> Bool {
        guard store.newestVersion != snapshot.version else { return false }
        move(to: store.acquireNewest())
        return true
    }

    /// - Parameter next: held for this reader already.
    private func move(to next: Snapshot) {
        let old = snapshot
        snapshot = next
        for (id, table) in next.tables.enumerated() {
            guard let table else {
                if id < tables.count { tables[id] = nil }
                continue
            }
            if id >= tables.count { tables.append(nil) }
            if let reader = tables[id] {
                reader.move(to: table)
            } else {
                tables[id] = TableReader(table, in: self)
            }
        }
        unpin()
        noteHolding()
        store.release(old)
    }

    // MARK: - Writing

    /// Takes the write lock, moves to the newest version and opens the transaction.
    ///
    /// - Parameter unlessOutdated: Whether to give up if this is not the newest version.
    /// - Parameter holdingLock: Whether the write lock is held for it already.
    /// - Returns: false if it gave up.
    @discardableResult
    func beginWrite(
        unlessOutdated: Bool = false,
        holdingLock: Bool = false
    ) throws(StorageError) -> Bool {
        precondition(write == nil, "already writing")
        if !holdingLock { store.writeLock.lock() }
        if unlessOutdated, store.newestVersion != snapshot.version {
            store.writeLock.unlock()
            return false
        }
        let writer: any PageWriter
        // Who waits for another process holds no version meanwhile: it moves to the newest one anyway.
        let isWaiting = !unlessOutdated && store.pages.isShared
        if isWaiting { store.release(snapshot) }
        do throws(StorageError) {
            defer { if isWaiting { store.retain(snapshot) } }
            writer = try store.beginWrite()
        } catch {
            if isWaiting { _ = moveToNewest() }
            store.writeLock.unlock()
            throw error
        }
        // Other processes may have committed until then.
        if unlessOutdated, store.newestVersion != snapshot.version {
            writer.rollback()
            store.writeLock.unlock()
            return false
        }
        _ = moveToNewest()
        write = WriteTransaction(base: snapshot, writer: writer, reader: self)
        unpin()
        return true
    }

    /// Makes the changes durable. When it throws, they are all undone and the transaction is over.
    ///
    /// - Parameter defersSync: Whether it may be left for the page store's `sync` to make them so.
    func commitWrite(defersSync: Bool = false) throws(StorageError) {
        guard let transaction = write else { preconditionFailure("not writing") }
        defer { store.writeLock.unlock() }
        let next: Snapshot?
        do throws(StorageError) {
            next = try transaction.commit(defersSync: defersSync)
        } catch {
            abandon()
            throw error
        }
        write = nil
        for table in tables { table?.pending = nil }
        if next != nil { move(to: store.acquireNewest()) } else { unpin() }
    }

    /// Undoes the changes.
    func cancelWrite() {
        guard let transaction = write else { preconditionFailure("not writing") }
        transaction.rollback()
        abandon()
        store.writeLock.unlock()
    }

    private func abandon() {
        write = nil
        cancelCount += 1
        for (id, table) in tables.enumerated() {
            if let pending = table?.pending { store.spend(id, below: pending.nextKey) }
            table?.pending = nil
            if id >= snapshot.tables.count {
                tables[id] = nil
            } else if let base = snapshot.tables[id] {
                table?.move(to: base)
            }
        }
        unpin()
    }

    /// A table made by the open transaction.
    func adopt(_ table: TableReader) {
        precondition(table.definition.id == tables.count, "tables come in order")
        tables.append(table)
    }
}
