/// One pair of an index, ordered by value, then key.
///
/// **Shape.** Primary key: hash, object key. Secondary index: order-preserving value, object key.
/// Back-links: target key, source key.
struct IndexEntry: IndexPair, Hashable, Sendable, Comparable {
    let value: UInt64
    let key: UInt64

    @inline(__always) var copies: Int { 1 }

    @inline(__always)
    static func < (a: Self, b: Self) -> Bool {
        a.value != b.value ? a.value < b.value : a.key < b.key
    }
}

/// A pair and how many copies of it there are: what leaves and their changes are made of.
protocol IndexPair: BitwiseCopyable {
    var value: UInt64 { get }
    var key: UInt64 { get }
    /// In a change, copies that come; below 0, that go.
    var copies: Int { get }
}

extension IndexPair {
    @inline(__always) var entry: IndexEntry { IndexEntry(value: value, key: key) }
}

/// A pair and how many times an index holds it; at least once.
struct IndexRun: IndexPair, Hashable, Sendable {
    let value: UInt64
    let key: UInt64
    var copies: Int
}
