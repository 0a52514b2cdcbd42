/// What a write transaction has changed in one table, on top of a version.
///
/// **Threads.** The writer's.
final class PendingTable {
    let base: TableSnapshot
    var definition: TableDefinition {
        didSet { traits = ContiguousArray(definition.columns.map(ColumnTraits.init)) }
    }
    /// By column id.
    private(set) var traits: ContiguousArray<ColumnTraits>
    var spaces: TableSpaces
    var count: Int
    var nextKey: ObjectKey
    var nextLongValue: Int64
    /// By ordinal: clusters in private copies.
    var dirty: [Int: MutableCluster] = [:]
    /// The last cluster, once it is dirty: where new objects go.
    var tail: MutableCluster?
    /// By ordinal: clusters already written into the open transaction to save memory.
    var flushed: [Int: ClusterCell] = [:]
    /// First keys of new clusters; their ordinals follow those of the base.
    var appended: [ObjectKey] = []
    /// Ordinals that lost objects.
    var shrunk: Set<Int> = []
    /// By column id.
    var overlays: [Int: IndexOverlay]
    /// By number: long values written in this transaction.
    var longValues: [Int64: [UInt8]] = [:]
    /// Long values of the base that nobody needs any more.
    var droppedLongValues: [Int64] = []
    var pattern: MutableCluster.Pattern?
    var schemaChanged = false

    init(_ base: TableSnapshot) {
        self.base = base
        definition = base.definition
        traits = ContiguousArray(base.definition.columns.map(ColumnTraits.init))
        spaces = base.spaces
        count = base.count
        nextKey = base.nextKey
        nextLongValue = base.nextLongValue
        overlays = [:]
    }

    /// Whether a commit has anything to write for this table.
    var isChanged: Bool {
        !dirty.isEmpty || !flushed.isEmpty || nextKey != base.nextKey || schemaChanged
            || !longValues.isEmpty || !droppedLongValues.isEmpty || !overlays.isEmpty
    }

    var clusterCount: Int { base.directory.count + appended.count }

    /// The overlay of a column's index, made when first needed; nil when it has none.
    func overlay(_ column: Int) -> IndexOverlay? {
        if let overlay = overlays[column] { return overlay }
        guard let index = base.indexes[column] else { return nil }
        let overlay = IndexOverlay(index)
        overlays[column] = overlay
        return overlay
    }
}
