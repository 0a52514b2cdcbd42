/// The clusters of a table at one version, in ascending order of their first keys.
///
/// **Shape.** Chunks of up to 16 cells; a version shares all chunks that it did not change, and all
/// groups of chunks (``ClusterChunks``), so a small commit retains the cells of one chunk, the chunks
/// of one group and the other groups: about 50 references at a million objects, 120 at ten million. A
/// cluster's ordinal counts over all chunks. Nothing here grows with the objects ever inserted.
/// **Threads.** Immutable; any.
struct ClusterDirectory: Sendable {
    /// The cells of some neighbouring clusters.
    final class Chunk: Sendable {
        let firstKeys: ContiguousArray<ObjectKey>
        let cells: ContiguousArray<ClusterCell>

        init(firstKeys: ContiguousArray<ObjectKey>, cells: ContiguousArray<ClusterCell>) {
            self.firstKeys = firstKeys
            self.cells = cells
        }
    }

    static let chunkLimit = 16
    /// Keys that a full chunk spans in a table without gaps.
    private static let chunkSpan = ObjectKey(chunkLimit * ClusterShape.rowLimit)

    private(set) var chunks = ClusterChunks()
    /// The first ordinal of each chunk.
    private(set) var starts: ContiguousArray<Int> = []
    /// The first key of each chunk, side by side for the search.
    private var chunkKeys: ContiguousArray<ObjectKey> = []
    private(set) var count = 0

    init() {}

    init(chunks: [Chunk]) {
        let chunks = chunks.filter { !$0.cells.isEmpty }
        self.chunks = ClusterChunks(chunks)
        for chunk in chunks {
            starts.append(count)
            chunkKeys.append(chunk.firstKeys[0])
            count += chunk.cells.count
        }
    }

    /// Cuts entries into chunks.
    static func chunks(_ entries: [(ObjectKey, ClusterCell)]) -> [Chunk] {
        stride(from: 0, to: entries.count, by: chunkLimit).map { start in
            let part = entries[start..<min(start + chunkLimit, entries.count)]
            return Chunk(
                firstKeys: ContiguousArray(part.map(\.0)),
                cells: ContiguousArray(part.map(\.1))
            )
        }
    }

    /// The same clusters, some of them in other versions.
    ///
    /// - Parameter cells: by ordinal.
    /// - Complexity: O(groups + chunks of the groups and cells of the chunks that change).
    func replacing(_ cells: [Int: ClusterCell]) -> ClusterDirectory {
        var result = self
        let replaced = cells.sorted { $0.key < $1.key }
        var position = 0
        while position < replaced.count {
            let number = place(replaced[position].key).chunk
            let start = starts[number]
            var changed = chunks[number].cells
            while position < replaced.count, replaced[position].key - start < changed.count {
                changed[replaced[position].key - start] = replaced[position].value
                position += 1
            }
            result.chunks[number] = Chunk(firstKeys: chunks[number].firstKeys, cells: changed)
        }
        return result
    }

    /// The place of an ordinal.
    ///
    /// - Complexity: O(1) where all chunks are full, else O(log chunks).
    func place(_ ordinal: Int) -> (chunk: Int, index: Int) {
        let guess = min(ordinal / Self.chunkLimit, chunks.count - 1)
        let chunk = Self.last(of: starts, notAbove: ordinal, guess: guess)
        return (chunk, ordinal - starts[chunk])
    }

    /// The last index whose number is `value` or less; the first number is.
    @inline(__always)
    private static func last<Number: FixedWidthInteger>(
        of numbers: ContiguousArray<Number>,
        notAbove value: Number,
        guess: Int
    ) -> Int {
        if numbers[guess] <= value, guess + 1 == numbers.count || numbers[guess + 1] > value {
            return guess
        }
        var low = 0
        var high = numbers.count
        while high - low > 1 {
            let middle = (low + high) >> 1
            if numbers[middle] <= value { low = middle } else { high = middle }
        }
        return low
    }

    func cell(_ ordinal: Int) -> ClusterCell {
        let (chunk, index) = place(ordinal)
        return chunks[chunk].cells[index]
    }

    func firstKey(_ ordinal: Int) -> ObjectKey {
        let (chunk, index) = place(ordinal)
        return chunks[chunk].firstKeys[index]
    }

    /// The cluster that holds a key if any does; -1 when it lies before all.
    ///
    /// - Complexity: O(1) in a table without gaps, else O(log clusters).
    func ordinal(of key: ObjectKey) -> Int {
        guard !chunkKeys.isEmpty, key >= chunkKeys[0] else { return -1 }
        // Full clusters of consecutive keys: the distance tells the place.
        let number = Self.last(
            of: chunkKeys,
            notAbove: key,
            guess: min(Int((key - chunkKeys[0]) / Self.chunkSpan), chunkKeys.count - 1)
        )
        let keys = chunks[number].firstKeys
        let guess = min(Int((key - keys[0]) >> 8), keys.count - 1)
        return starts[number] + Self.last(of: keys, notAbove: key, guess: guess)
    }
}
