import Testing

@testable import Domesday

/// What snapshots and overlays have in common, so that one comparison serves both.
protocol LeafLookups {
    var totalCount: Int { get }
    func first(
        equalTo value: UInt64,
        from source: some BlobSource,
        where accept: (UInt64) throws(StorageError) -> Bool
    ) throws(StorageError) -> UInt64?
    func forEach(
        equalTo value: UInt64,
        from source: some BlobSource,
        _ body: (UInt64) throws(StorageError) -> Bool
    ) throws(StorageError)
    func count(equalTo value: UInt64, from source: some BlobSource) throws(StorageError) -> Int
    func count(
        in range: ClosedRange<UInt64>,
        from source: some BlobSource
    ) throws(StorageError) -> Int
    func copies(of entry: IndexEntry, from source: some BlobSource) throws(StorageError) -> Int
    func forEach(
        in range: ClosedRange<UInt64>,
        reversed: Bool,
        from source: some BlobSource,
        _ body: (IndexEntry) throws(StorageError) -> Bool
    ) throws(StorageError)
}

extension IndexSnapshot: LeafLookups {}
extension IndexOverlay: LeafLookups {}

/// The obvious index: a sorted array.
struct LeafModel: Sendable {
    private(set) var entries: [IndexEntry] = []

    private func position(_ entry: IndexEntry) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle] < entry { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func insert(_ entry: IndexEntry) { entries.insert(entry, at: position(entry)) }

    mutating func remove(_ entry: IndexEntry) { entries.remove(at: position(entry)) }

    func slice(_ range: ClosedRange<UInt64>) -> ArraySlice<IndexEntry> {
        let start = position(IndexEntry(value: range.lowerBound, key: 0))
        let end =
            range.upperBound == .max
            ? entries.count : position(IndexEntry(value: range.upperBound + 1, key: 0))
        return entries[start..<end]
    }
}

extension LeafModel {
    /// Compares every lookup for some values.
    func compare(
        _ index: some LeafLookups,
        values: [UInt64],
        _ source: LeafSource,
        _ comment: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        func same<T: Equatable>(_ a: T, _ b: T) {
            #expect(a == b, comment, sourceLocation: sourceLocation)
        }
        same(index.totalCount, entries.count)
        for value in values {
            let keys = slice(value...value).map(\.key)
            var visited: [UInt64] = []
            try index.forEach(equalTo: value, from: source) { key in
                visited.append(key)
                return true
            }
            same(visited.sorted(), keys)
            same(try index.count(equalTo: value, from: source), keys.count)
            let wanted = keys.last
            same(try index.first(equalTo: value, from: source) { $0 == wanted }, wanted)
            let entry = IndexEntry(value: value, key: wanted ?? 5)
            same(
                try index.copies(of: entry, from: source),
                keys.filter { $0 == entry.key }.count
            )
        }
        for (a, b) in zip(values, values.dropFirst()) {
            try compareRange(index, min(a, b)...max(a, b), source, same)
        }
    }

    private func compareRange(
        _ index: some LeafLookups,
        _ range: ClosedRange<UInt64>,
        _ source: LeafSource,
        _ same: ([IndexEntry], [IndexEntry]) -> Void
    ) throws {
        let expected = slice(range)
        #expect(try index.count(in: range, from: source) == expected.count)
        for isReversed in [false, true] {
            // Not all: early stop is part of the claim.
            let limit = min(700, max(1, expected.count))
            var visited: [IndexEntry] = []
            try index.forEach(in: range, reversed: isReversed, from: source) { entry in
                visited.append(entry)
                return visited.count < limit
            }
            let ordered = isReversed ? Array(expected.reversed()) : Array(expected)
            same(visited, Array(ordered.prefix(limit)))
        }
    }
}
