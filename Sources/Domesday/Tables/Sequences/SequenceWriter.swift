import Foundation

/// A leaf that a transaction has changed: a private copy with room to grow.
///
/// **Threads.** The writer's.
final class LeafCopy {
    private var buffer: BlobBuffer
    /// The stored leaf, if it is known: what a difference can be written from.
    let stored: BlobBuffer?

    init(_ bytes: UnsafeRawBufferPointer, room: Int, stored: BlobBuffer?) {
        self.stored = stored
        buffer = BlobBuffer(payloadByteCount: max(bytes.count, room))
        buffer.payloadByteCount = bytes.count
        if let source = bytes.baseAddress { memcpy(buffer.payload, source, bytes.count) }
    }

    /// Valid until the next change.
    var bytes: UnsafeRawBufferPointer { buffer.payloadBytes }
    var capacity: Int { buffer.payloadCapacity }

    /// - Precondition: the result fits in the capacity.
    func splice(at offset: Int, removing removedCount: Int, inserting new: [UInt8]) {
        let old = buffer.payloadByteCount
        let count = old - removedCount + new.count
        precondition(offset + removedCount <= old && count <= capacity, "splice leaves the leaf")
        let start = buffer.payload + offset
        // SAFETY: both ends are within the buffer, as checked.
        memmove(start + new.count, start + removedCount, old - offset - removedCount)
        new.withUnsafeBytes { if let source = $0.baseAddress { memcpy(start, source, $0.count) } }
        buffer.payloadByteCount = count
    }

    /// The leaf as it is stored.
    func blob() -> BlobBuffer {
        let blob = BlobBuffer(payloadByteCount: bytes.count)
        if let source = bytes.baseAddress { memcpy(blob.payload, source, bytes.count) }
        return blob
    }
}

/// Changes a long collection: its leaves, and what the root says of them.
///
/// **Threads.** The writer's. Valid for one change.
struct SequenceWriter {
    /// The transaction's own.
    let tree: SequenceTree
    let changes: PendingTable
    let byteLimit: Int
    /// The version that the transaction makes.
    let version: UInt64

    private var layout: SequenceLayout { tree.layout }

    /// Replaces some elements.
    ///
    /// - Complexity: O(log *leaves* + elements of the leaves that are touched + new ones).
    func replace(_ range: Range<Int>, with new: EncodedElements) throws(StorageError) {
        guard range.lowerBound >= 0, range.upperBound <= tree.count else {
            throw tree.damaged("elements")
        }
        var first = tree.leaf(at: range.lowerBound)
        if range.isEmpty, first > 0, range.lowerBound == tree.start(first) { first -= 1 }
        let last = range.isEmpty ? first : tree.leaf(at: range.upperBound - 1)
        if tree.root.leaves.isEmpty { return try cut(new, into: 0..<0) }
        if first == last, try spliceLeaf(first, range, new) {
            return try join(first)
        }
        let isAppended = range.lowerBound == tree.count
        if isAppended {
            // The leaf in front stays: whoever appends on and on fills all.
            try cut(new, into: (last + 1)..<(last + 1))
            return try mendSeparator(behind: last)
        }
        var all = EncodedElements(layout)
        let head = tree.positions(first)
        let tail = tree.positions(last)
        guard
            try tree.leaf(first)
                .appendElements(0..<(range.lowerBound - head.lowerBound), to: &all)
        else { throw tree.damaged("leaf \(first)") }
        all.append(contentsOf: new)
        let rest = (max(range.upperBound, tail.lowerBound) - tail.lowerBound)..<tail.count
        guard try tree.leaf(last).appendElements(rest, to: &all) else {
            throw tree.damaged("leaf \(last)")
        }
        let countBefore = tree.root.leaves.count
        try cut(all, into: first..<(last + 1))
        let end = last + tree.root.leaves.count - countBefore
        try mendSeparator(behind: first - 1)
        try mendSeparator(behind: end)
        if end >= first { try join(end) }
        if first < end { try join(first) }
    }

    /// Changes elements within one leaf; false, with nothing changed, if it would be too large or
    /// empty.
    private func spliceLeaf(
        _ index: Int,
        _ range: Range<Int>,
        _ new: EncodedElements
    ) throws(StorageError) -> Bool {
        let stored = try tree.leaf(index)
        var leaf = tree.root.leaves[index]
        let start = tree.start(index)
        let part = (range.lowerBound - start)..<(range.upperBound - start)
        let isFirst = part.lowerBound == 0
        let isLast = part.upperBound == leaf.count
        guard let change = stored.replacing(part, with: new) else {
            throw tree.damaged("leaf \(index)")
        }
        leaf.count += new.count - range.count
        leaf.byteCount += change.inserted.count - change.removed.count
        guard leaf.count > 0, leaf.byteCount <= byteLimit else { return false }
        changes.copy(of: leaf, table: tree.table, room: byteLimit, holding: stored)
            .splice(
                at: change.removed.lowerBound,
                removing: change.removed.count,
                inserting: change.inserted
            )
        leaf.version = version
        tree.set(leaf, at: index)
        if isFirst { try mendSeparator(behind: index - 1) }
        if isLast { try mendSeparator(behind: index) }
        return true
    }

    /// Joins a leaf that has become small with a neighbour, if both are not too large together.
    private func join(_ index: Int) throws(StorageError) {
        let leaves = tree.root.leaves
        guard leaves.count > 1, leaves[index].byteCount < byteLimit / 4 else { return }
        func fits(_ other: Int) -> Bool {
            leaves.indices.contains(other)
                && leaves[index].byteCount + leaves[other].byteCount <= byteLimit / 4 * 3
        }
        guard let other = [index - 1, index + 1].first(where: fits) else { return }
        let pair = min(index, other)...max(index, other)
        var all = EncodedElements(layout)
        for index in pair {
            guard try tree.leaf(index).appendElements(0..<leaves[index].count, to: &all) else {
                throw tree.damaged("leaf \(index)")
            }
        }
        try cut(all, into: Range(pair))
    }

    // MARK: Cutting

    /// Makes leaves of elements, in the place of others, and their separators among themselves.
    private func cut(
        _ all: EncodedElements,
        into range: Range<Int>
    ) throws(StorageError) {
        let parts = Self.parts(of: all, byteLimit)
        let old = Array(tree.root.leaves[range])
        var leaves: [SequenceRoot.Leaf] = []
        for (position, part) in parts.enumerated() {
            let bytes = all.stored(part)
            let number = position < old.count ? old[position].number : changes.takeLongNumber()
            changes.setLeaf(number, bytes, room: byteLimit, table: tree.table)
            leaves.append(
                SequenceRoot.Leaf(
                    number: number,
                    version: version,
                    count: part.count,
                    byteCount: bytes.count
                )
            )
        }
        for leaf in old.dropFirst(parts.count) { changes.dropLong(leaf.number) }
        let leafCount = tree.root.leaves.count
        tree.replace(range, with: leaves)
        if layout.isSorted { try separate(all, parts, in: range, of: leafCount) }
    }

    /// - Parameter leafCount: before.
    private func separate(
        _ all: EncodedElements,
        _ parts: [Range<Int>],
        in range: Range<Int>,
        of leafCount: Int
    ) throws(StorageError) {
        var separators = EncodedElements(layout)
        for index in parts.indices.dropFirst() {
            let first = parts[index].lowerBound
            all.withElement(first - 1) { left in
                all.withElement(first) { separators.append(separating: left, from: $0) }
            }
        }
        var replaced = range.lowerBound..<max(range.upperBound - 1, range.lowerBound)
        if range.isEmpty {
            // Leaves behind all others: one more separator, in front of them.
            guard range.lowerBound > 0, let first = parts.first else {
                return try tree.replaceSeparators(0..<0, with: separators)
            }
            let left = try tree.leaf(range.lowerBound - 1)
            guard let last = left.element(tree.root.leaves[range.lowerBound - 1].count - 1) else {
                throw tree.damaged("leaf \(range.lowerBound - 1)")
            }
            var more = EncodedElements(layout)
            all.withElement(first.lowerBound) { more.append(separating: last, from: $0) }
            more.append(contentsOf: separators)
            separators = more
            replaced = (range.lowerBound - 1)..<(range.lowerBound - 1)
        } else if parts.isEmpty {
            // With leaves that go, one more separator goes: the one in front, or behind the first.
            replaced =
                range.lowerBound > 0
                ? (range.lowerBound - 1)..<(range.upperBound - 1)
                : 0..<min(range.upperBound, leafCount - 1)
        }
        try tree.replaceSeparators(replaced, with: separators)
    }

    /// Gives a leaf and the one behind it another separator if theirs does not separate them any
    /// more.
    private func mendSeparator(behind index: Int) throws(StorageError) {
        guard layout.isSorted, index >= 0, index + 1 < tree.root.leaves.count else { return }
        let left = try tree.leaf(index)
        let right = try tree.leaf(index + 1)
        guard let last = left.element(tree.root.leaves[index].count - 1),
            let first = right.element(0)
        else { throw tree.damaged("leaf \(index)") }
        let separates = tree.root.separators.withUnsafeBytes { bytes in
            StoredSequence(layout, bytes)?.element(index).map {
                layout.order(last, $0) < 0 && layout.order($0, first) <= 0
            }
        }
        guard separates != true else { return }
        var separator = EncodedElements(layout)
        separator.append(separating: last, from: first)
        try tree.replaceSeparators(index..<(index + 1), with: separator)
    }

    /// Which elements go together into a leaf: about as many bytes in each, none above the limit but
    /// of one element.
    private static func parts(of all: EncodedElements, _ byteLimit: Int) -> [Range<Int>] {
        if all.count == 0 { return [] }
        let extra = all.layout.isTabled ? 4 : 0
        let byteCount = all.bytes.count + extra * (all.count + 1)
        if byteCount <= byteLimit { return [0..<all.count] }
        let usual = byteLimit - byteLimit / 8
        let target = byteCount / ((byteCount + usual - 1) / usual) + 1
        var parts: [Range<Int>] = []
        var start = 0
        var used = extra
        for index in 0..<all.count {
            let size = all.range(index).count + extra
            if index > start, used >= target || used + size > byteLimit {
                parts.append(start..<index)
                start = index
                used = extra
            }
            used += size
        }
        parts.append(start..<all.count)
        return parts
    }
}

extension PendingTable {
    /// A number for a long value, a root or a leaf.
    func takeLongNumber() -> Int64 {
        defer { nextLongValue += 1 }
        return nextLongValue
    }

    /// Gives up a long value, a root or a leaf.
    func dropLong(_ number: Int64) {
        let isPending = longValues.removeValue(forKey: number) != nil
        let isCopied = leaves.removeValue(forKey: number) != nil
        let isTree = trees.removeValue(forKey: number) != nil
        let isOwn = number >= base.nextLongValue && !hasFlushedLongValues
        if isOwn, isPending || isCopied || isTree { return }
        droppedLongValues.append(number)
    }

    /// The transaction's copy of a leaf, made at the first change.
    fileprivate func copy(
        of leaf: SequenceRoot.Leaf,
        table: TableReader,
        room: Int,
        holding stored: StoredSequence
    ) -> LeafCopy {
        if let copy = leaves[leaf.number], copy.capacity >= leaf.byteCount { return copy }
        let known = leaves[leaf.number]?.stored ?? table.pinnedInMemory(leaf.number)
        let copy = LeafCopy(stored.bytes, room: max(room, leaf.byteCount), stored: known)
        leaves[leaf.number] = copy
        table.reader.write?.noteDirty(copy.capacity)
        return copy
    }

    /// Gives a leaf other bytes.
    fileprivate func setLeaf(_ number: Int64, _ bytes: [UInt8], room: Int, table: TableReader) {
        let known = leaves[number]?.stored ?? table.pinnedInMemory(number)
        let copy = bytes.withUnsafeBytes { LeafCopy($0, room: room, stored: known) }
        if leaves[number] == nil { table.reader.write?.noteDirty(copy.capacity) }
        leaves[number] = copy
    }
}
