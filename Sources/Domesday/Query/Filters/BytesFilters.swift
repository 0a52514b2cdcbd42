import CRuntime
import Foundation

/// Rows whose text or data matches.
final class TextFilter: RowFilter {
    let column: Int
    let match: TextMatch

    init(_ table: TableReader, _ column: Int, _ match: TextMatch) {
        self.column = column
        self.match = match
        super.init(table)
    }

    override var cost: Double {
        switch match.operation {
        case .equal, .notEqual: match.options.isEmpty ? 2 : 10
        case .beginsWith, .endsWith: 5
        case .contains: match.options.isEmpty ? 10 : 40
        case .like: 40
        }
    }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        if view.state(column, row) == 1 { return match.matches(nil) }
        return match.matches(try table.bytes(view.payload, column: column, row: row))
    }

    override func narrow(_ mask: RowMask, _ view: ClusterView) throws(StorageError) {
        guard let needle = match.original else { return try super.narrow(mask, view) }
        let text = HeapColumn(try table.heap(view), column)
        try narrow(mask, view, byHeapOf: column, nilMatches: match.matches(nil)) {
            narrow(mask, text, needle)
        }
    }

    private func narrow(_ mask: RowMask, _ text: HeapColumn, _ needle: [UInt8]) {
        if match.options.isEmpty {
            switch match.operation {
            case .equal: return text.narrow(mask, equalTo: needle, flip: 0)
            case .notEqual: return text.narrow(mask, equalTo: needle, flip: 1)
            case .contains where !needle.isEmpty: return text.narrow(mask, containing: needle)
            default: break
            }
        } else if match.operation == .beginsWith, !needle.isEmpty, let folded = match.foldedASCII {
            return text.narrow(mask, beginningWith: folded, match)
        }
        for row in 0..<mask.count where mask.isSet(row) {
            mask.bytes[row] = match.matches(text.value(row)) ? 1 : 0
        }
    }
}

extension RowFilter {
    /// Narrows by what stands in the heap part, and asks `matches` of each row whose value does not,
    /// being long.
    func narrow(
        _ mask: RowMask,
        _ view: ClusterView,
        byHeapOf column: Int,
        nilMatches: Bool,
        _ body: () -> Void
    ) throws(StorageError) {
        guard let states = view.states(column) else { return body() }
        if !nilMatches, !mask.removeNils(states) { return body() }
        // By row: whether it matches, or that the heap part tells.
        let isInHeap: UInt8 = 2
        let others = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: mask.count)
        defer { others.deallocate() }
        for row in 0..<mask.count {
            // SAFETY: one byte a row, in both.
            let state = states.load(fromByteOffset: row, as: UInt8.self)
            others[row] = isInHeap
            if state == 0 || !mask.isSet(row) { continue }
            let isMatch = try state == 1 ? nilMatches : matches(view, row)
            others[row] = isMatch ? 1 : 0
        }
        body()
        for row in 0..<mask.count where others[row] != isInHeap { mask.bytes[row] = others[row] }
    }
}

extension RowMask {
    /// Takes away the rows that are nil.
    ///
    /// - Returns: Whether some of the values are long.
    fileprivate func removeNils(_ states: UnsafeRawPointer) -> Bool {
        // SAFETY: one byte a row.
        let states = states.assumingMemoryBound(to: UInt8.self)
        // No branches: many rows at once.
        var all: UInt8 = 0
        for row in 0..<count {
            let state = states[row]
            all |= state
            bytes[row] &= state == 1 ? 0 : 1
        }
        return all > 1
    }
}

extension TextMatch {
    /// The needle in lower case if only case is folded and it is ASCII.
    fileprivate var foldedASCII: [UInt8]? {
        guard options == .caseInsensitive, let original, original.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        return original.map(ASCII.lowercase)
    }
}

/// The values of one `bytes` column of a cluster, none of them long.
struct HeapColumn {
    let ends: UnsafePointer<UInt32>
    let data: UnsafeRawPointer

    init(_ heap: UnsafeRawPointer, _ column: Int) {
        let entry = heap + (16 + column * 16)
        // SAFETY: the heap part was checked when it was loaded: the ends lie inside, 4-aligned.
        ends = (heap + Int(entry.load(as: UInt32.self))).assumingMemoryBound(to: UInt32.self)
        data = heap + Int(entry.load(fromByteOffset: 4, as: UInt32.self))
    }

    @inline(__always)
    func value(_ row: Int) -> UnsafeRawBufferPointer {
        let start = Int(ends[row])
        return UnsafeRawBufferPointer(start: data + start, count: Int(ends[row + 1]) - start)
    }

    fileprivate func narrow(_ mask: RowMask, equalTo needle: [UInt8], flip: UInt8) {
        needle.withUnsafeBytes { needle in
            let count = UInt32(truncatingIfNeeded: needle.count)
            var start = ends[0]
            for row in 0..<mask.count {
                let end = ends[row + 1]
                var isEqual: UInt8 = 0
                if end &- start == count {
                    isEqual = Bytes.areEqual(value(row), needle, needle.count) ? 1 : 0
                }
                mask.bytes[row] &= isEqual ^ flip
                start = end
            }
        }
    }

    /// Searches the values of all rows in one go, and tells rows by where they end.
    fileprivate func narrow(_ mask: RowMask, containing needle: [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: RowMask.capacity) { found in
            found.initialize(repeating: 0)
            needle.withUnsafeBytes { needle in
                guard let first = needle.baseAddress else { return }
                let end = Int(ends[mask.count])
                var position = Int(ends[0])
                var row = 0
                while position < end,
                    let hit = domesday_find(
                        data + position,
                        end - position,
                        first,
                        needle.count
                    )
                {
                    position = hit - data
                    while Int(ends[row + 1]) <= position { row += 1 }
                    if position + needle.count <= Int(ends[row + 1]) {
                        found[row] = 1
                        // One occurrence is enough for this row.
                        position = Int(ends[row + 1])
                    } else {
                        // It runs over the border of two rows.
                        position += 1
                    }
                }
            }
            for row in 0..<mask.count { mask.bytes[row] &= found[row] }
        }
    }

    fileprivate func narrow(_ mask: RowMask, beginningWith folded: [UInt8], _ match: TextMatch) {
        folded.withUnsafeBytes { folded in
            for row in 0..<mask.count where mask.isSet(row) {
                let value = value(row)
                var isEqual = true
                var index = 0
                while index < folded.count {
                    guard index < value.count else {
                        isEqual = false
                        break
                    }
                    let byte = value[index]
                    if byte >= 0x80 {
                        // Beyond ASCII some letters fold to ASCII ones.
                        isEqual = match.matches(value)
                        break
                    }
                    if ASCII.lowercase(byte) != folded[index] {
                        isEqual = false
                        break
                    }
                    index += 1
                }
                mask.bytes[row] = isEqual ? 1 : 0
            }
        }
    }
}

/// Rows whose text, data, UUID or ObjectId compares by byte order.
final class BytesOrderFilter: RowFilter {
    let column: Int
    let comparison: BoundOrder
    let value: [UInt8]

    init(_ table: TableReader, _ column: Int, _ comparison: BoundOrder, _ value: [UInt8]) {
        self.column = column
        self.comparison = comparison
        self.value = value
        super.init(table)
    }

    override var cost: Double { 4 }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        if view.state(column, row) == 1 { return comparison == .notEqual }
        let stored = try table.storedBytes(view, column, row)
        let order = value.withUnsafeBytes { ByteOrder.compare(stored, $0) }
        switch comparison {
        case .equal: return order == 0
        case .notEqual: return order != 0
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .greater: return order > 0
        case .greaterOrEqual: return order >= 0
        }
    }
}

extension TableReader {
    /// The bytes of a text, data, UUID or ObjectId.
    @inline(__always)
    func storedBytes(
        _ view: ClusterView,
        _ column: Int,
        _ row: Int
    ) throws(StorageError) -> UnsafeRawBufferPointer {
        view.kind(column) == .fixed
            ? view.fixed(column, row) : try bytes(view.payload, column: column, row: row)
    }
}
