import Foundation
import Workloads

/// SQLite through its C API: a rowid table with a unique text id, WAL, `synchronous=FULL`,
/// statements prepared once per workload, Swift strings and dates made of what is read.
///
/// All other settings are SQLite's own.
@MainActor
package final class SQLitePeer: Peer {
    package static let name = "sqlite"

    private var opened: Connection?

    package init(directory: URL) throws {
        let connection = try Connection(path: directory.appending(path: "store.sqlite").path)
        opened = connection
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            CREATE TABLE IF NOT EXISTS person (
                key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
                age INTEGER NOT NULL, score REAL NOT NULL, createdAt REAL NOT NULL,
                active INTEGER NOT NULL, email TEXT);
            CREATE TABLE IF NOT EXISTS dog (
                id INTEGER PRIMARY KEY, name TEXT NOT NULL, owner INTEGER);
            """
        )
    }

    package func close() throws { opened = nil }

    /// - Precondition: The peer is not closed.
    var connection: Connection {
        guard let opened else { preconditionFailure("the peer is closed") }
        return opened
    }
}
