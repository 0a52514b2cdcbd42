/// A collection that queries can start from instead of a whole table: a list, linking objects.
///
/// **Threads.** Its Realm's.
protocol KeySource: AnyObject {
    /// The objects, in order, with multiplicity.
    func sourceKeys() throws(StorageError) -> [ObjectKey]
    /// What decides which objects they are, beside the version: a column of a table.
    var sourceDependency: (table: TableID, column: Int) { get }
    /// For `explain`: "list Person.dogs".
    var sourceDescription: String { get }
    /// The same collection of another Realm of the store, whose tables `table` gives by id; nil if
    /// its object is not there.
    func moved(_ table: (TableID) -> any QueryTable) throws(StorageError) -> (any KeySource)?
}
