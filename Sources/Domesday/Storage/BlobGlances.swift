import CSQLite
import Foundation

extension BlobBuffer: BlobGlance {
    func copy(from offset: Int, into target: UnsafeMutableRawBufferPointer) -> Bool {
        guard offset >= 0, offset <= payloadCapacity, target.count <= payloadCapacity - offset
        else { return false }
        // SAFETY: checked to lie inside the payload.
        if let start = target.baseAddress { memcpy(start, payload + offset, target.count) }
        return true
    }
}

/// A row of a blob table, open for reading: SQLite visits only the pages that are asked for.
///
/// **Threads.** Its connection's.
private struct RowGlance: BlobGlance {
    let handle: OpaquePointer

    func copy(from offset: Int, into target: UnsafeMutableRawBufferPointer) -> Bool {
        guard let count = Int32(exactly: target.count),
            let offset = Int32(exactly: offset + BlobBuffer.headerByteCount), offset >= 0
        else { return false }
        return sqlite3_blob_read(handle, target.baseAddress, count, offset) == SQLITE_OK
    }
}

extension SQLiteConnection {
    /// Lets `body` look at parts of the row of an address; false if there is none, or on any failure.
    func glance(at address: BlobAddress, _ body: (any BlobGlance) -> Bool) -> Bool {
        var handle: OpaquePointer?
        let result = sqlite3_blob_open(
            self.handle,
            "main",
            address.space.table,
            "data",
            address.id,
            0,
            &handle
        )
        // Closed at once, also when it could not be opened: an open one holds a transaction.
        defer { sqlite3_blob_close(handle) }
        guard result == SQLITE_OK, let handle else { return false }
        return body(RowGlance(handle: handle))
    }
}
