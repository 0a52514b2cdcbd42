import Foundation

/// Order-preserving or hashed 64-bit images of values, as they stand in indexes.
///
/// nil is 0, which some other value may share: who looks up verifies against the column.
enum IndexValue {
    static let null: UInt64 = 0

    @inline(__always)
    static func int(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

    /// -0 and 0 are one; all NaNs are one, above everything.
    static func double(_ value: Double) -> UInt64 {
        if value.isNaN { return .max }
        let bits = (value == 0 ? 0.0 : value).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | (1 << 63)
    }

    static func bytes(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        max(Hash.hash(bytes, seed: seed), 1)
    }
}

extension TableReader {
    /// Looks into the index of a column, own changes included.
    ///
    /// - Returns: nil when the column has no index.
    @inline(__always)
    func index(_ column: Int) -> ColumnIndex? {
        if let pending {
            if let overlay = pending.existingOverlay(column) { return .changed(overlay) }
            guard pending.keepsIndex(column) else { return nil }
        }
        guard column < storedIndexes.count, let index = storedIndexes[column] else { return nil }
        return .stored(index)
    }

    /// The image of a stored value in its column's index.
    func indexValue(
        _ column: Int,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> UInt64 {
        if view.state(column, row) == 1 { return IndexValue.null }
        switch view.kind(column) {
        case .absent: return try compoundImage(column, view, row)
        case .int: return IndexValue.int(view.int(column, row))
        case .float: return IndexValue.double(Double(view.float(column, row)))
        case .double: return IndexValue.double(view.double(column, row))
        case .fixed: return IndexValue.bytes(view.fixed(column, row), seed: seed)
        case .bytes:
            return IndexValue.bytes(
                try bytes(view.payload, column: column, row: row),
                seed: seed
            )
        }
    }

    /// Enters the rows of a cluster into an index of a column that holds no links.
    func enter(
        _ column: Int,
        _ view: ClusterView,
        into index: IndexOverlay
    ) throws(StorageError) {
        let count = view.rowCount
        let pairs = UnsafeMutableBufferPointer<IndexEntry>.allocate(capacity: count)
        defer { pairs.deallocate() }
        func fill(_ image: (Int) throws(StorageError) -> UInt64) throws(StorageError) {
            for row in 0..<count {
                // SAFETY: allocated above for as many rows.
                pairs.initializeElement(
                    at: row,
                    to: IndexEntry(value: try image(row), key: UInt64(bitPattern: view.key(row)))
                )
            }
        }
        if view.kind(column) == .int, view.states(column) == nil {
            // The images of integers lie as far from that of the base as they do.
            let data = view.data(column)
            let base = IndexValue.int(view.base(column))
            switch view.width(column) {
            case 0: try fill { _ in base }
            case 1: try fill { base &+ UInt64(data.load(fromByteOffset: $0, as: UInt8.self)) }
            case 2: try fill { base &+ UInt64(data.load(fromByteOffset: $0 &* 2, as: UInt16.self)) }
            case 4: try fill { base &+ UInt64(data.load(fromByteOffset: $0 &* 4, as: UInt32.self)) }
            default: try fill { base &+ data.load(fromByteOffset: $0 &* 8, as: UInt64.self) }
            }
        } else {
            try fill { row throws(StorageError) in try indexValue(column, view, row) }
        }
        index.insert(UnsafeBufferPointer(pairs))
    }

    /// The object whose indexed integer (or Bool) is `value`, the lowest key first.
    func firstKey(whereInt column: Int, is value: Int64) throws(StorageError) -> ObjectKey? {
        try find(whereInt: column, is: value)?.key
    }

    /// As `firstKey`, with the place where the object lies.
    func find(whereInt column: Int, is value: Int64) throws(StorageError) -> FoundRow? {
        try find(column, IndexValue.int(value)) { (view, row) in
            view.state(column, row) != 1 && view.int(column, row) == value
        }
    }

    /// The object whose indexed text or fixed bytes are `value`.
    func firstKey(
        whereBytes column: Int,
        are value: UnsafeRawBufferPointer
    ) throws(StorageError) -> ObjectKey? {
        try find(whereBytes: column, are: value)?.key
    }

    /// As `firstKey`, with the place where the object lies.
    func find(
        whereBytes column: Int,
        are value: UnsafeRawBufferPointer
    ) throws(StorageError) -> FoundRow? {
        let hash = IndexValue.bytes(value, seed: seed)
        return try find(column, hash) { (view, row) throws(StorageError) in
            guard view.state(column, row) != 1 else { return false }
            if view.heap == nil, agreesAtAGlance(column, view, row, value) { return true }
            let stored =
                view.kind(column) == .fixed
                ? view.fixed(column, row)
                : try bytes(view.payload, column: column, row: row)
            guard stored.count == value.count else { return false }
            view.prefetchText(row)
            guard let a = stored.baseAddress, let b = value.baseAddress else { return true }
            return memcmp(a, b, value.count) == 0
        }
    }

    /// Whether a text or data of a cluster whose heap part is not loaded is `value`, as far as can be
    /// told without loading it. A write that gets an object to change a number of it then never does.
    @inline(never)
    private func agreesAtAGlance(
        _ column: Int,
        _ view: ClusterView,
        _ row: Int,
        _ value: UnsafeRawBufferPointer
    ) -> Bool {
        guard let write = reader.write, view.kind(column) == .bytes, view.state(column, row) == 0
        else { return false }
        let address = cell(ordinal(of: view.firstKey)).heapAddress
        return write.glance(at: address) {
            ClusterHeap.glance($0, column: column, row: row, is: value)
        }
    }

    /// The object whose indexed value is nil.
    func firstKey(whereNil column: Int) throws(StorageError) -> ObjectKey? {
        try find(whereNil: column)?.key
    }

    /// As `firstKey`, with the place where the object lies.
    func find(whereNil column: Int) throws(StorageError) -> FoundRow? {
        try find(column, IndexValue.null) { (view, row) in view.state(column, row) == 1 }
    }

    /// The first object that stands in an index under `value` and that `accept` takes.
    @inline(__always)
    private func find(
        _ column: Int,
        _ value: UInt64,
        _ accept: (ClusterView, Int) throws(StorageError) -> Bool
    ) throws(StorageError) -> FoundRow? {
        if let pending = unretainedPending,
            pending._withUnsafeGuaranteedRef({ $0.surelyLacks(value, in: column) })
        {
            return nil
        }
        guard let index = index(column) else { return nil }
        let columnCount = base.definition.columns.count
        var found: RowLocation?
        let key = try index.first(equalTo: value, in: column, from: self) {
            (key: ObjectKey) throws(StorageError) -> Bool in
            guard let place = try locateAfar(key, columnCount),
                try accept(ClusterView(place.cluster), place.row)
            else { return false }
            found = place
            return true
        }
        guard let key, let found else { return nil }
        return FoundRow(key: key, location: found)
    }

    // MARK: - Back-links

    /// How many links of a column of this table lead to an object; never walks them.
    func sourceCount(of target: ObjectKey, through column: Int) throws(StorageError) -> Int {
        try index(column)?.count(equalTo: UInt64(target), from: self) ?? 0
    }

    /// The objects of this table whose link column leads to a target, ascending, as often as they
    /// do.
    func sources(of target: ObjectKey, through column: Int) throws(StorageError) -> [ObjectKey] {
        try index(column)?.keys(equalTo: UInt64(target), from: self) ?? []
    }
}
