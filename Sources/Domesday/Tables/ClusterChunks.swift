/// The chunks of a directory in their order, in groups that versions share.
///
/// **Shape.** Groups of 32 chunks, the last one of up to as many.
/// **Threads.** A value; any.
struct ClusterChunks: RandomAccessCollection, Sendable {
    typealias Chunk = ClusterDirectory.Chunk

    static let groupLimit = 32

    private var groups: ContiguousArray<ContiguousArray<Chunk>> = []
    private(set) var count = 0

    init() {}

    init(_ chunks: [Chunk]) {
        groups.reserveCapacity((chunks.count + Self.groupLimit - 1) / Self.groupLimit)
        for start in stride(from: 0, to: chunks.count, by: Self.groupLimit) {
            let end = Swift.min(start + Self.groupLimit, chunks.count)
            groups.append(ContiguousArray(chunks[start..<end]))
        }
        count = chunks.count
    }

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    /// - Complexity: O(1); set, O(groups + chunks of one) if another version shares them.
    subscript(position: Int) -> Chunk {
        get { groups[position / Self.groupLimit][position % Self.groupLimit] }
        set { groups[position / Self.groupLimit][position % Self.groupLimit] = newValue }
    }

    /// Whether the groups that begin at two places are the same object, so that all in them is.
    func sharesGroup(at position: Int, with other: ClusterChunks, at otherPosition: Int) -> Bool {
        guard position % Self.groupLimit == 0, otherPosition % Self.groupLimit == 0,
            position < count, otherPosition < other.count
        else { return false }
        return groups[position / Self.groupLimit].withUnsafeBufferPointer { group in
            other.groups[otherPosition / Self.groupLimit].withUnsafeBufferPointer {
                group.baseAddress == $0.baseAddress
            }
        }
    }

    /// How many chunks the group that begins at a place has.
    func groupCount(at position: Int) -> Int { groups[position / Self.groupLimit].count }
}
