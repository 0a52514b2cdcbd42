import CSQLite
import Foundation

/// One connection to the SQLite file of a store, configured as all of ours are.
///
/// Every call into SQLite passes through here, its statements, or the error mapping.
///
/// **Threads.** One at a time; its owner sees to that.
final class SQLiteConnection: @unchecked Sendable {
    // @unchecked: the writing connection is touched only while the writer gate is held, the others
    // only inside the Lock of the reader or pin that owns them. SQLite keeps no thread identity.

    /// What the connection is for; decides how it opens the file and how much it caches.
    enum Role {
        case writer(SQLitePageStore.Durability)
        case reader
        case pin
        /// The file and its folder are left untouched, and nobody may be changing them.
        case immutable
    }

    /// Changed pages that a write keeps in memory at most: 32 MB. SQLite looks at the lowest byte of
    /// the number too, and never writes pages before the commit if that is 0.
    private static let spillPageCount = 8190

    /// The store's path as its user wrote it; for messages.
    let path: String
    let handle: OpaquePointer
    let checkpoints = WALCheckpoints()
    /// Whether commits are synced, where the store's durability asks for it.
    var syncsCommits = true
    /// The WAL, as SQLite has it open as long as the connection is.
    var wal: UnsafeMutablePointer<sqlite3_file>?
    private var statements: [StatementKey: SQLiteStatement] = [:]
    /// Spaces whose tables were there when last looked, so that a write need not look again.
    var knownTables: Set<Space> = []

    /// Opens `file`, an absolute path without symbolic links.
    init(
        file: String,
        path: String,
        role: Role,
        creates: Bool = false,
        busyTimeout: Duration
    ) throws(StorageError) {
        self.path = path
        var opened: OpaquePointer?
        let result = sqlite3_open_v2(
            Self.name(file: file, role: role),
            &opened,
            Self.flags(role, creates: creates),
            nil
        )
        guard let opened else {
            throw StorageError(.inputOutput, path: path, detail: "out of memory")
        }
        handle = opened
        do throws(StorageError) {
            try check(result, during: "opening")
            try configure(role, busyTimeout: busyTimeout)
        } catch {
            close()
            throw error
        }
    }

    private static func flags(_ role: Role, creates: Bool) -> Int32 {
        let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
        if case .immutable = role { return common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI }
        return common | SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0)
    }

    private static func name(file: String, role: Role) -> String {
        guard case .immutable = role else { return file }
        let unreserved = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "/-._~"))
        let escaped = file.addingPercentEncoding(withAllowedCharacters: unreserved) ?? file
        return "file:\(escaped)?immutable=1"
    }

    private func configure(_ role: Role, busyTimeout: Duration) throws(StorageError) {
        try check(domesday_sqlite_distrust(handle), during: "opening")
        let milliseconds = busyTimeout / .milliseconds(1)
        sqlite3_busy_timeout(handle, Int32(min(max(milliseconds, 0), 1e9)))
        // Nobody unlinks the WAL, not even a process that wrongly believes to be the last one
        // because someone here closed a descriptor of the main file.
        try control(SQLITE_FCNTL_PERSIST_WAL, value: 1)
        let cacheKilobytes =
            switch role {
            case .writer, .reader, .immutable: 2048
            case .pin: 512
            }
        try execute("PRAGMA cache_size=-\(cacheKilobytes)")
        try execute("PRAGMA mmap_size=0")
        try execute("PRAGMA temp_store=MEMORY")
        try execute("PRAGMA cell_size_check=ON")
        guard case .writer(let durability) = role else {
            return try execute("PRAGMA query_only=ON")
        }
        try execute("PRAGMA synchronous=\(durability.synchronous)")
        // A page that a write changes again after it went to the WAL makes SQLite read the rest of
        // the WAL anew, for its checksums. In a bulk insert the upper pages of a table are such, each
        // a thousand pages or two later: they are kept until then.
        try execute("PRAGMA cache_spill=\(Self.spillPageCount)")
        try execute("PRAGMA secure_delete=OFF")
        checkpoints.install(on: handle)
        try execute("PRAGMA journal_size_limit=\(16 << 20)")
    }

    /// Passes one number down to the file of the database.
    func control(_ operation: Int32, value: Int32) throws(StorageError) {
        var value = value
        try check(
            sqlite3_file_control(handle, "main", operation, &value),
            during: "configuring the file"
        )
    }

    // MARK: Statements

    /// Runs statements that return nothing, or whose rows do not matter.
    func execute(_ sql: String) throws(StorageError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), during: sql)
    }

    /// The first row of a query that is not worth keeping, handed to `body` before it is reset.
    func firstRow<R>(_ sql: String, _ body: (SQLiteStatement) -> R) throws(StorageError) -> R? {
        let statement = try prepare(sql, isKept: false)
        defer { statement.finalize() }
        switch statement.step() {
        case SQLITE_ROW: return body(statement)
        case SQLITE_DONE: return nil
        case let result: throw failure(result, during: sql)
        }
    }

    func integer(_ sql: String) throws(StorageError) -> Int64? {
        try firstRow(sql) { $0.integer(0) }
    }

    /// The statement, prepared at its first use.
    func statement(_ key: StatementKey) throws(StorageError) -> SQLiteStatement {
        if let statement = statements[key] { return statement }
        let statement = try prepare(key.sql, isKept: true)
        statements[key] = statement
        return statement
    }

    /// Runs one of the statements without values and rows.
    func run(_ key: StatementKey) throws(StorageError) {
        let statement = try statement(key)
        let result = statement.step()
        let error =
            result == SQLITE_DONE || result == SQLITE_ROW ? nil : failure(result, during: key.sql)
        statement.reset()
        if let error { throw error }
    }

    /// Drops what is remembered of a space whose table goes or may have gone.
    func forget(_ space: Space) {
        knownTables.remove(space)
        for key in [StatementKey.select(space), .update(space), .insert(space), .delete(space)] {
            statements.removeValue(forKey: key)?.finalize()
        }
    }

    private func prepare(_ sql: String, isKept: Bool) throws(StorageError) -> SQLiteStatement {
        var pointer: OpaquePointer?
        let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        try check(sqlite3_prepare_v3(handle, sql, -1, flags, &pointer, nil), during: sql)
        guard let pointer else { preconditionFailure("a statement without text") }
        return SQLiteStatement(pointer)
    }

    // MARK: State and errors

    /// False while a transaction begun with BEGIN goes on.
    ///
    /// SQLite ends one by itself after some failures.
    var isIdle: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// Rows changed by the last INSERT, UPDATE or DELETE.
    var changedRowCount: Int { Int(sqlite3_changes64(handle)) }

    func check(
        _ result: Int32,
        during action: String,
        at address: BlobAddress? = nil
    ) throws(StorageError) {
        if result != SQLITE_OK { throw failure(result, during: action, at: address) }
    }

    /// The error for a result code; to be made before the next call to this connection.
    func failure(
        _ result: Int32,
        during action: String,
        at address: BlobAddress? = nil
    ) -> StorageError {
        let primary = result & 0xFF
        let isSystem =
            primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_FULL
        return StorageError(
            sqlite: result,
            systemError: isSystem ? sqlite3_system_errno(handle) : 0,
            message: String(cString: sqlite3_errmsg(handle)),
            during: action,
            path: path,
            address: address
        )
    }

    /// Ends the connection.
    ///
    /// Not to be used afterwards; a second call is not checked.
    func close() {
        for statement in statements.values { statement.finalize() }
        statements = [:]
        let result = sqlite3_close(handle)
        precondition(result == SQLITE_OK, "a statement of a closing connection is still alive")
    }
}
