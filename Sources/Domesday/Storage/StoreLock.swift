import CSQLite
import Foundation

/// The lock that keeps a store to one process: an OFD lock on a `.lock` file beside it.
///
/// The file holds the pid of its last locker and stays when the lock goes. Only the holder of the
/// lock removes it, together with the store.
///
/// **Threads.** A value of the store that holds it; any thread. The kernel drops the lock when the
/// process dies.
struct StoreLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock: alone for writing, or shared with other readers.
    ///
    /// - Throws: `.busy` naming the process that holds it; `.permissionDenied`, `.readOnly` or
    ///   `.full` if the lock file cannot be made.
    init(_ file: StoreFile, isShared: Bool) throws(StorageError) {
        try self.init(file, isShared: isShared, flags: O_CREAT)
    }

    /// The lock of a store if it has a lock file; `nil` if it has none, so that nobody holds it.
    static func ifPresent(_ file: StoreFile) throws(StorageError) -> StoreLock? {
        StoreFile.byteCount(file.lockPath) == nil
            ? nil : try StoreLock(file, isShared: false, flags: 0)
    }

    private init(_ file: StoreFile, isShared: Bool, flags: Int32) throws(StorageError) {
        var descriptor: Int32
        repeat {
            descriptor = try Self.open(file, isShared: isShared, flags: flags)
            guard
                domesday_lock_file(
                    descriptor,
                    isShared ? domesday_lock_shared : domesday_lock_exclusive
                ) == 0
            else {
                let error = errno
                let holder = Self.processID(in: descriptor)
                close(descriptor)
                throw Self.failure(error, holder: holder, file)
            }
            // Its last holder may have removed the file in between: then that name is free again.
        } while Self.isAbandoned(descriptor, file)
        self.descriptor = descriptor
        // The pid is for messages only: a full disk does not matter here.
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
    }

    private static func open(
        _ file: StoreFile,
        isShared: Bool,
        flags: Int32
    ) throws(StorageError) -> Int32 {
        var descriptor = Foundation.open(file.lockPath, O_RDWR | O_CLOEXEC | flags, 0o644)
        if descriptor < 0, isShared, errno == EACCES || errno == EROFS {
            // A shared lock needs no more than reading; without a file there is nobody to keep out.
            let refusal = errno
            descriptor = Foundation.open(file.lockPath, O_RDONLY | O_CLOEXEC)
            if descriptor < 0, errno == ENOENT { errno = refusal }
        }
        guard descriptor >= 0 else {
            throw StorageError(
                errno: errno,
                during: "opening the lock file \(file.lockPath)",
                path: file.givenPath
            )
        }
        return descriptor
    }

    /// Whether an open lock file is no longer the one of its name; closes it then.
    private static func isAbandoned(_ descriptor: Int32, _ file: StoreFile) -> Bool {
        var mine = stat()
        var named = stat()
        let isSame =
            fstat(descriptor, &mine) == 0 && stat(file.lockPath, &named) == 0
            && mine.st_dev == named.st_dev && mine.st_ino == named.st_ino
        if !isSame { close(descriptor) }
        return !isSame
    }

    func release() {
        // Not by closing alone: a child process that is being spawned may have a copy.
        _ = domesday_lock_file(descriptor, domesday_lock_none)
        close(descriptor)
    }

    private static func failure(_ errno: Int32, holder: Int32?, _ file: StoreFile) -> StorageError {
        guard errno == EAGAIN || errno == EACCES else {
            return StorageError(
                errno: errno,
                during: "locking \(file.lockPath)",
                path: file.givenPath
            )
        }
        let name = holder.map { "process \($0)" } ?? "another process"
        return StorageError(.busy, path: file.givenPath, detail: "\(name) has the store open")
    }

    /// The pid in the file, if that process lives.
    ///
    /// A locker that has not written it yet is given a moment.
    private static func processID(in descriptor: Int32) -> Int32? {
        for _ in 0..<20 {
            var text = [UInt8](repeating: 0, count: 16)
            let count = pread(descriptor, &text, text.count, 0)
            if count > 0, let pid = Int32(String(decoding: text[..<(count - 1)], as: UTF8.self)) {
                let isAlive = kill(pid, 0) == 0 || errno == EPERM
                // Readers share the lock and overwrite each other's pid, ours among them.
                return isAlive && pid != getpid() ? pid : nil
            }
            usleep(1000)
        }
        return nil
    }
}
