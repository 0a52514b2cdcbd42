/// The clusters of a table at one version, in ascending order of their first keys.
///
/// **Shape.** Chunks of up to 256 cells; a version shares all chunks that it did not change. A
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

    static let chunkLimit = 256

    private(set) var chunks: ContiguousArray<Chunk> = []
    /// The first ordinal of each chunk.
    private(set) var starts: ContiguousArray<Int> = []
    private(set) var count = 0

    init() {}

    init(chunks: [Chunk]) {
        for chunk in chunks where !chunk.cells.isEmpty {
            self.chunks.append(chunk)
            starts.append(count)
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

    /// The place of an ordinal.
    func place(_ ordinal: Int) -> (chunk: Int, index: Int) {
        var chunk = min(ordinal / Self.chunkLimit, chunks.count - 1)
        while starts[chunk] > ordinal { chunk -= 1 }
        while chunk + 1 < starts.count, starts[chunk + 1] <= ordinal { chunk += 1 }
        return (chunk, ordinal - starts[chunk])
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
        guard !chunks.isEmpty, key >= chunks[0].firstKeys[0] else { return -1 }
        var low = 0
        var high = chunks.count
        while high - low > 1 {
            let middle = (low + high) >> 1
            if chunks[middle].firstKeys[0] <= key { low = middle } else { high = middle }
        }
        let keys = chunks[low].firstKeys
        // Full clusters of consecutive keys: the distance tells the place.
        let guess = min(Int((key - keys[0]) >> 8), keys.count - 1)
        var index = guess
        if keys[guess] > key || (guess + 1 < keys.count && keys[guess + 1] <= key) {
            var left = 0
            var right = keys.count
            while right - left > 1 {
                let middle = (left + right) >> 1
                if keys[middle] <= key { left = middle } else { right = middle }
            }
            index = left
        }
        return starts[low] + index
    }
}
