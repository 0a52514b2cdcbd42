import CRuntime

/// Visits the objects of a query that were there when it was made and still exist.
///
/// While the Realm's epoch stays, the next row of the cluster at hand needs no look-up.
///
/// **Threads.** The Realm's.
@usableFromInline
final class ObjectCursor {
    private let base: CollectionQuery
    private let table: BoundTable
    private let control: UnsafeMutablePointer<ObjectControl>
    /// The keys to visit; nil for a whole table.
    private let keys: ContiguousArray<ObjectKey>?
    private var position = 0
    /// In a whole table: keys from here on came later.
    private let end: ObjectKey
    private var lastKey: ObjectKey = 0
    /// The cluster at hand, the row behind the last one, and the epoch when they were found.
    private var payload: UnsafeRawPointer?
    private var row = 0
    private var epoch: UInt64 = 0
    /// What was returned last, to be used again if nobody holds it.
    private var accessor: ObjectBase?

    convenience init(_ base: CollectionQuery) {
        let keys =
            base.query.isWholeTable
            ? nil : base.reading { () throws(StorageError) in try base.query.keys() }
        self.init(base, keys)
    }

    /// As `init(_:)`, but throws if the store cannot be read.
    convenience init(loading base: CollectionQuery) throws(StorageError) {
        base.check()
        self.init(base, base.query.isWholeTable ? nil : try base.query.keys())
    }

    private init(_ base: CollectionQuery, _ keys: ContiguousArray<ObjectKey>?) {
        self.base = base
        self.keys = keys
        table = base.table
        control = base.table.control
        let reader = base.table.reader
        end = reader.pending?.nextKey ?? reader.base.nextKey
    }

    /// The next object that still exists.
    ///
    /// - Complexity: O(1) amortized.
    @usableFromInline
    func next() -> ObjectBase? {
        if control.pointee.owner != UInt(domesday_thread_identity()),
            !control.pointee.home.isCurrent
        {
            base.check()
        }
        // SAFETY: a pointer into a cluster is valid while its epoch is the Realm's.
        if let payload, epoch == control.pointee.epoch {
            let view = ClusterView(payload)
            if let keys {
                if position < keys.count, view.keyWidth == 0 {
                    let key = keys[position]
                    let row = key &- view.firstKey
                    if row >= 0, row < Int64(view.rowCount) {
                        position &+= 1
                        return take(key, payload, Int(row))
                    }
                }
            } else if row < view.rowCount {
                let key = view.key(row)
                if key < end {
                    lastKey = key
                    row &+= 1
                    return take(key, payload, row &- 1)
                }
            }
        }
        return base.reading { () throws(StorageError) in
            // No pointer is held here.
            table.reader.reader.safePoint()
            payload = nil
            return try keys == nil ? nextInTable() : nextKey()
        }
    }

    /// As `next()`, but throws if the store cannot be read, and loads all that the object holds.
    func loadNext() throws(StorageError) -> ObjectBase? {
        base.check()
        // No pointer is held here.
        table.reader.reader.safePoint()
        payload = nil
        guard let object = try keys == nil ? nextInTable() : nextKey() else { return nil }
        let binding = object.objectBinding
        try table.reader.loadValues(at: RowLocation(cluster: binding.cluster, row: binding.row))
        return object
    }

    private func nextKey() throws(StorageError) -> ObjectBase? {
        while let keys, position < keys.count {
            let key = keys[position]
            position += 1
            guard let place = try table.reader.locate(key) else { continue }
            payload = place.cluster
            epoch = control.pointee.epoch
            return take(key, place.cluster, place.row)
        }
        accessor = nil
        return nil
    }

    private func nextInTable() throws(StorageError) -> ObjectBase? {
        let reader = table.reader
        var ordinal = max(reader.ordinal(of: lastKey + 1), 0)
        while ordinal < reader.clusterCount {
            let view = try reader.cluster(ordinal)
            let first = view.firstRow(above: lastKey)
            if first < view.rowCount {
                let key = view.key(first)
                guard key < end else { break }
                payload = view.payload
                epoch = control.pointee.epoch
                lastKey = key
                row = first + 1
                return take(key, view.payload, first)
            }
            ordinal += 1
        }
        accessor = nil
        return nil
    }

    @inline(__always)
    private func take(_ key: ObjectKey, _ payload: UnsafeRawPointer, _ row: Int) -> ObjectBase? {
        table.rebind(&accessor, key, cluster: payload, row: row)
        return accessor
    }
}
