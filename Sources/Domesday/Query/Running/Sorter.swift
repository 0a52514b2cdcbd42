import Foundation

/// Sorts the matches of a run, all of them or the first ones.
///
/// Each match gets three words whose order is that of its keys as far as they reach: a number
/// takes one, a text the next ones (its first bytes). Only equal words need the values themselves.
/// Equals stay in the order of the run.
///
/// **Threads.** Its reader's.
final class Sorter {
    private let run: QueryRun
    private let order: [SortKey]
    /// The first word of each key, and how many it takes; 0 for keys beyond the third word.
    private let words: [(start: Int, count: Int)]
    private let readers: [PathReader?]
    /// By position.
    private var keys: ContiguousArray<ObjectKey> = []
    /// By key of the order: whether equal words may hide a difference even of short values.
    private var isAmbiguous: [Bool]
    private var comparisons = 0

    struct Entry {
        var a: UInt64 = 0
        var b: UInt64 = 0
        var c: UInt64 = 0
        var position: Int = 0

        subscript(word: Int) -> UInt64 {
            get { word == 0 ? a : word == 1 ? b : c }
            set {
                switch word {
                case 0: a = newValue
                case 1: b = newValue
                default: c = newValue
                }
            }
        }
    }

    init(_ run: QueryRun, _ order: [SortKey]) {
        self.run = run
        self.order = order
        isAmbiguous = order.map { $0.type.type == .int && $0.type.isOptional }
        readers = order.map { key in
            key.column == nil
                ? PathReader(key.path) { FilterCompiler.filter($0, $1) } : nil
        }
        // Numbers first get their words, texts share what is left.
        var words: [(start: Int, count: Int)] = []
        var next = 0
        for (index, key) in order.enumerated() {
            let rest = order.count - index - 1
            let wanted = key.isText ? max(1, 3 - next - rest) : 1
            let count = min(wanted, 3 - next)
            words.append((next, count))
            next += count
        }
        self.words = words
    }

    func sorted() throws(StorageError) -> ContiguousArray<ObjectKey> {
        var entries: ContiguousArray<Entry> = []
        try run.forEach { key, view, row throws(StorageError) in
            entries.append(try entry(key, view, row))
            return true
        }
        try rethrowing { failure in
            entries.sort { a, b in self.isBefore(a, b, &failure) }
        }
        return ContiguousArray(entries.lazy.map { self.keys[$0.position] })
    }

    /// The first `count`, or all if there are fewer.
    ///
    /// - Complexity: O(matches + those that ever were among the first * log count).
    func first(_ count: Int) throws(StorageError) -> ContiguousArray<ObjectKey> {
        // A heap whose top is the last of the first.
        var heap: ContiguousArray<Entry> = []
        var failure: StorageError?
        let firstKey = order[0]
        let filter = firstKey.column.map { NumberImage($0, firstKey) }
        try run.forEach { key, view, row throws(StorageError) in
            if heap.count == count, let filter, let word = filter.word(view, row) {
                // The first word decides for nearly all.
                if word > heap[0].a { return true }
            }
            let entry = try entry(key, view, row)
            if heap.count < count {
                heap.append(entry)
                siftUp(&heap, &failure)
            } else if isBefore(entry, heap[0], &failure) {
                heap[0] = entry
                siftDown(&heap, &failure)
            } else {
                keys.removeLast()
            }
            if let failure { throw failure }
            return true
        }
        try rethrowing { failure in heap.sort { a, b in self.isBefore(a, b, &failure) } }
        return ContiguousArray(heap.lazy.map { self.keys[$0.position] })
    }

    private func rethrowing(_ body: (inout StorageError?) -> Void) throws(StorageError) {
        var failure: StorageError?
        body(&failure)
        if let failure { throw failure }
    }

    private func siftUp(_ heap: inout ContiguousArray<Entry>, _ failure: inout StorageError?) {
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(heap[parent], heap[child], &failure) else { return }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    private func siftDown(_ heap: inout ContiguousArray<Entry>, _ failure: inout StorageError?) {
        var parent = 0
        while true {
            var last = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if isBefore(heap[last], heap[child], &failure) { last = child }
            }
            if last == parent { return }
            heap.swapAt(parent, last)
            parent = last
        }
    }

    // MARK: - Words

    private func entry(
        _ key: ObjectKey,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> Entry {
        var entry = Entry(position: keys.count)
        keys.append(key)
        for (index, sortKey) in order.enumerated() where words[index].count > 0 {
            let (start, count) = words[index]
            if let column = sortKey.column {
                try fill(&entry, start, count, view, column, row, sortKey, index)
            } else if let reader = readers[index] {
                fill(&entry, start, count, try reader.value(view, row), index)
            }
            if !sortKey.isAscending {
                for word in start..<(start + count) { entry[word] = ~entry[word] }
            }
        }
        return entry
    }

    @inline(__always)
    private func fill(
        _ entry: inout Entry,
        _ start: Int,
        _ count: Int,
        _ view: ClusterView,
        _ column: Int,
        _ row: Int,
        _ key: SortKey,
        _ index: Int
    ) throws(StorageError) {
        if let word = NumberImage.ascending(view, column, row) {
            entry[start] = word
            return
        }
        if view.state(column, row) == 1 {
            isAmbiguous[index] = true
            return
        }
        fill(&entry, start, count, try run.reader.storedBytes(view, column, row), index)
    }

    private func fill(
        _ entry: inout Entry,
        _ start: Int,
        _ count: Int,
        _ value: QueryValue,
        _ index: Int
    ) {
        switch value {
        case .null: isAmbiguous[index] = true
        case .int(let number): entry[start] = IndexValue.int(number)
        case .double(let number): entry[start] = NumberImage.double(number)
        case .bytes(let bytes):
            bytes.withUnsafeBytes { fill(&entry, start, count, $0, index) }
        case .key(let key): entry[start] = IndexValue.int(key)
        }
    }

    @inline(__always)
    private func fill(
        _ entry: inout Entry,
        _ start: Int,
        _ count: Int,
        _ bytes: UnsafeRawBufferPointer,
        _ index: Int
    ) {
        for word in 0..<count {
            entry[start + word] = bytes.bigEndianWord(at: word * 8)
        }
        // A zero byte cannot be told from the padding.
        let used = min(bytes.count, count * 8)
        if let start = bytes.baseAddress, used > 0, memchr(start, 0, used) != nil {
            isAmbiguous[index] = true
        }
    }

    // MARK: - Comparing

    private func isBefore(_ x: Entry, _ y: Entry, _ failure: inout StorageError?) -> Bool {
        if x.a != y.a, words[0].count == 1, !order[0].isText, !isAmbiguous[0] { return x.a < y.a }
        for index in order.indices {
            let (start, count) = words[index]
            for word in start..<(start + count) where x[word] != y[word] {
                return x[word] < y[word]
            }
            if isDecided(x, index) { continue }
            do throws(StorageError) {
                let order = try compareValues(x, y, index)
                if order != 0 { return self.order[index].isAscending ? order < 0 : order > 0 }
            } catch {
                failure = failure ?? error
                return false
            }
        }
        return x.position < y.position
    }

    /// Whether equal words mean equal values.
    @inline(__always)
    private func isDecided(_ entry: Entry, _ index: Int) -> Bool {
        let (start, count) = words[index]
        if count == 0 || isAmbiguous[index] { return false }
        guard order[index].isText else { return true }
        // The last byte is padding: the whole value is in the words.
        let last = entry[start + count - 1]
        return (order[index].isAscending ? last : ~last) & 0xFF == 0
    }

    /// Ascending order of two values read from the store.
    private func compareValues(
        _ x: Entry,
        _ y: Entry,
        _ index: Int
    ) throws(StorageError) -> Int {
        comparisons += 1
        // Nothing holds a pointer here.
        if comparisons & 0xFFF == 0 { run.reader.reader.safePoint() }
        guard let a = try run.reader.locate(keys[x.position]),
            let b = try run.reader.locate(keys[y.position])
        else { return 0 }
        let (viewA, viewB) = (ClusterView(a.cluster), ClusterView(b.cluster))
        if let column = order[index].column, order[index].isText,
            viewA.state(column, a.row) != 1, viewB.state(column, b.row) != 1
        {
            return ByteOrder.compare(
                try run.reader.storedBytes(viewA, column, a.row),
                try run.reader.storedBytes(viewB, column, b.row)
            )
        }
        return try value(viewA, a.row, index).sortOrder(to: try value(viewB, b.row, index))
    }

    private func value(
        _ view: ClusterView,
        _ row: Int,
        _ index: Int
    ) throws(StorageError) -> QueryValue {
        if let reader = readers[index] { return try reader.value(view, row) }
        guard let column = order[index].column else { return .null }
        return try run.reader.value(view, column, row, order[index].type)
    }
}

extension SortKey {
    /// Whether its values are byte strings.
    var isText: Bool { type.isBytes || type.type == .uuid || type.type == .objectId }
}

extension QueryValue {
    /// nil before NaN before all other numbers.
    fileprivate func sortOrder(to other: QueryValue) -> Int {
        func rank(_ value: QueryValue) -> Int {
            if value == .null { return 0 }
            if case .double(let number) = value, number.isNaN { return 1 }
            return 2
        }
        let (a, b) = (rank(self), rank(other))
        if a != 2 || b != 2 { return a < b ? -1 : a == b ? 0 : 1 }
        return order(to: other) ?? 0
    }
}

/// The order-preserving word of a number in a column.
struct NumberImage {
    private let column: Int
    private let flip: UInt64
    private let isNumber: Bool

    init(_ column: Int, _ key: SortKey) {
        self.column = column
        flip = key.isAscending ? 0 : .max
        isNumber = !key.isText
    }

    /// nil for columns of bytes.
    @inline(__always)
    func word(_ view: ClusterView, _ row: Int) -> UInt64? {
        guard isNumber, let word = Self.ascending(view, column, row) else { return nil }
        return word ^ flip
    }

    /// nil is 0, NaN 1.
    @inline(__always)
    static func ascending(_ view: ClusterView, _ column: Int, _ row: Int) -> UInt64? {
        switch view.kind(column) {
        case .int: return view.state(column, row) == 1 ? 0 : IndexValue.int(view.int(column, row))
        case .double: return view.state(column, row) == 1 ? 0 : double(view.double(column, row))
        case .float:
            return view.state(column, row) == 1 ? 0 : double(Double(view.float(column, row)))
        case .absent, .fixed, .bytes: return nil
        }
    }

    static func double(_ value: Double) -> UInt64 { value.isNaN ? 1 : IndexValue.double(value) }
}

extension UnsafeRawBufferPointer {
    /// Eight bytes from an offset as a number that orders as they do; what is missing is 0.
    @inline(__always)
    fileprivate func bigEndianWord(at offset: Int) -> UInt64 {
        let rest = count - offset
        if rest >= 8 {
            // SAFETY: eight bytes follow; loadUnaligned needs no alignment.
            return UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        if rest <= 0 { return 0 }
        var word: UInt64 = 0
        for index in 0..<rest { word = word << 8 | UInt64(self[offset + index]) }
        return word << UInt64(8 * (8 - rest))
    }
}
