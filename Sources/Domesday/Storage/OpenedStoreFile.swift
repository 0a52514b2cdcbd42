import CSQLite
import Foundation

/// Everything that stands between a path and an open store, in order: claim the file in this
/// process, look at what it is, lock other processes out, connect, create or verify.
///
/// **Threads.** Made and taken apart by one.
struct OpenedStoreFile {
    let file: StoreFile
    let joined: JoinedFile
    let seed: UInt64
    let log: SQLitePageStore.LogState
    /// `nil` if opened for reading.
    let writer: SQLiteConnection?
    let reader: SQLiteConnection
    /// The role of further reading connections.
    let isImmutable: Bool

    /// - Throws: As `SQLitePageStore.init`.
    init(path: String, options: SQLitePageStore.Options) throws(StorageError) {
        let file = try StoreFile(path: path)
        try OpenStores.claim(file)
        do throws(StorageError) {
            let isNew = try Self.examine(file, options)
            let joined = try JoinedFile(file, options)
            do throws(StorageError) {
                self = try Self.connect(file, joined, isNew: isNew, options)
                joined.members?.endOpening()
            } catch {
                joined.leave()
                throw error
            }
        } catch {
            OpenStores.giveUp(file)
            throw error
        }
    }

    private init(
        file: StoreFile,
        joined: JoinedFile,
        seed: UInt64,
        writer: SQLiteConnection?,
        reader: SQLiteConnection,
        isImmutable: Bool
    ) throws(StorageError) {
        self.file = file
        self.joined = joined
        self.seed = seed
        log = try Self.readLog(reader, seed)
        self.writer = writer
        self.reader = reader
        self.isImmutable = isImmutable
    }

    // MARK: Before the first connection

    /// Whether the file is to become a store; throws if it neither is one nor may become one.
    private static func examine(
        _ file: StoreFile,
        _ options: SQLitePageStore.Options
    ) throws(StorageError) -> Bool {
        let creates = options.createsIfMissing && !options.isReadOnly
        let path = file.givenPath
        switch StoreFileKind(of: file, needsWriting: !options.isReadOnly) {
        case .store: return false
        case .missing where creates, .empty where creates: return true
        case .missing: throw StorageError(.notFound, path: path, detail: "there is no such file")
        case .empty: throw StorageError(.notAStore, path: path, detail: "it is an empty file")
        case .refused(let code, let detail): throw StorageError(code, path: path, detail: detail)
        }
    }

    // MARK: Connecting

    private static func connect(
        _ file: StoreFile,
        _ joined: JoinedFile,
        isNew: Bool,
        _ options: SQLitePageStore.Options
    ) throws(StorageError) -> OpenedStoreFile {
        if options.isReadOnly { return try connectForReading(file, joined, options) }
        // Looked at once more: until the lock was ours, another process may have been creating it.
        let isNew = isNew ? try examine(file, options) : false
        let existed = file.identity != nil
        do throws(StorageError) {
            return try connectForWriting(file, joined, isNew: isNew, options)
        } catch {
            // What a failed creation made, it removes.
            if isNew, !existed { _ = try? SQLitePageStore.removeFiles(file) }
            throw error
        }
    }

    private static func connectForWriting(
        _ file: StoreFile,
        _ joined: JoinedFile,
        isNew: Bool,
        _ options: SQLitePageStore.Options
    ) throws(StorageError) -> OpenedStoreFile {
        let writer = try SQLiteConnection(
            file: file.mainPath,
            path: file.givenPath,
            role: .writer(options.durability),
            creates: isNew,
            busyTimeout: options.busyTimeout
        )
        do throws(StorageError) {
            // An interrupted creation that looked whole has now been undone from its journal.
            let isBlank = try writer.integer("PRAGMA page_count") == 0
            if isBlank, options.createsIfMissing { try create(writer, options) }
            OpenStores.noteIdentity(of: file)
            let mode = try writer.firstRow("PRAGMA journal_mode=WAL") { $0.text(0) }
            guard mode == "wal" else {
                throw StorageError(
                    .inputOutput,
                    path: file.givenPath,
                    detail: "the file system cannot share memory between connections (no WAL)"
                )
            }
            let seed = try verify(writer)
            try addLog(writer, seed, joined)
            writer.findWAL()
            let reader = try SQLiteConnection(
                file: file.mainPath,
                path: file.givenPath,
                role: .reader,
                busyTimeout: options.busyTimeout
            )
            do throws(StorageError) {
                return try OpenedStoreFile(
                    file: file,
                    joined: joined,
                    seed: seed,
                    writer: writer,
                    reader: reader,
                    isImmutable: false
                )
            } catch {
                reader.close()
                throw error
            }
        } catch {
            writer.close()
            throw error
        }
    }

    private static func connectForReading(
        _ file: StoreFile,
        _ joined: JoinedFile,
        _ options: SQLitePageStore.Options
    ) throws(StorageError) -> OpenedStoreFile {
        let isImmutable = joined.lock == nil || !file.isFolderWritable
        if isImmutable, let count = StoreFile.byteCount(file.walPath), count > 0 {
            throw StorageError(
                .permissionDenied,
                path: file.givenPath,
                detail: "its last changes are in the -wal file, which can only be read where files "
                    + "can be made beside it"
            )
        }
        let reader = try SQLiteConnection(
            file: file.mainPath,
            path: file.givenPath,
            role: isImmutable ? .immutable : .reader,
            busyTimeout: options.busyTimeout
        )
        do throws(StorageError) {
            return try OpenedStoreFile(
                file: file,
                joined: joined,
                seed: try verify(reader),
                writer: nil,
                reader: reader,
                isImmutable: isImmutable
            )
        } catch {
            reader.close()
            throw error
        }
    }

    // MARK: Contents

    /// Makes the empty file a store in one transaction, still with a rollback journal: when the
    /// process dies in between, the file is empty again and never half a store.
    private static func create(
        _ connection: SQLiteConnection,
        _ options: SQLitePageStore.Options
    ) throws(StorageError) {
        let seed = UInt64.random(in: .min ... .max)
        try connection.execute("PRAGMA page_size=\(SQLitePageStore.pageByteCount)")
        try connection.control(
            SQLITE_FCNTL_RESERVE_BYTES,
            value: Int32(SQLitePageStore.reservedByteCount)
        )
        // Measured: it would cost one to three more frames in each commit that grows a blob, and
        // shrinking the file by it is no faster than writing a compact copy.
        try connection.execute("PRAGMA auto_vacuum=NONE")
        try connection.execute(
            """
            BEGIN IMMEDIATE;
            PRAGMA application_id=\(SQLitePageStore.applicationID);
            CREATE TABLE store(id INTEGER PRIMARY KEY, seed INTEGER, checksum INTEGER);
            INSERT INTO store VALUES(1, \(Int64(bitPattern: seed)), \(guardNumber(of: seed)));
            """
        )
        try createLog(connection, seed)
        try connection.execute("COMMIT")
    }

    /// Checks what can be checked without knowing the blobs, and returns the seed.
    private static func verify(_ connection: SQLiteConnection) throws(StorageError) -> UInt64 {
        let path = connection.path
        guard
            try connection.integer("PRAGMA application_id")
                == Int64(SQLitePageStore.applicationID)
        else {
            throw StorageError(.damaged, path: path, detail: "the application id is gone")
        }
        let version = UInt32(truncatingIfNeeded: try connection.integer("PRAGMA user_version") ?? 0)
        guard version <= SQLitePageStore.formatVersion else {
            throw StorageError(
                .unsupportedFormat,
                path: path,
                detail: StoreFileKind.newerFormat(version)
            )
        }
        let row = try connection.firstRow("SELECT seed, checksum FROM store WHERE id=1") { row in
            (seed: row.integer(0), guardNumber: row.integer(1))
        }
        guard version > 0, let row,
            row.guardNumber == guardNumber(of: UInt64(bitPattern: row.seed))
        else {
            throw StorageError(.damaged, path: path, detail: "the record of the store is damaged")
        }
        return UInt64(bitPattern: row.seed)
    }

    /// Stored beside the seed: a damaged one would make every blob look damaged.
    private static func guardNumber(of seed: UInt64) -> Int64 {
        let checksum = withUnsafeBytes(of: seed.littleEndian) {
            Checksum.checksum($0, seed: UInt64(SQLitePageStore.applicationID))
        }
        return Int64(bitPattern: checksum)
    }
}
