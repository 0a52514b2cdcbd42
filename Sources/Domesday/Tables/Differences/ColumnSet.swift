/// Some columns of a table, by id.
///
/// **Threads.** A value.
struct ColumnSet: Hashable, Sendable {
    private var low: UInt64 = 0
    /// Those from 64 on.
    private var high: Set<Int> = []

    var isEmpty: Bool { low == 0 && high.isEmpty }

    /// The ids, ascending.
    var ids: [Int] { (0..<64).filter { low >> UInt64($0) & 1 == 1 } + high.sorted() }

    func contains(_ column: Int) -> Bool {
        column < 64 ? low >> UInt64(column) & 1 == 1 : high.contains(column)
    }

    func intersects(_ other: ColumnSet) -> Bool {
        low & other.low != 0 || !high.isDisjoint(with: other.high)
    }

    mutating func insert(_ column: Int) {
        if column < 64 { low |= 1 << UInt64(column) } else { high.insert(column) }
    }

    mutating func formUnion(_ other: ColumnSet) {
        low |= other.low
        if !other.high.isEmpty { high.formUnion(other.high) }
    }
}
