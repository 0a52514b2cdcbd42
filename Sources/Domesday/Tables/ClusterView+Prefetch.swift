import CRuntime

// Asks for memory before it is read. A look-up by key comes to a cluster that nobody used for long,
// and would wait for one line after another, each address read from the line before: header, entry of
// a column, value, heap, ends, text. Where these lie can be told or guessed earlier.
//
// Nothing depends on a guess: a wrong address costs a line of the cache and is never read.
extension ClusterView {
    /// Columns beyond these are left alone.
    private static let columnLimit = 8

    /// The header, the first columns' entries and the heap's address, before any of them was read.
    @inline(__always)
    static func prefetchDirectory(_ payload: UnsafeRawPointer, columnCount: Int) {
        domesday_prefetch(payload - 48)
        let byteCount = headerByteCount + min(columnCount, columnLimit) * columnByteCount
        for offset in stride(from: 0, to: byteCount, by: 64) { domesday_prefetch(payload + offset) }
    }

    /// A row's numbers, and the ends of its byte strings.
    @inline(__always)
    func prefetchValues(_ row: Int) {
        var ends: UnsafeRawPointer?
        if let heap {
            domesday_prefetch(heap)
            domesday_prefetch(heap + 64)
            // The ends of all columns follow the directory, one column after the other.
            let offset = Self.heapHeaderByteCount &+ columnCount &* Self.heapColumnByteCount
            ends = heap + (offset &+ row &* 4)
        }
        let endsByteCount = (rowCapacity &+ 1) &* 4
        for column in 0..<min(columnCount, Self.columnLimit) {
            if kind(column) == .bytes {
                if let place = ends {
                    domesday_prefetch(place)
                    ends = place + endsByteCount
                }
            } else {
                domesday_prefetch(data(column) + row &* width(column))
            }
        }
    }

    /// The beginnings of a row's byte strings.
    @inline(__always)
    func prefetchText(_ row: Int) {
        guard let heap else { return }
        for column in 0..<min(columnCount, Self.columnLimit) where kind(column) == .bytes {
            if let start = Self.bytes(heap, column, row).baseAddress { domesday_prefetch(start) }
        }
    }
}
