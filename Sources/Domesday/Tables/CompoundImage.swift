/// The image of an object's values in a compound index: half of its bits tell the first value, the
/// others the following ones, so that all objects with equal first values stand together.
///
/// The images are those of single indexes, hashed: only equality can be asked, and who looks up
/// verifies against the columns.
struct CompoundImage {
    /// How many columns such an index may have.
    static let columnCounts = 2...8

    private let width: UInt64
    private(set) var word: UInt64 = 0
    /// The bits that follow what was appended.
    private var rest: UInt64 = 64

    /// - Parameter count: Of the index's columns.
    init(columnCount count: Int) { width = UInt64(32 / max(count - 1, 1)) }

    mutating func append(_ image: UInt64) {
        let width = rest == 64 ? 32 : self.width
        rest -= width
        word |= ((image &* 0x9E37_79B9_7F4A_7C15) >> (64 - width)) << rest
    }

    /// The images of all objects whose first values are those appended.
    var range: ClosedRange<UInt64> { word...(word | (rest == 0 ? 0 : UInt64.max >> (64 - rest))) }
}

extension TableReader {
    /// The image of a row in a compound index; 0 for other columns.
    func compoundImage(
        _ column: Int,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> UInt64 {
        let components = definition.columns[column].components
        var image = CompoundImage(columnCount: components.count)
        for component in components { image.append(try indexValue(component, view, row)) }
        return image.word
    }
}

extension TableDefinition {
    /// The columns whose values stand in a compound index.
    var componentColumns: Set<Int> {
        columns.reduce(into: []) { found, column in
            if !column.isRemoved { found.formUnion(column.components) }
        }
    }
}

extension PendingTable {
    /// The compound indexes that a column's values stand in.
    func compounds(of column: Int) -> [Int] {
        definition.columns.lazy
            .filter { !$0.isRemoved && $0.components.contains(column) }
            .map(\.id)
    }
}

extension RowWriter {
    /// Changes a value that stands in compound indexes, and its object's entries there.
    func replacingComponent(
        _ column: Int,
        _ change: () throws(StorageError) -> Void
    ) throws(StorageError) {
        let compounds = changes.compounds(of: column)
        var before: [UInt64] = []
        for compound in compounds {
            before.append(try table.compoundImage(compound, cluster.view, row))
        }
        try change()
        for (compound, old) in zip(compounds, before) {
            let new = try table.compoundImage(compound, cluster.view, row)
            guard old != new, let index = changes.overlay(compound) else { continue }
            index.remove(value: old, key: UInt64(key))
            index.insert(value: new, key: UInt64(key))
        }
    }
}
