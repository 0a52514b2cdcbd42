/// The newest committed state of a page store, as it was found when somebody looked.
struct PageNews {
    /// At the version found.
    let pin: any PagePin
    /// The commit log at it; nil if the store has none.
    let log: SQLitePageStore.LogState?
    /// What has changed since this process looked or committed last; nil if that is not known.
    let changes: ChangedBlobs?
}

/// The addresses at which commits have written.
struct ChangedBlobs {
    /// So many commits, one version each.
    private(set) var commitCount = 0
    private(set) var bySpace: [Space: Set<Int64>] = [:]

    mutating func countCommit() { commitCount += 1 }

    mutating func insert(_ address: BlobAddress) {
        bySpace[address.space, default: []].insert(address.id)
    }

    func contains(_ address: BlobAddress) -> Bool {
        bySpace[address.space]?.contains(address.id) ?? false
    }
}

/// Who is told of what other processes do.
///
/// **Threads.** Called on a thread of the page store's.
protocol PageWatcher: AnyObject, Sendable {
    /// Another process may have come, gone, or committed: lets the page store `attend` and looks.
    ///
    /// - Parameter isTick: Whether nobody has signalled.
    func lookAround(isTick: Bool)
    /// Takes a pin at the newest version: other processes may commit from now on.
    ///
    /// - Returns: The version.
    func pinNewest() throws(StorageError) -> UInt64
    /// Moves to the newest version, with a new pin at it.
    func renewPin() throws(StorageError)
    /// Moves to the newest version and gives up its pin: nobody else commits any more.
    func unpinNewest() throws(StorageError)
}
