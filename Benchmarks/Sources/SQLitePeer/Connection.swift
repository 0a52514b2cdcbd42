import CPeerSQLite

/// Thrown when SQLite refuses something.
struct SQLiteError: Error, CustomStringConvertible {
    let description: String
}

/// A connection as a careful C programmer would use it.
///
/// **Threads.** The main thread, as the peer it belongs to.
final class Connection {
    fileprivate let handle: OpaquePointer

    init(path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            path,
            &handle,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
            nil
        )
        guard let handle, code == SQLITE_OK else {
            throw SQLiteError(description: "\(path): \(String(cString: sqlite3_errstr(code)))")
        }
        self.handle = handle
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        try require(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    func prepare(_ sql: String) throws -> Statement { try Statement(sql, on: self) }

    /// Runs the body in a write transaction.
    ///
    /// A failed benchmark ends the process, and SQLite then rolls back by itself.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN IMMEDIATE", body)
    }

    /// Runs the body at one version of the store, as an object database reads.
    func snapshot<Result>(_ body: () throws -> Result) throws -> Result { try run("BEGIN", body) }

    private func run<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
        try execute(begin)
        let result = try body()
        try execute("COMMIT")
        return result
    }

    /// Rows that the last statement changed.
    var changeCount: Int { Int(sqlite3_changes64(handle)) }

    fileprivate func require(_ code: Int32) throws {
        guard code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW else {
            throw SQLiteError(description: String(cString: sqlite3_errmsg(handle)))
        }
    }
}

/// A prepared statement; its columns and parameters are numbered as in C: from 0 and from 1.
final class Statement {
    private let handle: OpaquePointer
    private let connection: Connection

    /// SQLite copies a bound text before the call returns.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    fileprivate init(_ sql: String, on connection: Connection) throws {
        var handle: OpaquePointer?
        try connection.require(sqlite3_prepare_v2(connection.handle, sql, -1, &handle, nil))
        guard let handle else { throw SQLiteError(description: "no statement in '\(sql)'") }
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ value: Int, at index: Int32) { sqlite3_bind_int64(handle, index, Int64(value)) }
    func bind(_ value: Double, at index: Int32) { sqlite3_bind_double(handle, index, value) }

    func bind(_ value: String?, at index: Int32) {
        guard var value else {
            sqlite3_bind_null(handle, index)
            return
        }
        value.withUTF8 { bytes in
            // SAFETY: SQLite copies the bytes during the call.
            bytes.withMemoryRebound(to: CChar.self) { characters in
                _ = sqlite3_bind_text(
                    handle,
                    index,
                    characters.baseAddress,
                    Int32(characters.count),
                    Self.transient
                )
            }
        }
    }

    /// Moves to the next row; `false` at the end, where the statement is ready to run again.
    func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        sqlite3_reset(handle)
        try connection.require(code)
        return false
    }

    /// Runs a statement that has no rows.
    func run() throws { while try step() {} }

    /// Ends a statement before its last row.
    func reset() { sqlite3_reset(handle) }

    /// The only row's only number.
    func number() throws -> Int {
        defer { reset() }
        return try step() ? int(0) : 0
    }

    func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }
    func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    func string(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        // SAFETY: the bytes live until the next step or reset; they are copied here.
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
