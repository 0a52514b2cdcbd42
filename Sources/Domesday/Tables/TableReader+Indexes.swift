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
    func index(_ column: Int) -> ColumnIndex? {
        if let pending {
            if let overlay = pending.overlays[column] { return .changed(overlay) }
            guard pending.spaces.indexes[column] != nil else { return nil }
        }
        return base.indexes[column].map { .stored($0) }
    }

    /// The image of a stored value in its column's index.
    func indexValue(
        _ column: Int,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> UInt64 {
        if view.state(column, row) == 1 { return IndexValue.null }
        switch view.kind(column) {
        case .absent: return IndexValue.null
        case .int: return IndexValue.int(view.int(column, row))
        case .float: return IndexValue.double(Double(view.float(column, row)))
        case .double: return IndexValue.double(view.double(column, row))
        case .fixed: return IndexValue.bytes(view.fixed(column, row), seed: reader.store.seed)
        case .bytes:
            return IndexValue.bytes(
                try bytes(view.payload, column: column, row: row),
                seed: reader.store.seed
            )
        }
    }

    /// The object whose indexed integer (or Bool) is `value`, the lowest key first.
    func firstKey(whereInt column: Int, is value: Int64) throws(StorageError) -> ObjectKey? {
        guard let index = index(column) else { return nil }
        return try index.first(equalTo: IndexValue.int(value), from: self) {
            (key: ObjectKey) throws(StorageError) -> Bool in
            guard let place = try locate(key) else { return false }
            let view = ClusterView(place.cluster)
            return view.state(column, place.row) != 1 && view.int(column, place.row) == value
        }
    }

    /// The object whose indexed text or fixed bytes are `value`.
    func firstKey(
        whereBytes column: Int,
        are value: UnsafeRawBufferPointer
    ) throws(StorageError) -> ObjectKey? {
        guard let index = index(column) else { return nil }
        let hash = IndexValue.bytes(value, seed: reader.store.seed)
        return try index.first(equalTo: hash, from: self) {
            (key: ObjectKey) throws(StorageError) -> Bool in
            guard let place = try locate(key) else { return false }
            let view = ClusterView(place.cluster)
            guard view.state(column, place.row) != 1 else { return false }
            let stored =
                view.kind(column) == .fixed
                ? view.fixed(column, place.row)
                : try bytes(place.cluster, column: column, row: place.row)
            // Buffers that are not empty have an address.
            // swift-format-ignore: NeverForceUnwrap
            return stored.count == value.count
                && (value.isEmpty
                    || memcmp(stored.baseAddress!, value.baseAddress!, value.count) == 0)
        }
    }

    /// The object whose indexed value is nil.
    func firstKey(whereNil column: Int) throws(StorageError) -> ObjectKey? {
        guard let index = index(column) else { return nil }
        return try index.first(equalTo: IndexValue.null, from: self) {
            (key: ObjectKey) throws(StorageError) -> Bool in
            guard let place = try locate(key) else { return false }
            return ClusterView(place.cluster).state(column, place.row) == 1
        }
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
