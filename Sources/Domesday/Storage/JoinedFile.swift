/// How a process stands to others that have a store open.
///
/// **Threads.** Made and taken apart by one.
struct JoinedFile {
    /// `nil` for a store in a folder that cannot be written, without a lock file.
    let lock: StoreLock?
    /// `nil` for readers that cannot write the lock file or its folder: they keep writers out instead.
    let members: StoreMembers?

    /// Joins them. With `members`, the lock of opening is held.
    ///
    /// - Throws: `.busy` while the store is being removed, if reading without a slot and writing would
    ///   meet, or as `StoreMembers.init`; `.permissionDenied`, `.readOnly` or `.full` if the lock file
    ///   cannot be made.
    init(_ file: StoreFile, _ options: SQLitePageStore.Options) throws(StorageError) {
        repeat {
            guard let lock = try Self.lock(file, options) else {
                self.lock = nil
                members = nil
                return
            }
            let members: StoreMembers?
            do throws(StorageError) { members = try Self.enter(lock, file, options) } catch {
                lock.release()
                throw error
            }
            // Whoever was opening it before may have removed all files, and this lock is nobody's.
            guard let members, lock.isAbandoned(file) else {
                self.lock = lock
                self.members = members
                return
            }
            members.leave()
        } while true
    }

    private static func lock(
        _ file: StoreFile,
        _ options: SQLitePageStore.Options
    ) throws(StorageError) -> StoreLock? {
        do throws(StorageError) {
            return try StoreLock(file, isReadOnly: options.isReadOnly)
        } catch {
            guard options.isReadOnly, error.code == .permissionDenied || error.code == .readOnly
            else { throw error }
            return nil
        }
    }

    private static func enter(
        _ lock: StoreLock,
        _ file: StoreFile,
        _ options: SQLitePageStore.Options
    ) throws(StorageError) -> StoreMembers? {
        let hasSlot = !options.isReadOnly || lock.isWritable && file.isFolderWritable
        if !options.isReadOnly {
            try exclude(.readers, as: .writers, lock, file)
        } else if !hasSlot {
            try exclude(.writers, as: .readers, lock, file)
        }
        return try hasSlot ? StoreMembers(lock, file, timeout: options.busyTimeout) : nil
    }

    /// Two that come at once may refuse each other; never do both get in.
    private static func exclude(
        _ others: StoreLock.Place,
        as own: StoreLock.Place,
        _ lock: StoreLock,
        _ file: StoreFile
    ) throws(StorageError) {
        if lock.lock(own, isShared: true), !lock.isHeldElsewhere(others) { return }
        let names = StoreMembers.names(SharedPage.processes(in: lock))
        throw StorageError(
            .busy,
            path: file.givenPath,
            detail: "\(names) the store open; one that only reads it, and may not write its .lock "
                + "file, cannot share it with one that writes"
        )
    }

    func leave() {
        if let members { members.leave() } else { lock?.release() }
    }
}
