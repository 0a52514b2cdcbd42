/// A numbered collection of blobs in a store; one table of SQLite.
///
/// Numbers are never reused.
struct Space: Hashable, Sendable, Comparable {
    let number: Int

    init(_ number: Int) { self.number = number }

    static func < (a: Space, b: Space) -> Bool { a.number < b.number }

    /// Schema, state and directories of the store itself.
    static let root = Space(0)
}

/// The place of one blob.
struct BlobAddress: Hashable, Sendable {
    let space: Space
    /// Within the space; any Int64, usually from 0 upward.
    let id: Int64
}

/// Makes batches of blobs durable and atomic, and keeps readers apart from the one writer.
///
/// The engine above knows nothing else of disks, so it runs over SQLite, over memory and over a
/// store that fails on purpose.
///
/// **Threads.** `read` and `pin` from any thread, also while a writer is open; they see the newest
/// committed version. Writers exclude each other.
protocol PageStore: AnyObject, Sendable {
    /// The path, or the identifier of a store in memory; for messages.
    var path: String { get }

    /// A random number made when the store was; seeds its checksums and its hashes.
    var seed: UInt64 { get }

    /// The newest committed blob, verified, in a buffer of its own; `nil` if there is none.
    ///
    /// Damage to the pages that lead to a blob can look like its absence: whoever knows that a blob
    /// must be there treats `nil` as `.damaged`.
    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer?

    /// Begins the one write transaction; waits for another writer some seconds, then `.busy`.
    func beginWrite() throws(StorageError) -> any PageWriter

    /// A read transaction that stays at the newest committed version until it is released.
    func pin() throws(StorageError) -> any PagePin

    /// Makes durable what commits have deferred; does not wait for a writer.
    ///
    /// - Throws: `.inputOutput` if the device fails: then nothing is known of those commits; `.closed`.
    func sync() throws(StorageError)

    /// Whether there seems to be room for so many bytes of changed blobs; true if that cannot be
    /// told.
    ///
    /// An estimate on the safe side: others may take the room, or give some back, at any time. Asks
    /// the system; not for every step.
    func hasRoom(for byteCount: Int) -> Bool

    // What follows is for stores that several processes may have open.

    /// Whether other processes may commit. Then each version in use is read through a pin.
    var isShared: Bool { get }

    /// Whether another process may have committed something newer than `version`.
    func mayHaveNews(since version: UInt64) -> Bool

    /// The newest committed state, whoever committed it.
    func look() throws(StorageError) -> PageNews

    /// Goes on from what `look` has found. Not while a writer has written.
    func adopt(_ news: PageNews)

    /// Notes that the newest version is this one, after `look`.
    func noteFound(_ version: UInt64)

    /// Begins to tell of what other processes do.
    func beginWatching(_ watcher: any PageWatcher)

    /// Notices other processes that have come or gone. For the watcher, as it looks around.
    func attend(_ watcher: any PageWatcher, isTick: Bool)

    /// Keeps other processes from opening the store until `letOthersIn`.
    ///
    /// - Throws: `.busy` naming those that have it open.
    func keepOthersOut() throws(StorageError)

    func letOthersIn()

    /// Ends all use. Later calls throw `.closed`; a second `close` does nothing.
    ///
    /// - Throws: `.busy`, with nothing changed, while a writer or pin is open; `.inputOutput` if what
    ///   commits have deferred could not be synced: then all is closed nevertheless.
    func close() throws(StorageError)
}

extension PageStore {
    func hasRoom(for byteCount: Int) -> Bool { true }

    /// Nothing is deferred.
    func sync() throws(StorageError) {}

    // One process has it open.

    var isShared: Bool { false }
    func mayHaveNews(since version: UInt64) -> Bool { false }
    func adopt(_ news: PageNews) {}
    func noteFound(_ version: UInt64) {}
    func beginWatching(_ watcher: any PageWatcher) {}
    func attend(_ watcher: any PageWatcher, isTick: Bool) {}
    func keepOthersOut() throws(StorageError) {}
    func letOthersIn() {}

    func look() throws(StorageError) -> PageNews {
        PageNews(pin: try pin(), log: nil, changes: nil)
    }
}

/// The open write transaction of a page store.
///
/// Used by one thread at a time, ended exactly once.
///
/// When `write`, `delete` or `deleteSpace` throws, the transaction is over and rolled back: later
/// calls throw the same error and `rollback` does nothing. A `read` that throws leaves it open,
/// unless the layer below gave the transaction up. Dropping the last reference rolls back.
protocol PageWriter: AnyObject {
    /// As `PageStore.read`, but sees this transaction's own writes.
    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer?

    /// Inserts or replaces a blob. The buffer's header (checksum, place) is filled in here; the
    /// buffer may be used for reading afterwards and must not be changed any more: a store may keep
    /// it.
    func write(_ buffer: BlobBuffer, at address: BlobAddress) throws(StorageError)

    /// As `write`, of a blob whose stored version the caller may have in memory: a store that writes
    /// differences need not read it again.
    ///
    /// - Parameter old: The committed blob of this address as it was read or written, or nil. A
    ///   buffer whose bytes are not those that were sealed is noticed and not used.
    func write(
        _ buffer: BlobBuffer,
        at address: BlobAddress,
        replacing old: BlobBuffer?
    ) throws(StorageError)

    /// Lets `body` look at parts of a blob without reading all of it, if that can be had.
    ///
    /// What it sees is not verified: it can tell by the bytes themselves that they are what somebody
    /// expects, and nothing else.
    ///
    /// - Returns: What `body` returns; false if the blob cannot be looked at in parts.
    func glance(at address: BlobAddress, _ body: (any BlobGlance) -> Bool) -> Bool

    /// Removes a blob; one that does not exist is no error.
    func delete(_ address: BlobAddress) throws(StorageError)

    /// Removes a whole space with all its blobs.
    func deleteSpace(_ space: Space) throws(StorageError)

    /// Makes all writes durable at once. When it throws, nothing has been changed and the
    /// transaction is over (rolled back).
    ///
    /// One caveat: when the device fails in the middle of making it durable and the process then
    /// dies, the next process may find the transaction whole. It never finds part of it.
    func commit() throws(StorageError)

    /// As `commit`, but may leave it to the store's `sync`, or to a later commit that does not defer,
    /// to make the writes durable. A power cut before that undoes them, the latest first; the end of
    /// the process does not.
    func commitDeferringSync() throws(StorageError)

    /// A read transaction at the version that the commit has made, if other processes may commit now;
    /// once.
    func takePin() -> (any PagePin)?

    /// Drops all writes.
    func rollback()
}

extension PageWriter {
    func takePin() -> (any PagePin)? { nil }

    /// Knows no parts.
    func glance(at address: BlobAddress, _ body: (any BlobGlance) -> Bool) -> Bool { false }

    /// Defers nothing.
    func commitDeferringSync() throws(StorageError) { try commit() }

    func write(
        _ buffer: BlobBuffer,
        at address: BlobAddress,
        replacing old: BlobBuffer?
    ) throws(StorageError) { try write(buffer, at: address) }
}

/// Parts of a blob, by their offsets in its payload.
protocol BlobGlance {
    /// Fills `target` with the bytes from an offset on; false if they are not all inside the blob, or
    /// cannot be read.
    func copy(from offset: Int, into target: UnsafeMutableRawBufferPointer) -> Bool
}

/// A read transaction at a fixed version.
protocol PagePin: AnyObject, Sendable {
    /// As `PageStore.read`, at the pinned version. Any thread.
    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer?

    /// Ends it. Also done by deinit.
    func release()
}
