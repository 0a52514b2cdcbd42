/// A collection that queries can start from instead of a whole table: a list, linking objects.
///
/// **Threads.** Its Realm's.
protocol KeySource: AnyObject {
    /// The objects, in order, with multiplicity.
    func sourceKeys() throws(StorageError) -> [ObjectKey]
    /// What decides which objects they are, beside the version: a column of a table.
    var sourceDependency: (table: TableID, column: Int) { get }
    /// The query whose objects they are; then nothing else decides which those are.
    var sourceQuery: ObjectQuery? { get }
    /// For `explain`: "list Person.dogs".
    var sourceDescription: String { get }
    /// The same collection of another Realm of the store, whose tables `table` gives by id; nil if
    /// its object is not there.
    func moved(_ table: (TableID) -> any QueryTable) throws(StorageError) -> (any KeySource)?
}

extension KeySource {
    var sourceQuery: ObjectQuery? { nil }
}

/// What a query found, as the start of another: for a condition behind a limit.
///
/// **Threads.** Its Realm's.
final class QuerySource: KeySource {
    private let query: ObjectQuery

    init(_ query: ObjectQuery) { self.query = query }

    func sourceKeys() throws(StorageError) -> [ObjectKey] { Array(try query.keys()) }

    var sourceQuery: ObjectQuery? { query }

    var sourceDependency: (table: TableID, column: Int) { (query.table.tableID, 0) }

    var sourceDescription: String { "what was found before" }

    func moved(_ table: (TableID) -> any QueryTable) throws(StorageError) -> (any KeySource)? {
        try query.moved(table).map { QuerySource($0) }
    }
}

/// Keys that are known, as the start of a sort or of a sum.
final class KnownKeys: KeySource {
    private let table: any QueryTable
    private let keys: ContiguousArray<ObjectKey>

    init(_ table: any QueryTable, _ keys: ContiguousArray<ObjectKey>) {
        self.table = table
        self.keys = keys
    }

    func sourceKeys() throws(StorageError) -> [ObjectKey] { Array(keys) }

    var sourceDependency: (table: TableID, column: Int) { (table.tableID, 0) }

    var sourceDescription: String { "\(keys.count) known objects" }

    func moved(_ table: (TableID) -> any QueryTable) throws(StorageError) -> (any KeySource)? {
        KnownKeys(table(self.table.tableID), keys)
    }
}
