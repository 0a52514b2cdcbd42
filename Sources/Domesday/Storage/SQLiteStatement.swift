import CSQLite

/// The statements a connection keeps prepared, by what they do.
enum StatementKey: Hashable {
    case begin, commit, rollback
    case beginReading, holdVersion
    case select(Space), update(Space), insert(Space), delete(Space)

    var sql: String {
        switch self {
        case .begin: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .beginReading: "BEGIN"
        // A transaction has no version before its first read.
        case .holdVersion: "SELECT id FROM store"
        case .select(let space): "SELECT data FROM \(space.table) WHERE id=?1"
        case .update(let space): "UPDATE \(space.table) SET data=?2 WHERE id=?1"
        case .insert(let space): "INSERT INTO \(space.table)(id,data) VALUES(?1,?2)"
        case .delete(let space): "DELETE FROM \(space.table) WHERE id=?1"
        }
    }
}

extension Space {
    /// The name of the space's table.
    var table: String { self == CommitLog.space ? "log" : "s\(number)" }
}

/// One prepared statement.
///
/// **Threads.** Those of its connection, one at a time.
struct SQLiteStatement {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    func bind(_ value: Int64, at index: Int32) -> Int32 {
        sqlite3_bind_int64(pointer, index, value)
    }

    /// Binds bytes without copying them: they must stay as they are until `reset`.
    func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) -> Int32 {
        // SAFETY: a NULL destructor is SQLITE_STATIC; `reset` clears the binding before the caller
        // can free the bytes.
        sqlite3_bind_blob64(pointer, index, bytes.baseAddress, UInt64(bytes.count), nil)
    }

    func step() -> Int32 { sqlite3_step(pointer) }

    /// Ends the execution, which would otherwise hold a read transaction, and forgets the values.
    func reset() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    func finalize() { sqlite3_finalize(pointer) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

    func text(_ column: Int32) -> String? {
        sqlite3_column_text(pointer, column).map { String(cString: $0) }
    }

    /// The bytes of a column of the current row, valid during `body`; `nil` if it holds no blob.
    func withBlob<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
        guard sqlite3_column_type(pointer, column) == SQLITE_BLOB else { return nil }
        // SAFETY: SQLite's memory, valid until the next step or reset, both outside this call. The
        // pointer is asked for before the count, as SQLite demands.
        let start = sqlite3_column_blob(pointer, column)
        let count = start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column))
        return body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
