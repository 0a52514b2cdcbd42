/// A long collection: its root in memory, its leaves read as they are needed.
///
/// **Threads.** Its table's. One that a frozen table has read does not change, and any thread may use
/// it.
final class SequenceTree {
    // SAFETY: a table owns its trees, and a transaction's are gone before the table.
    unowned(unsafe) let table: TableReader
    /// The root's among the table's long values.
    let number: Int64
    @exclusivity(unchecked) private(set) var root: SequenceRoot
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private(set) var byteCount = 0
    /// The position of each leaf's first element; right for the first `knownStartCount` leaves.
    @exclusivity(unchecked) private var starts: [Int] = []
    @exclusivity(unchecked) private var knownStartCount = 0

    var layout: SequenceLayout { root.layout }

    init(_ root: SequenceRoot, number: Int64, of table: TableReader) {
        self.root = root
        self.number = number
        self.table = table
        starts.reserveCapacity(root.leaves.count)
        for leaf in root.leaves {
            starts.append(count)
            count += leaf.count
            byteCount += leaf.byteCount
        }
        knownStartCount = starts.count
    }

    // MARK: Changing what the root says

    /// Notes that a leaf has become another.
    func set(_ leaf: SequenceRoot.Leaf, at index: Int) {
        let old = root.leaves[index]
        count += leaf.count - old.count
        byteCount += leaf.byteCount - old.byteCount
        root.leaves[index] = leaf
        knownStartCount = min(knownStartCount, index + 1)
    }

    /// Puts leaves in the place of others.
    func replace(_ range: Range<Int>, with leaves: [SequenceRoot.Leaf]) {
        for leaf in root.leaves[range] {
            count -= leaf.count
            byteCount -= leaf.byteCount
        }
        for leaf in leaves {
            count += leaf.count
            byteCount += leaf.byteCount
        }
        root.leaves.replaceSubrange(range, with: leaves)
        starts.replaceSubrange(range, with: repeatElement(0, count: leaves.count))
        knownStartCount = min(knownStartCount, range.lowerBound)
    }

    /// Puts separators in the place of others.
    func replaceSeparators(_ range: Range<Int>, with new: EncodedElements) throws(StorageError) {
        let change = root.separators.withUnsafeBytes {
            StoredSequence(layout, $0)?.replacing(range, with: new)
        }
        guard let change else { throw damaged("separators") }
        root.separators.replaceSubrange(change.removed, with: change.inserted)
    }

    // MARK: Leaves

    func damaged(_ detail: String) -> StorageError {
        let address = BlobAddress(space: table.spaces.long, id: number)
        return table.reader.snapshot.damaged(address, "\(detail) of a collection")
    }

    /// The position of a leaf's first element.
    ///
    /// - Complexity: O(1) amortized over the leaves in front that were changed.
    func start(_ index: Int) -> Int {
        while knownStartCount <= index {
            starts[knownStartCount] =
                knownStartCount == 0
                ? 0 : starts[knownStartCount - 1] + root.leaves[knownStartCount - 1].count
            knownStartCount += 1
        }
        return starts[index]
    }

    /// The positions of a leaf's elements.
    func positions(_ index: Int) -> Range<Int> {
        let start = start(index)
        return start..<(start + root.leaves[index].count)
    }

    /// The leaf with the element at a position; the last one for the position behind all.
    ///
    /// - Complexity: O(log *leaves*), and as `start`.
    func leaf(at position: Int) -> Int {
        while knownStartCount < root.leaves.count,
            knownStartCount == 0 || position >= positions(knownStartCount - 1).upperBound
        {
            _ = start(knownStartCount)
        }
        var low = 0
        var high = knownStartCount
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= position { low = middle } else { high = middle }
        }
        return low
    }

    /// A leaf's elements.
    func leaf(_ index: Int) throws(StorageError) -> StoredSequence {
        let leaf = root.leaves[index]
        let bytes = try table.bytes(of: leaf)
        guard let elements = StoredSequence(layout, bytes), elements.hasCount(leaf.count) else {
            throw damaged("leaf \(index)")
        }
        return elements
    }

    /// As `leaf`; nil, with the error noted, if that fails.
    private func leafIfSound(_ index: Int) -> StoredSequence? {
        do throws(StorageError) { return try leaf(index) } catch {
            table.noteSequenceFailure(error)
            return nil
        }
    }

    /// Reads all leaves, so that reading elements afterwards cannot fail.
    func loadAll() throws(StorageError) {
        for index in root.leaves.indices { _ = try leaf(index) }
    }

    // MARK: Elements

    func element(_ position: Int) -> UnsafeRawBufferPointer? {
        guard position >= 0, position < count else { return nil }
        let index = leaf(at: position)
        return leafIfSound(index)?.element(position - starts[index])
    }

    /// Calls `body` with each leaf that has elements in a range, and which of its elements those are,
    /// until it returns false.
    ///
    /// - Returns: false if a leaf is damaged.
    func forEachLeaf(
        in range: Range<Int>? = nil,
        _ body: (StoredSequence, Range<Int>) -> Bool
    ) -> Bool {
        let range = range ?? 0..<count
        guard range.lowerBound >= 0, range.upperBound <= count else { return false }
        if range.isEmpty { return true }
        var index = leaf(at: range.lowerBound)
        while index < root.leaves.count {
            let own = positions(index)
            if own.lowerBound >= range.upperBound { break }
            guard let leaf = leafIfSound(index) else { return false }
            let part = own.clamped(to: range)
            let inside = (part.lowerBound - own.lowerBound)..<(part.upperBound - own.lowerBound)
            if !body(leaf, inside) { return true }
            index += 1
        }
        return true
    }

    func search(_ wanted: UnsafeRawBufferPointer) -> (position: Int, isFound: Bool)? {
        guard let index = root.leaf(of: wanted), index < root.leaves.count,
            let found = leafIfSound(index)?.search(wanted)
        else { return nil }
        return (start(index) + found.position, found.isFound)
    }
}
