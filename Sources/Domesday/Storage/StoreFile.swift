import Foundation

/// Where the files of a store are: the main file, as SQLite will name it, and those beside it.
///
/// **Threads.** A value; any thread.
struct StoreFile: Hashable, Sendable {
    /// The path as the user wrote it; for messages.
    let givenPath: String
    /// Absolute, without symbolic links: two paths of one file are equal here.
    let mainPath: String

    var walPath: String { mainPath + "-wal" }
    var indexPath: String { mainPath + "-shm" }
    var journalPath: String { mainPath + "-journal" }
    var lockPath: String { mainPath + ".lock" }

    /// Finds the file or, if it does not exist, the folder it would be in.
    ///
    /// - Throws: `.notFound` if the folder does not exist, `.permissionDenied` if it is closed to
    ///   us.
    init(path: String) throws(StorageError) {
        givenPath = path
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StorageError(.notFound, path: path, detail: "this cannot be the path of a file")
        }
        if let resolved = Self.resolve(path) {
            mainPath = resolved
            return
        }
        let error = errno
        guard error == ENOENT else {
            throw StorageError(errno: error, during: "finding the file", path: path)
        }
        var link = stat()
        if lstat(path, &link) == 0 {
            throw StorageError(
                .notFound,
                path: path,
                detail: "it is a symbolic link to a file that does not exist"
            )
        }
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent().path
        guard let resolved = Self.resolve(folder) else {
            let detail = "its folder cannot be used: \(folder): \(StorageError.words(errno: errno))"
            let code: StorageError.Code = errno == EACCES ? .permissionDenied : .notFound
            throw StorageError(code, path: path, detail: detail)
        }
        mainPath = (resolved == "/" ? "" : resolved) + "/" + url.lastPathComponent
    }

    private static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Device and inode of the main file; `nil` if it does not exist.
    var identity: FileIdentity? {
        var status = stat()
        guard stat(mainPath, &status) == 0 else { return nil }
        return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Whether files can be made beside the main file.
    var isFolderWritable: Bool {
        access(URL(fileURLWithPath: mainPath).deletingLastPathComponent().path, W_OK) == 0
    }

    /// Bytes of a file of this store; `nil` if it does not exist.
    static func byteCount(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}

/// What tells that two paths, or hard links, are one file.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}
