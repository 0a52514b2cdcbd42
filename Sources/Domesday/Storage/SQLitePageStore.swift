import Synchronization

/// A page store in one SQLite file.
///
/// One instance per file and process; whoever wants it shared shares the instance. Several processes
/// may have it open: see `StoreMembers`.
///
/// **Threads.** Any. Guarded states: the writing connection by `gate`, the reading one by its
/// Lock, the commit log by `logState` (changed by the holder of `gate` only), the rest by `state`.
/// Commits that were not synced are counted in `deferred`.
/// `commits` is held while a commit becomes what others see and while a pin takes its version. Taken
/// inside each other: `gate`, then `commits`, then one of the others.
final class SQLitePageStore: PageStore, Sendable {
    /// "Dome", in SQLite's header of the file.
    static let applicationID: UInt32 = 0x446F_6D65
    /// The newest format this code reads, and the one it writes; SQLite's user version.
    static let formatVersion: UInt32 = 5
    static let pageByteCount = 4096
    /// At the end of each page, for sealing; cannot be added to an existing file.
    static let reservedByteCount = 32

    /// What a commit survives.
    enum Durability: Sendable {
        /// A power cut.
        case full
        /// The end of the process; a power cut may undo the last commits, but only whole ones.
        case relaxed
        /// The end of the process; after a power cut the file may be damaged. For stores that can
        /// be made again.
        case off

        var synchronous: String {
            switch self {
            case .full: "FULL"
            case .relaxed: "NORMAL"
            case .off: "OFF"
            }
        }
    }

    struct Options: Sendable {
        /// Shared with other readers.
        ///
        /// Changes that a killed writer left in the -wal file are read, and may be moved to the
        /// main file. A store in a folder that cannot be written is taken as unchanging.
        var isReadOnly = false
        /// Whether a missing or empty file becomes a new store.
        var createsIfMissing = true
        var durability = Durability.full
        /// Whether `close` empties the commit log; without, the next opening finds what it would
        /// after a crash.
        var foldsAtClose = true
        /// A commit with which the log would hold back more bytes of blobs writes them all.
        var loggedByteLimit = LoggedBlobs.byteLimit
        /// How long a writer waits for another.
        var busyTimeout = Duration.seconds(5)
    }

    /// How many commits left their sync for later, and how many of those were synced since.
    struct Deferred {
        var count: UInt64 = 0
        var syncedCount: UInt64 = 0
        /// How often commits were made durable, by themselves or together.
        var syncCount = 0
    }

    private struct State {
        var isClosed = false
        var isWriting = false
        var openPinCount = 0
        /// Kept for the next pins.
        var idlePins: [SQLiteConnection] = []
    }

    private static let idlePinLimit = 4

    let path: String
    let seed: UInt64
    let options: Options
    let file: StoreFile
    private let joined: JoinedFile
    var members: StoreMembers? { joined.members }
    /// Whether other processes may commit; changed by the holder of `gate` only.
    private let sharing: Atomic<Bool>
    private let isImmutable: Bool
    let gate = WriterGate()
    let writer: Lock<SQLiteConnection?>
    private let reader: Lock<SQLiteConnection?>
    private let state = Lock(State())
    let logState: Lock<LogState>
    let commits = Lock(())
    let watching = Lock(Watching())
    let deferred = Lock(Deferred())
    /// Held while the WAL is synced, so that the connection is not closed meanwhile.
    let syncing = Lock(())

    /// Opens the store at `path`, or makes it.
    ///
    /// - Throws: `.notFound`, `.permissionDenied`, `.notAStore`, `.unsupportedFormat`, `.damaged`,
    ///   `.full`, `.readOnly`, `.inputOutput`; `.busy` while this or another process has it open.
    ///   Unless it is a store of ours, the file is untouched and nothing is left beside it.
    init(path: String, options: Options = Options()) throws(StorageError) {
        let opened = try OpenedStoreFile(path: path, options: options)
        self.path = path
        self.options = options
        file = opened.file
        joined = opened.joined
        sharing = Atomic(opened.joined.members.map { $0.page.state($0.slot) == .pinned } ?? false)
        isImmutable = opened.isImmutable
        seed = opened.seed
        writer = Lock(opened.writer)
        reader = Lock(opened.reader)
        logState = Lock(opened.log)
    }

    deinit {
        // Writers and pins hold the store, so there are none, and `close` cannot throw.
        try? close()
    }

    func read(_ address: BlobAddress) throws(StorageError) -> BlobBuffer? {
        let logged = loggedBlob(at: address)
        return try reader.withLock { (reader) throws(StorageError) in
            guard let reader else { throw closedError }
            if let logged { return logged.copy() }
            return try reader.readBlob(at: address, seed: seed)
        }
    }

    /// The log as it is in the file.
    func readLog() throws(StorageError) -> LogState {
        try reader.withLock { (reader) throws(StorageError) in
            guard let reader else { throw closedError }
            return try OpenedStoreFile.readLog(reader, seed)
        }
    }

    func close() throws(StorageError) {
        let idlePins = try state.withLock { (state) throws(StorageError) -> [SQLiteConnection]? in
            if state.isClosed { return nil }
            guard !state.isWriting, state.openPinCount == 0 else {
                throw StorageError(
                    .busy,
                    path: path,
                    detail: "closed while a write or a snapshot is open"
                )
            }
            state.isClosed = true
            return state.idlePins
        }
        guard let idlePins else { return }
        foldBeforeClosing()
        for pin in idlePins { pin.close() }
        // Whoever has deferred a sync relies on it; if it fails, all is closed nevertheless.
        var failure: StorageError?
        do throws(StorageError) { try sync() } catch { failure = error }
        Self.close(reader)
        // Last: its checkpoint at the end needs the file for itself.
        syncing.withLock { _ in Self.close(writer) }
        joined.leave()
        OpenStores.giveUp(file)
        if let failure { throw failure }
    }

    private static func close(_ connection: borrowing Lock<SQLiteConnection?>) {
        connection.withLock { connection in
            connection?.close()
            connection = nil
        }
    }

    var isShared: Bool { sharing.load(ordering: .sequentiallyConsistent) }

    /// To be called by the holder of `gate`.
    func setShared(_ isShared: Bool) { sharing.store(isShared, ordering: .sequentiallyConsistent) }

    var closedError: StorageError {
        StorageError(.closed, path: path, detail: "the store has been closed")
    }
}

// MARK: Writing

extension SQLitePageStore {
    /// - Throws: `.readOnly`; `.busy` after the busy timeout; `.closed`.
    func beginWrite() throws(StorageError) -> any PageWriter {
        if options.isReadOnly {
            throw StorageError(.readOnly, path: path, detail: "the store was opened for reading")
        }
        guard gate.enter(timeout: options.busyTimeout) else {
            throw StorageError(.busy, path: path, detail: "another write did not end in time")
        }
        do throws(StorageError) {
            if isShared { try members?.beginTurn(timeout: options.busyTimeout) }
        } catch {
            gate.leave()
            throw error
        }
        do throws(StorageError) {
            return SQLitePageWriter(self, try beginOnConnection())
        } catch {
            endTurn()
            gate.leave()
            throw error
        }
    }

    private func beginOnConnection() throws(StorageError) -> SQLiteConnection {
        try state.withLock { (state) throws(StorageError) in
            if state.isClosed { throw closedError }
            state.isWriting = true
        }
        do throws(StorageError) {
            guard let connection = writer.withLock({ $0 }) else { throw closedError }
            try connection.syncCommits(true)
            shortenWAL(connection)
            try connection.run(.begin)
            return connection
        } catch {
            state.withLock { $0.isWriting = false }
            throw error
        }
    }

    /// Called by the writer when its transaction is over.
    func endWrite() {
        state.withLock { $0.isWriting = false }
        endTurn()
        gate.leave()
    }
}

// MARK: Pins

extension SQLitePageStore {
    func pin() throws(StorageError) -> any PagePin {
        try pinned { (connection) throws(StorageError) in
            try commits.withLock { (_) throws(StorageError) in
                try Self.hold(connection)
                return logState.withLock { $0.blobs }
            }
        }
    }

    /// Begins a read transaction, which stays at the version that is the newest now.
    static func hold(_ connection: SQLiteConnection) throws(StorageError) {
        try connection.run(.beginReading)
        try connection.run(.holdVersion)
    }

    /// A pin on a connection that `body` has brought into a read transaction.
    ///
    /// - Parameter body: Returns what the commit log holds at its version.
    func pinned(
        _ body: (SQLiteConnection) throws(StorageError) -> LoggedBlobs
    ) throws(StorageError) -> SQLitePagePin {
        let idle = try state.withLock { (state) throws(StorageError) -> SQLiteConnection? in
            if state.isClosed { throw closedError }
            state.openPinCount += 1
            return state.idlePins.popLast()
        }
        var connection = idle
        do throws(StorageError) {
            let opened: SQLiteConnection
            if let idle { opened = idle } else { opened = try openPinConnection() }
            connection = opened
            return SQLitePagePin(self, opened, logged: try body(opened))
        } catch {
            endPin(connection)
            throw error
        }
    }

    private func openPinConnection() throws(StorageError) -> SQLiteConnection {
        try SQLiteConnection(
            file: file.mainPath,
            path: path,
            role: isImmutable ? .immutable : .pin,
            busyTimeout: options.busyTimeout
        )
    }

    /// Takes back the connection of a pin that is over; `nil` if it never had one.
    func endPin(_ connection: SQLiteConnection?) {
        if let connection, !connection.isIdle { try? connection.run(.rollback) }
        let surplus = state.withLock { state -> SQLiteConnection? in
            state.openPinCount -= 1
            guard let connection else { return nil }
            guard connection.isIdle, state.idlePins.count < Self.idlePinLimit else {
                return connection
            }
            state.idlePins.append(connection)
            return nil
        }
        surplus?.close()
    }
}
