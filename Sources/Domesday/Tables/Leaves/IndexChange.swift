/// Copies of one pair that a merge adds or removes.
struct IndexChange: IndexPair, Hashable, Sendable {
    let value: UInt64
    let key: UInt64
    /// Not 0.
    let delta: Int

    @inline(__always) var copies: Int { delta }
}

/// One copy of a pair that a merge removes.
struct IndexRemoval: IndexPair, Hashable, Sendable {
    let value: UInt64
    let key: UInt64

    @inline(__always) var copies: Int { -1 }
}

/// Everything that a merge changes, ascending, each pair once.
///
/// The kinds that a bulk insert or delete makes need no counts: what is sorted is a third smaller.
enum SortedChanges {
    case insertions(ContiguousArray<IndexEntry>)
    case removals(ContiguousArray<IndexRemoval>)
    case mixed(ContiguousArray<IndexChange>)
}
