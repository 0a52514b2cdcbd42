import CSQLite
import Foundation

extension StorageError {
    /// What a result code of SQLite means to the layers above.
    ///
    /// `systemError` is errno of the failed call below SQLite, 0 if there was none.
    init(
        sqlite code: Int32,
        systemError: Int32,
        message: String,
        during action: String,
        path: String,
        address: BlobAddress? = nil
    ) {
        var detail = "\(action): \(message) (SQLite \(code))"
        if systemError != 0 { detail += ", \(Self.words(errno: systemError))" }
        self.init(
            Self.code(sqlite: code, systemError: systemError),
            path: path,
            address: address,
            detail: detail
        )
    }

    /// What a failed call of the operating system means.
    init(errno: Int32, during action: String, path: String) {
        self.init(
            Self.code(errno: errno) ?? .inputOutput,
            path: path,
            detail: "\(action): \(Self.words(errno: errno))"
        )
    }

    private static func code(sqlite code: Int32, systemError: Int32) -> Code {
        switch code & 0xFF {
        case SQLITE_FULL: .full
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
        // ERROR: our statements are fixed, so one that fails met a schema that is not ours.
        // CONSTRAINT, MISMATCH: a row that UPDATE did not find cannot exist.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_CONSTRAINT,
            SQLITE_MISMATCH, SQLITE_FORMAT:
            .damaged
        case SQLITE_IOERR: self.code(errno: systemError) ?? .inputOutput
        case SQLITE_CANTOPEN: self.code(errno: systemError) ?? .notFound
        case SQLITE_PERM, SQLITE_AUTH: .permissionDenied
        case SQLITE_READONLY: code == SQLITE_READONLY | 4 << 8 ? .inputOutput : .readOnly  // moved
        default: .inputOutput
        }
    }

    /// The code for an errno that says more than "failed".
    private static func code(errno: Int32) -> Code? {
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: .full
        case EACCES, EPERM: .permissionDenied
        case ENOENT, ENOTDIR: .notFound
        case EROFS: .readOnly
        default: nil
        }
    }

    static func words(errno: Int32) -> String { String(cString: strerror(errno)) }
}
