import Foundation

/// How the columns of one cluster are laid out: what a builder needs before it allocates.
struct ClusterShape {
    struct Column {
        var kind: ColumnKind
        /// Bytes per row; for `int` 0, 1, 2, 4 or 8, for `bytes` 0.
        var width: Int
        /// Added to every stored integer; 0 when `width` is 8.
        var base: Int64
        var hasStates: Bool
    }

    var columns: [Column]
    var rowCapacity: Int
    /// 0 when keys are consecutive.
    var keyWidth: Int
    var firstKey: ObjectKey

    /// Objects in a full cluster.
    static let rowLimit = 256

    /// The shape of a cluster that is being filled: every integer fits, every optional has states.
    static func wide(_ columns: [ColumnDefinition], firstKey: ObjectKey) -> ClusterShape {
        ClusterShape(
            columns: columns.map { column in
                Column(
                    kind: column.kind,
                    width: column.wideWidth,
                    base: 0,
                    hasStates: column.hasNilState
                )
            },
            rowCapacity: rowLimit,
            keyWidth: 0,
            firstKey: firstKey
        )
    }

    /// The narrowest width and a base for integers between two values, with room on both sides.
    static func packing(low: Int64, high: Int64) -> (width: Int, base: Int64) {
        let span = UInt64(bitPattern: high &- low)
        if span == 0 { return (0, low) }
        for width in [1, 2, 4] {
            let limit = (UInt64(1) << UInt64(width * 8)) - 1
            if span > limit { continue }
            let slack = Int64((limit - span) / 2)
            let (lowered, overflow) = low.subtractingReportingOverflow(slack)
            let base = overflow ? Int64.min : lowered
            return (width, min(base, Int64.max - Int64(limit)))
        }
        return (8, 0)
    }

    /// The greatest offset a width can hold.
    static func limit(width: Int) -> UInt64 {
        width == 0 ? 0 : (UInt64(1) << UInt64(width * 8)) - 1
    }

    /// Allocates an empty fixed part of this shape.
    func makeFixed() -> BlobBuffer {
        var offset = ClusterView.headerByteCount + columns.count * ClusterView.columnByteCount
        func reserve(_ byteCount: Int) -> Int {
            let start = (offset + 7) & ~7
            offset = start + byteCount
            return start
        }
        let keyOffset = keyWidth == 0 ? 0 : reserve(keyWidth * rowCapacity)
        let places = columns.map { column -> (data: Int, states: Int) in
            let data = column.width == 0 ? 0 : reserve(column.width * rowCapacity)
            return (data, column.hasStates ? reserve(rowCapacity) : 0)
        }
        let buffer = BlobBuffer(payloadByteCount: (offset + 7) & ~7)
        let payload = buffer.payload
        payload.storeBytes(of: UInt32(rowCapacity), toByteOffset: 4, as: UInt32.self)
        payload.storeBytes(of: UInt32(columns.count), toByteOffset: 8, as: UInt32.self)
        payload.storeBytes(of: UInt32(keyWidth), toByteOffset: 12, as: UInt32.self)
        payload.storeBytes(of: firstKey, toByteOffset: 16, as: Int64.self)
        payload.storeBytes(of: UInt32(keyOffset), toByteOffset: 24, as: UInt32.self)
        for (id, column) in columns.enumerated() {
            let entry =
                payload + ClusterView.headerByteCount + id * ClusterView.columnByteCount
            entry.storeBytes(of: column.kind.rawValue, as: UInt8.self)
            entry.storeBytes(of: UInt8(column.width), toByteOffset: 1, as: UInt8.self)
            entry.storeBytes(of: UInt32(places[id].states), toByteOffset: 4, as: UInt32.self)
            entry.storeBytes(of: UInt32(places[id].data), toByteOffset: 8, as: UInt32.self)
            entry.storeBytes(of: column.base, toByteOffset: 16, as: Int64.self)
        }
        return buffer
    }
}

extension ColumnDefinition {
    /// Bytes per row in a cluster that is being filled.
    var wideWidth: Int {
        switch kind {
        case .absent, .bytes: 0
        case .int: type == .bool ? 1 : 8
        case .float, .double, .fixed: type.byteCount
        }
    }

    /// Whether a new object starts with nil in this column.
    var hasNilState: Bool { isOptional && shape == .none && type != .link && !isRemoved }
}

extension ClusterView {
    /// The shape this cluster has now.
    var shape: ClusterShape {
        ClusterShape(
            columns: (0..<columnCount).map { id in
                ClusterShape.Column(
                    kind: kind(id),
                    width: width(id),
                    base: base(id),
                    hasStates: states(id) != nil
                )
            },
            rowCapacity: rowCapacity,
            keyWidth: keyWidth,
            firstKey: firstKey
        )
    }

    func kind(_ column: Int) -> ColumnKind {
        ColumnKind(rawValue: entry(column).load(as: UInt8.self)) ?? .absent
    }

    /// The least and greatest integer of a column among some rows.
    func bounds(ofInt column: Int, rows: some Sequence<Int>) -> (low: Int64, high: Int64) {
        var low = Int64.max
        var high = Int64.min
        for row in rows {
            let value = int(column, row)
            low = min(low, value)
            high = max(high, value)
        }
        return low > high ? (0, 0) : (low, high)
    }
}
