import Foundation

extension SQLitePageStore {
    /// Room that is asked for beyond the bytes themselves: what SQLite's cache has not written yet,
    /// new pages of its trees, other files.
    private static let marginByteCount = 16 << 20

    func hasRoom(for byteCount: Int) -> Bool {
        var figures = statvfs()
        guard statvfs(file.mainPath, &figures) == 0 else { return true }
        let (free, overflow) = UInt64(figures.f_bavail)
            .multipliedReportingOverflow(by: UInt64(figures.f_frsize))
        // Once for the WAL, and once for the main file when the WAL is copied into it.
        return overflow || free / 2 >= UInt64(byteCount + Self.marginByteCount / 2)
    }

    /// Removes the store at `path` with all its files, whatever state they are in.
    ///
    /// - Returns: Whether there was a main file.
    /// - Throws: `.busy`, with nothing removed, while this or another process has it open;
    ///   `.notAStore` for a folder; `.permissionDenied`, `.readOnly` or `.inputOutput`.
    @discardableResult
    static func deleteFiles(_ path: String) throws(StorageError) -> Bool {
        let file = try StoreFile(path: path)
        try OpenStores.claim(file)
        defer { OpenStores.giveUp(file) }
        let lock = try StoreLock.ifPresent(file)
        defer { lock?.release() }
        return try removeFiles(file)
    }

    /// Unlinks the files of a store that is claimed here, and locked or known to be nobody's.
    @discardableResult
    static func removeFiles(_ file: StoreFile) throws(StorageError) -> Bool {
        var status = stat()
        if stat(file.mainPath, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw StorageError(.notAStore, path: file.givenPath, detail: "it is a folder")
        }
        OpenStores.forgetIdentity(of: file)
        // The main file first: without its WAL it would be an older, seemingly whole store.
        let existed = try remove(file.mainPath, file)
        for path in [file.walPath, file.indexPath, file.journalPath, file.lockPath] {
            try remove(path, file)
        }
        return existed
    }

    @discardableResult
    private static func remove(_ path: String, _ file: StoreFile) throws(StorageError) -> Bool {
        if unlink(path) == 0 { return true }
        if errno == ENOENT { return false }
        throw StorageError(errno: errno, during: "removing \(path)", path: file.givenPath)
    }
}
