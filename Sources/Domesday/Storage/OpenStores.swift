/// The files this process has open as stores.
///
/// Nobody may open and close a descriptor of a main file that is listed here: the kernel would drop
/// the POSIX locks by which SQLite keeps other processes out. So a file is claimed here before it
/// is looked at, and the claim stays until its last connection is closed.
///
/// **Threads.** Any.
enum OpenStores {
    private static let open = Lock<[String: FileIdentity?]>([:])

    /// - Throws: `.busy` if the file, under whatever name, is open or being opened.
    static func claim(_ file: StoreFile) throws(StorageError) {
        try open.withLock { (open) throws(StorageError) in
            let identity = file.identity
            let isKnown = identity.map { known in open.values.contains { $0 == known } } ?? false
            guard open[file.mainPath] == nil, !isKnown else {
                throw StorageError(
                    .busy,
                    path: file.givenPath,
                    detail: "this process has the store open already"
                )
            }
            open[file.mainPath] = .some(identity)
        }
    }

    /// To be called when the file of a claim has been created.
    static func noteIdentity(of file: StoreFile) { set(file.identity, of: file) }

    /// To be called before the file of a claim is removed: the next file made by anybody may get
    /// its inode number.
    static func forgetIdentity(of file: StoreFile) { set(nil, of: file) }

    private static func set(_ identity: FileIdentity?, of file: StoreFile) {
        open.withLock { $0[file.mainPath] = .some(identity) }
    }

    /// Whether a path without links is claimed.
    static func isClaimed(_ mainPath: String) -> Bool { open.withLock { $0[mainPath] != nil } }

    /// All that are claimed.
    static var paths: [String] { open.withLock { $0.keys.sorted() } }

    static func giveUp(_ file: StoreFile) {
        open.withLock { _ = $0.removeValue(forKey: file.mainPath) }
    }
}
