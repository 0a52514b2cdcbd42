import CSQLite
import Foundation

/// The locks by which processes agree about a store: OFD locks on bytes of a `.lock` file beside it.
///
/// The file stays when the locks go. Only who holds `presence` alone removes it, together with the
/// store.
///
/// **Threads.** A value of the store that holds it; any thread. The kernel drops the locks when the
/// process dies.
struct StoreLock: Sendable {
    /// What a byte stands for.
    enum Place {
        /// Shared by everybody who has the store open; alone to remove it.
        case presence
        /// Held while a process joins those who have the store open, or keeps others from it.
        case opening
        /// Held by the process that writes, while others have the store open.
        case writing
        /// Shared by those that may write.
        case writers
        /// Shared by readers that cannot tell others of themselves.
        case readers
        /// Held by the process that has the slot.
        case slot(Int)

        fileprivate var byte: Int64 {
            switch self {
            case .presence: 0
            case .opening: 1
            case .writing: 2
            case .writers: 3
            case .readers: 4
            case .slot(let number): 16 + Int64(number)
            }
        }
    }

    let descriptor: Int32
    /// Whether the file can be written, and locks be held alone.
    let isWritable: Bool

    private init(descriptor: Int32, isWritable: Bool) {
        self.descriptor = descriptor
        self.isWritable = isWritable
    }

    /// Joins those who have the store open, without a slot yet.
    ///
    /// - Throws: `.busy` while the store is being removed; `.permissionDenied`, `.readOnly` or
    ///   `.full` if the lock file cannot be made.
    init(_ file: StoreFile, isReadOnly: Bool) throws(StorageError) {
        self = try Self.taken(file, isShared: true, isReadOnly: isReadOnly, flags: O_CREAT)
    }

    /// The locks of a store to be removed if it has a lock file, held alone; `nil` if it has none, so
    /// that nobody has it open.
    ///
    /// - Throws: `.busy` naming those who have it open.
    static func ifPresent(_ file: StoreFile) throws(StorageError) -> StoreLock? {
        if StoreFile.byteCount(file.lockPath) == nil { return nil }
        return try taken(file, isShared: false, isReadOnly: false, flags: 0)
    }

    private static func taken(
        _ file: StoreFile,
        isShared: Bool,
        isReadOnly: Bool,
        flags: Int32
    ) throws(StorageError) -> StoreLock {
        while true {
            let lock = try open(file, isReadOnly: isReadOnly, flags: flags)
            guard lock.lock(.presence, isShared: isShared) else {
                let failure = lock.failure(errno, file)
                close(lock.descriptor)
                throw failure
            }
            // Who held it last may have removed the file in between: then that name is free again.
            if !lock.isAbandoned(file) { return lock }
            close(lock.descriptor)
        }
    }

    private static func open(
        _ file: StoreFile,
        isReadOnly: Bool,
        flags: Int32
    ) throws(StorageError) -> StoreLock {
        let descriptor = Foundation.open(file.lockPath, O_RDWR | O_CLOEXEC | flags, 0o644)
        if descriptor >= 0 { return StoreLock(descriptor: descriptor, isWritable: true) }
        let refusal = errno
        if isReadOnly, refusal == EACCES || refusal == EROFS {
            // A shared lock needs no more than reading; without a file there is nobody to keep out.
            let descriptor = Foundation.open(file.lockPath, O_RDONLY | O_CLOEXEC)
            if descriptor >= 0 { return StoreLock(descriptor: descriptor, isWritable: false) }
        }
        throw StorageError(
            errno: refusal,
            during: "opening the lock file \(file.lockPath)",
            path: file.givenPath
        )
    }

    /// Whether the open lock file is no longer the one of its name.
    func isAbandoned(_ file: StoreFile) -> Bool {
        var mine = stat()
        var named = stat()
        return fstat(descriptor, &mine) != 0 || stat(file.lockPath, &named) != 0
            || mine.st_dev != named.st_dev || mine.st_ino != named.st_ino
    }

    /// Takes a lock, alone or shared, if others allow it; sets errno otherwise.
    func lock(_ place: Place, isShared: Bool = false) -> Bool {
        let kind = isShared ? domesday_lock_shared : domesday_lock_exclusive
        return domesday_lock_bytes(descriptor, place.byte, 1, kind) == 0
    }

    /// Takes a lock alone, waiting for it.
    func lock(_ place: Place, until deadline: ContinuousClock.Instant) -> Bool {
        while !lock(place) {
            if ContinuousClock.now >= deadline { return false }
            usleep(1000)
        }
        return true
    }

    func unlock(_ place: Place) {
        _ = domesday_lock_bytes(descriptor, place.byte, 1, domesday_lock_none)
    }

    /// Whether another process holds a lock, shared or alone.
    func isHeldElsewhere(_ place: Place) -> Bool {
        domesday_is_byte_locked(descriptor, place.byte) != 0
    }

    func release() {
        // Not by closing alone: a child process that is being spawned may have a copy.
        _ = domesday_lock_bytes(descriptor, 0, 0, domesday_lock_none)
        close(descriptor)
    }

    private func failure(_ errno: Int32, _ file: StoreFile) -> StorageError {
        guard errno == EAGAIN || errno == EACCES else {
            return StorageError(
                errno: errno,
                during: "locking \(file.lockPath)",
                path: file.givenPath
            )
        }
        let names = SharedPage.processes(in: self)
        let detail = "\(StoreMembers.names(names)) the store open"
        return StorageError(.busy, path: file.givenPath, detail: detail)
    }
}
