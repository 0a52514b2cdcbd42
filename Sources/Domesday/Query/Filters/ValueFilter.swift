/// Rows whose decimal, or whose value of any type, satisfies a condition: read one by one.
final class ValueFilter: RowFilter {
    let column: Int
    let type: ValueType
    let condition: BoundCondition

    init(
        _ table: TableReader,
        _ column: Int,
        _ type: ValueType,
        _ condition: BoundCondition
    ) {
        self.column = column
        self.type = type
        self.condition = condition.searchable
        super.init(table)
    }

    override var cost: Double { type.type == .decimal ? 6 : 30 }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        condition.holds(try table.value(view, column, row, type))
    }
}

extension TableReader {
    /// A row's value of any type as queries compare it.
    func mixedValue(
        _ view: ClusterView,
        _ column: Int,
        _ row: Int
    ) throws(StorageError) -> QueryValue {
        let bytes = try bytes(view.payload, column: column, row: row)
        guard let value = MixedValue(bytes) else { throw damagedMixed(view) }
        return QueryValue(mixed: value)
    }
}
