/// One table at one version of the store.
///
/// **Threads.** Immutable; any.
final class TableSnapshot: Sendable {
    let definition: TableDefinition
    let spaces: TableSpaces
    let directory: ClusterDirectory
    /// Objects alive.
    let count: Int
    /// The key the next object gets.
    let nextKey: ObjectKey
    /// The number the next long value gets.
    let nextLongValue: Int64
    /// By column id: of the primary key, of indexed columns, and the back-links of link columns.
    let indexes: [Int: IndexSnapshot]

    init(
        definition: TableDefinition,
        spaces: TableSpaces,
        directory: ClusterDirectory,
        count: Int,
        nextKey: ObjectKey,
        nextLongValue: Int64,
        indexes: [Int: IndexSnapshot]
    ) {
        self.definition = definition
        self.spaces = spaces
        self.directory = directory
        self.count = count
        self.nextKey = nextKey
        self.nextLongValue = nextLongValue
        self.indexes = indexes
    }
}

/// The spaces of the page store that belong to a table.
struct TableSpaces: Hashable, Sendable {
    let fixed: Space
    let heap: Space
    let long: Space
    /// By column id: the leaves and the groups of its index.
    var indexes: [Int: IndexSpaces]
}

struct IndexSpaces: Hashable, Sendable {
    let leaves: Space
    let groups: Space
}

/// The whole store at one version.
///
/// **Threads.** Immutable but for `pin`, which the store sets under its version lock before a newer
/// version replaces this one on disk; before the version is used, if other processes may commit.
final class Snapshot: BlobSource, @unchecked Sendable {
    // @unchecked: `holders` and `pin` change under the store's version lock only.

    let version: UInt64
    /// The version that last changed what tables, columns or indexes there are, or the one that was
    /// opened.
    let schemaVersion: UInt64
    /// By table id.
    let tables: [TableSnapshot?]
    /// The number the next space gets.
    let nextSpace: Int
    /// What is kept of what commits change; nil for nothing.
    let history: HistorySettings?
    unowned let store: Store
    /// Realms and frozen values that read this version.
    var holders = 0
    /// A read transaction at this version, once it is no longer the newest, or while other processes
    /// may commit.
    var pin: (any PagePin)?

    init(
        version: UInt64,
        schemaVersion: UInt64,
        tables: [TableSnapshot?],
        nextSpace: Int,
        history: HistorySettings?,
        store: Store
    ) {
        self.version = version
        self.schemaVersion = schemaVersion
        self.tables = tables
        self.nextSpace = nextSpace
        self.history = history
        self.store = store
    }

    /// Version 0, without tables.
    convenience init(emptyIn store: Store) {
        self.init(
            version: 0,
            schemaVersion: 0,
            tables: [],
            nextSpace: 1,
            history: nil,
            store: store
        )
    }

    var path: String { store.path }

    /// Ends the read transaction, if there is one; under the store's version lock.
    func unpin() {
        pin?.release()
        pin = nil
    }

    func load(_ address: BlobAddress) throws(StorageError) -> BlobBuffer {
        try store.load(address, at: self)
    }
}
