/// All objects of a class, live: it always shows what its Realm sees.
///
/// `for in` visits the objects present at its start and ends even if its body adds some.
///
/// **Shape.** In the order of adding. Indexes are positions at the moment of the call.
/// **Threads.** The Realm's.
public struct Results<Element: Object>: Sequence {
    private let state: RealmState
    private let table: BoundTable

    init(_ state: RealmState, _ table: BoundTable) {
        self.state = state
        self.table = table
    }

    /// The Realm they are in.
    public var realm: Realm? { Realm(state: state) }

    /// - Complexity: O(1).
    public var count: Int {
        state.checkConfinement()
        return table.reader.count
    }

    public var isEmpty: Bool { count == 0 }

    public var first: Element? { count == 0 ? nil : self[0] }

    public var last: Element? { count == 0 ? nil : self[count - 1] }

    /// - Precondition: "Index N is out of bounds (must be less than M)."
    /// - Complexity: O(clusters before it).
    public subscript(position: Int) -> Element {
        state.checkConfinement()
        if position < 0 || position >= count {
            fatalError("Index \(position) is out of bounds (must be less than \(count)).")
        }
        return trapping { () throws(StorageError) in
            var rest = position
            var ordinal = 0
            while true {
                let view = try table.reader.cluster(ordinal)
                if rest < view.rowCount { return object(view, rest) }
                rest -= view.rowCount
                ordinal += 1
            }
        }
    }

    public func makeIterator() -> Iterator {
        state.checkConfinement()
        return Iterator(
            results: self,
            end: table.reader.pending?.nextKey ?? table.reader.base.nextKey
        )
    }

    /// Visits the objects that were there when it was made.
    public struct Iterator: IteratorProtocol {
        fileprivate let results: Results
        /// Keys from here on came later.
        fileprivate let end: ObjectKey
        fileprivate var last: ObjectKey = 0
        /// Where the next object probably lies.
        fileprivate var ordinal = 0
        fileprivate var row = 0

        /// - Complexity: O(1) amortized.
        public mutating func next() -> Element? {
            results.next(&self)
        }
    }

    private func next(_ iterator: inout Iterator) -> Element? {
        state.checkConfinement()
        let reader = table.reader
        return trapping { () throws(StorageError) in
            if iterator.ordinal < reader.clusterCount {
                let view = try reader.cluster(iterator.ordinal)
                let row = iterator.row
                // Still there? Objects before it may have been deleted.
                if row < view.rowCount,
                    row == 0 ? iterator.ordinal == 0 : view.key(row - 1) == iterator.last
                {
                    return take(view, row, &iterator)
                }
            }
            // Once per cluster, with no pointer held.
            reader.reader.safePoint()
            var ordinal = Swift.max(reader.ordinal(of: iterator.last + 1), 0)
            while ordinal < reader.clusterCount {
                let view = try reader.cluster(ordinal)
                let row = view.firstRow(above: iterator.last)
                if row < view.rowCount {
                    iterator.ordinal = ordinal
                    return take(view, row, &iterator)
                }
                ordinal += 1
            }
            return nil
        }
    }

    private func take(_ view: ClusterView, _ row: Int, _ iterator: inout Iterator) -> Element? {
        let key = view.key(row)
        if key >= iterator.end { return nil }
        iterator.last = key
        iterator.row = row + 1
        return object(view, row)
    }

    private func object(_ view: ClusterView, _ row: Int) -> Element {
        let object = table.object(view.key(row), cluster: view.payload, row: row)
        // SAFETY: the table's class is Element: it was found by that type.
        return unsafeDowncast(object, to: Element.self)
    }

    private func trapping<R>(_ body: () throws(StorageError) -> R) -> R {
        do throws(StorageError) { return try body() } catch {
            fatalError("\(Realm.Error(storage: error))")
        }
    }
}

@available(*, unavailable, message: "Results are confined to their Realm's thread, queue or actor")
extension Results: Sendable {}

extension ClusterView {
    /// The first row whose key is above `key`; the row count if there is none.
    ///
    /// - Complexity: O(1) without gaps, else O(log rows).
    func firstRow(above key: ObjectKey) -> Int {
        if keyWidth == 0 { return Int(max(0, min(Int64(rowCount), key + 1 - firstKey))) }
        var low = 0
        var high = rowCount
        while low < high {
            let middle = (low + high) >> 1
            if self.key(middle) <= key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
