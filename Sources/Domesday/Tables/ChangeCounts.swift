/// Counts what happens to one table as one reader sees it, so that a query can tell whether
/// anything that it read may have changed.
///
/// **Shape.** One count for objects that come and go, and one per column, which far columns share.
/// **Threads.** The reader's. The memory lives as long as the reader, whatever becomes of the table.
@frozen
@usableFromInline
struct ChangeCounts {
    @usableFromInline let counts: UnsafeMutablePointer<UInt64>

    @usableFromInline static var columnMask: Int { 63 }

    static func allocate() -> ChangeCounts {
        let counts = UnsafeMutablePointer<UInt64>.allocate(capacity: columnMask + 2)
        counts.initialize(repeating: 0, count: columnMask + 2)
        return ChangeCounts(counts: counts)
    }

    @usableFromInline
    init(counts: UnsafeMutablePointer<UInt64>) { self.counts = counts }

    func deallocate() { counts.deallocate() }

    @inline(__always)
    func noteObjects() { counts[0] &+= 1 }

    @inlinable
    @inline(__always)
    func noteChange(_ column: Int) { counts[1 &+ (column & Self.columnMask)] &+= 1 }

    var objects: UInt64 { counts[0] }

    func changes(of column: Int) -> UInt64 { counts[1 + (column & Self.columnMask)] }
}
