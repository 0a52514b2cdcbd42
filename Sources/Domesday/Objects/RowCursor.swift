import Foundation

/// The columns of the properties that a `select` reads, in order.
@frozen
@usableFromInline
struct RowColumns {
    @usableFromInline let columns: ContiguousArray<Int>

    init(_ columns: [Int]) { self.columns = ContiguousArray(columns) }

    @inlinable
    @inline(__always)
    subscript(position: Int) -> Int { columns[position] }
}

/// Finds the rows of a query one after the other.
///
/// **Threads.** The Realm's.
@usableFromInline
final class RowCursor {
    private let base: CollectionQuery
    private let keys: ContiguousArray<ObjectKey>
    @usableFromInline let columns: RowColumns
    private var prefetch: RowPrefetch
    /// The Realm's epoch that `prefetch` is of.
    private var epoch: UInt64 = 0

    init(_ base: CollectionQuery, _ columns: [Int]) {
        self.base = base
        self.columns = RowColumns(columns)
        prefetch = RowPrefetch(self.columns)
        keys = base.reading { () throws(StorageError) in try base.query.keys() }
    }

    @usableFromInline var count: Int { keys.count }

    /// Where the row at a position lies. Traps beyond the end and for an object that is gone.
    @usableFromInline
    func place(at position: Int) -> PropertyPlace {
        guard position >= 0, position < keys.count else {
            fatalError("Index \(position) is out of bounds (must be less than \(keys.count)).")
        }
        let key = keys[position]
        return base.reading { () throws(StorageError) in
            guard let found = try base.table.reader.locate(key) else {
                ObjectTrap.deleted(base.table.schema.name, key)
            }
            return PropertyPlace(
                ObjectBinding(
                    base.table.control,
                    key: key,
                    cluster: found.cluster,
                    row: found.row
                ),
                base.table.control,
                column: 0
            )
        }
    }

    /// Finds the row at a position, and how far the rows behind it lie behind each other in one
    /// cluster.
    ///
    /// - Returns: The position where that ends; nil at the end of all.
    @usableFromInline
    func run(from position: Int, _ place: inout PropertyPlace) -> Int? {
        guard position < keys.count else { return nil }
        // No pointer is held here.
        base.table.reader.reader.safePoint()
        place = self.place(at: position)
        let view = place.view
        guard position + 1 < keys.count, view.keyWidth == 0,
            keys[position + 1] == keys[position] + 1
        else {
            if epoch != base.table.control.pointee.epoch {
                epoch = base.table.control.pointee.epoch
                prefetch.forget()
            }
            prefetch.advance(position, keys, base.table.reader)
            return position + 1
        }
        var end = position + 1
        let last = view.firstKey + Int64(view.rowCount) - 1
        while end < keys.count, keys[end] == keys[end - 1] + 1, keys[end] <= last { end += 1 }
        return end
    }
}

extension PropertyPlace {
    /// No row at all; never read.
    @usableFromInline static var nowhere: PropertyPlace {
        PropertyPlace(ObjectBinding(), ObjectControl.constructing, column: 0)
    }
}
