/// Thrown when a page store cannot read or write its blobs.
///
/// **Threads.** A value; any thread.
struct StorageError: Error, Hashable, Sendable {
    enum Code: Hashable, Sendable {
        /// The path does not exist, or its parent does not.
        case notFound
        case permissionDenied
        /// The file is there but is no store of ours (text, a `.realm` file, another SQLite file).
        case notAStore
        /// Ours, but written by a newer format than this code reads.
        case unsupportedFormat
        /// A blob or page failed its checksum, is too short, or is missing.
        case damaged
        /// The device or quota is full.
        case full
        /// Another process holds the store, or the write lock was not free in time.
        case busy
        case readOnly
        /// Another process has changed the tables that are in use here.
        case schemaChanged
        /// Any other failure of the file system.
        case inputOutput
        /// Used after `close()`.
        case closed
        /// What is stored forbids it: a unique column, or the rule of a link. The detail is a
        /// sentence of its own.
        case refused
    }

    let code: Code
    /// Where: the path of the store, or the identifier of a store in memory.
    let path: String
    /// Which blob, if it concerns one.
    let address: BlobAddress?
    /// What the layer below said, in words.
    let detail: String

    init(_ code: Code, path: String, address: BlobAddress? = nil, detail: String) {
        self.code = code
        self.path = path
        self.address = address
        self.detail = detail
    }
}
