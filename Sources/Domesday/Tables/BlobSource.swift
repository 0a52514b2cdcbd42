/// Reads the blobs of one version of the store.
///
/// The engine supplies one per version: the newest committed state, a pinned older one, or the open
/// write transaction. Snapshots take the source with each call, because one snapshot is shared by
/// all versions in which it did not change, and each version reads through its own transaction.
///
/// **Threads.** As the conforming type says; a cell calls `load` on the thread that reads it.
protocol BlobSource {
    /// The path of the store, for messages.
    var path: String { get }

    /// The blob, verified by the page store, in a buffer of its own.
    ///
    /// - Throws: `StorageError` `.damaged` when there is none or when it was written by a version
    ///   newer than this source's; whatever the page store throws.
    func load(_ address: BlobAddress) throws(StorageError) -> BlobBuffer
}

extension BlobSource {
    /// The error for a blob whose content contradicts itself or what refers to it.
    func damaged(_ address: BlobAddress?, _ detail: String) -> StorageError {
        StorageError(.damaged, path: path, address: address, detail: detail)
    }
}
