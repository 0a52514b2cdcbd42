import CRuntime

/// Brings the values of the next rows near while the present one is read: a row in no order waits
/// for memory five times, one address leading to the next.
///
/// **Shape.** A ring of the next rows, each at some stage between its cluster and its values.
/// **Threads.** The Realm's. `forget` whenever the reader's pointers end.
struct RowPrefetch {
    /// How many rows ahead each stage runs.
    private static let stages = (cluster: 16, heap: 12, ends: 8, values: 4)
    private static let size = 16

    private var payloads = ContiguousArray<UnsafeRawPointer?>(repeating: nil, count: size)
    private let columns: RowColumns
    private var isFilled = false

    init(_ columns: RowColumns) { self.columns = columns }

    mutating func forget() {
        if isFilled { for index in payloads.indices { payloads[index] = nil } }
        isFilled = false
    }

    /// Goes on by one row; `position` is the one that is read now.
    mutating func advance(
        _ position: Int,
        _ keys: ContiguousArray<ObjectKey>,
        _ table: TableReader
    ) {
        isFilled = true
        let first = position + Self.stages.cluster
        if first < keys.count {
            let payload = table.rememberedPayload(of: keys[first])
            payloads[first & (Self.size - 1)] = payload
            if let payload {
                domesday_prefetch(payload - 48)
                domesday_prefetch(payload + 63)
            }
        }
        if let view = view(position + Self.stages.heap, keys.count) {
            for column in columns.columns where column < view.columnCount {
                if view.kind(column) == .bytes, let heap = view.heap {
                    domesday_prefetch(heap + (16 + column * 16))
                } else {
                    domesday_prefetch(view.entry(column))
                }
            }
        }
        if let (view, row) = row(position + Self.stages.ends, keys) {
            for column in columns.columns where column < view.columnCount {
                if view.kind(column) == .bytes, let heap = view.heap {
                    let entry = heap + (16 + column * 16)
                    domesday_prefetch(heap + Int(entry.load(as: UInt32.self)) + row * 4)
                } else {
                    domesday_prefetch(view.data(column) + row * view.width(column))
                }
            }
        }
        if let (view, row) = row(position + Self.stages.values, keys), let heap = view.heap {
            for column in columns.columns
            where column < view.columnCount && view.kind(column) == .bytes {
                if let start = ClusterView.bytes(heap, column, row).baseAddress {
                    domesday_prefetch(start)
                }
            }
        }
    }

    private func view(_ position: Int, _ count: Int) -> ClusterView? {
        guard position < count else { return nil }
        return payloads[position & (Self.size - 1)].map { ClusterView($0) }
    }

    /// Only where rows lie by distance of keys: a search would wait for memory itself.
    private func row(
        _ position: Int,
        _ keys: ContiguousArray<ObjectKey>
    ) -> (ClusterView, Int)? {
        guard let view = view(position, keys.count), view.keyWidth == 0 else { return nil }
        let row = keys[position] - view.firstKey
        return row >= 0 && row < Int64(view.rowCount) ? (view, Int(row)) : nil
    }
}
