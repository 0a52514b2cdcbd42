/// What a write transaction has changed in one table, on top of a version.
///
/// **Threads.** The writer's.
final class PendingTable {
    let base: TableSnapshot
    var definition: TableDefinition {
        didSet { noteColumns() }
    }
    /// By column id.
    // SAFETY: as long as the columns of `definition`; column ids come from there.
    @exclusivity(unchecked) private(set) var traits: UnsafeMutablePointer<ColumnTraits>
    /// The columns that `traits` has, removed ones included.
    @exclusivity(unchecked) private(set) var traitCount = 0
    var spaces: TableSpaces {
        didSet { spacesChanged = true }
    }
    @exclusivity(unchecked) private var spacesChanged = false
    @exclusivity(unchecked) var count: Int
    @exclusivity(unchecked) var nextKey: ObjectKey
    var nextLongValue: Int64
    /// By ordinal: clusters in private copies.
    var dirty: [Int: MutableCluster] = [:]
    /// The last cluster, once it is dirty: where new objects go.
    @exclusivity(unchecked) var tail: MutableCluster? {
        didSet { unretainedTail = tail.map { .passUnretained($0) } }
    }
    /// As `tail`, which retains it.
    @exclusivity(unchecked) private(set) var unretainedTail: Unmanaged<MutableCluster>?
    /// By ordinal: clusters already written into the open transaction to save memory.
    var flushed: [Int: ClusterCell] = [:]
    /// First keys of new clusters; their ordinals follow those of the base.
    var appended: [ObjectKey] = []
    /// Ordinals that lost objects.
    var shrunk: Set<Int> = []
    /// By column id; shorter than the columns until an overlay is needed.
    @exclusivity(unchecked) private var overlays: ContiguousArray<IndexOverlay?> = [] {
        didSet { noteOverlays() }
    }
    /// As `overlays`, which retains them; one for each column of `definition`.
    // SAFETY: made anew whenever the columns or the overlays change.
    @exclusivity(unchecked) private var unretainedOverlays:
        UnsafeMutablePointer<Unmanaged<IndexOverlay>?>
    /// By number: long values written in this transaction.
    var longValues: [Int64: [UInt8]] = [:]
    /// Long values of the base that nobody needs any more, roots and leaves among them.
    var droppedLongValues: [Int64] = []
    /// By the root's number: long collections that this transaction has changed.
    var trees: [Int64: SequenceTree] = [:]
    /// By number: their changed leaves.
    var leaves: [Int64: LeafCopy] = [:]
    /// Whether long values of this transaction were written already.
    var hasFlushedLongValues = false
    var pattern: MutableCluster.Pattern?
    var schemaChanged = false

    init(_ base: TableSnapshot) {
        self.base = base
        definition = base.definition
        traits = .allocate(capacity: 0)
        unretainedOverlays = .allocate(capacity: 0)
        spaces = base.spaces
        count = base.count
        nextKey = base.nextKey
        nextLongValue = base.nextLongValue
        noteColumns()
    }

    deinit {
        traits.deallocate()
        unretainedOverlays.deallocate()
    }

    private func noteColumns() {
        let columns = definition.columns
        traits.deallocate()
        traits = .allocate(capacity: columns.count)
        let components = definition.componentColumns
        // By position: an iterator would copy each definition.
        for id in columns.indices {
            (traits + id).initialize(
                to: ColumnTraits(columns[id], isComponent: components.contains(id))
            )
        }
        traitCount = columns.count
        noteOverlays()
    }

    private func noteOverlays() {
        let columnCount = definition.columns.count
        unretainedOverlays.deallocate()
        unretainedOverlays = .allocate(capacity: columnCount)
        for column in 0..<columnCount {
            let overlay = column < overlays.count ? overlays[column] : nil
            (unretainedOverlays + column).initialize(to: overlay.map { .passUnretained($0) })
        }
    }

    /// Whether a commit has anything to write for this table.
    var isChanged: Bool {
        !dirty.isEmpty || !flushed.isEmpty || nextKey != base.nextKey || schemaChanged
            || !longValues.isEmpty || !droppedLongValues.isEmpty || !trees.isEmpty
            || overlays.contains { $0 != nil }
    }

    var clusterCount: Int { base.directory.count + appended.count }

    /// The overlay of a column's index, made when first needed; nil when it has none.
    @inline(__always)
    func overlay(_ column: Int) -> IndexOverlay? {
        if column < overlays.count, let overlay = overlays[column] { return overlay }
        return makeOverlay(column)
    }

    /// Inserts a pair into a column's index if it has one.
    @inline(__always)
    func insert(value: UInt64, key: UInt64, into column: Int) {
        if let overlay = unretainedOverlays[column] {
            overlay._withUnsafeGuaranteedRef { $0.insert(value: value, key: key) }
        } else {
            makeOverlay(column)?.insert(value: value, key: key)
        }
    }

    /// Whether no pair of a column's index has that value, as far as can be told without a look at
    /// the store.
    @inline(__always)
    func surelyLacks(_ value: UInt64, in column: Int) -> Bool {
        guard column < traitCount, let overlay = unretainedOverlays[column] else { return false }
        return overlay._withUnsafeGuaranteedRef { $0.surelyLacks(value) }
    }

    @inline(never)
    private func makeOverlay(_ column: Int) -> IndexOverlay? {
        guard keepsIndex(column), let index = base.indexes[column] else { return nil }
        let overlay = IndexOverlay(index)
        setOverlay(overlay, of: column)
        return overlay
    }

    /// The overlay of a column's index if anything was written to it.
    @inline(__always)
    func existingOverlay(_ column: Int) -> IndexOverlay? {
        column < overlays.count ? overlays[column] : nil
    }

    /// Whether an index of the base was not taken away.
    @inline(__always)
    func keepsIndex(_ column: Int) -> Bool {
        !spacesChanged || spaces.indexes[column] != nil
    }

    /// Gives a column a new index, or takes it away.
    func setOverlay(_ overlay: IndexOverlay?, of column: Int) {
        var changed = overlays
        while changed.count <= column { changed.append(nil) }
        changed[column] = overlay
        overlays = changed
    }

    /// The overlays in the order of their columns.
    var changedIndexes: [(column: Int, overlay: IndexOverlay)] {
        overlays.enumerated().compactMap { entry in entry.element.map { (entry.offset, $0) } }
    }
}
