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
    private let readers: [PathReader?]
    private var plans: ContiguousArray<KeyPlan>
    /// How many words, taken one after the other, decide as the keys themselves would.
    private var decisiveWordCount = 0
    /// By position, for a source that has an order of its own, and objects more than once. Else
    /// the run is in the order of keys, and a key is its position.
    private var keys: ContiguousArray<ObjectKey> = []
    private let hasOwnOrder: Bool
    private var comparisons = 0
    /// What went wrong in a comparison, which cannot throw.
    private var failure: StorageError?

    struct Entry {
        var a: UInt64 = 0
        var b: UInt64 = 0
        var c: UInt64 = 0
        var position: Int = 0

        subscript(word: Int) -> UInt64 {
            @inline(__always) get { word == 0 ? a : word == 1 ? b : c }
            @inline(__always) set {
                switch word {
                case 0: a = newValue
                case 1: b = newValue
                default: c = newValue
                }
            }
        }
    }

    /// What comparing needs to know of a key, without anything to retain.
    private struct KeyPlan {
        /// The sorted class's own column; -1 over links.
        let column: Int
        let isText: Bool
        let flip: UInt64
        let start: Int
        /// 0 for keys beyond the third word.
        let count: Int
        /// Whether equal words may hide a difference even of short values.
        var isAmbiguous: Bool

        /// Whether equal words always mean equal values.
        var isExact: Bool { count > 0 && !isText && !isAmbiguous }
    }

    init(_ run: QueryRun, _ order: [SortKey]) {
        self.run = run
        self.order = order
        hasOwnOrder = run.source != nil
        readers = order.map { key in
            key.column == nil
                ? PathReader(key.path) { FilterCompiler.filter($0, $1, $2) } : nil
        }
        // A number takes one word, a text what the keys behind it leave.
        plans = []
        var next = 0
        for (index, key) in order.enumerated() {
            let rest = order.count - index - 1
            let wanted = key.isText ? max(1, 3 - next - rest) : 1
            let count = min(wanted, 3 - next)
            plans.append(
                KeyPlan(
                    column: key.column ?? -1,
                    isText: key.isText,
                    flip: key.isAscending ? 0 : .max,
                    start: next,
                    count: count,
                    isAmbiguous: key.type.type == .int && key.type.isOptional || key.isByValue
                )
            )
            next += count
        }
        countDecisiveWords()
    }

    private func countDecisiveWords() {
        decisiveWordCount = 0
        for plan in plans {
            decisiveWordCount += plan.count
            if !plan.isExact { return }
        }
    }

    private func noteAmbiguity(_ index: Int) {
        if plans[index].isAmbiguous { return }
        plans[index].isAmbiguous = true
        countDecisiveWords()
    }

    func sorted() throws(StorageError) -> ContiguousArray<ObjectKey> {
        var entries: ContiguousArray<Entry> = []
        if run.condition == nil { entries.reserveCapacity(run.reader.count) }
        try run.forEach { key, view, row throws(StorageError) in
            entries.append(try entry(key, view, row))
            return true
        }
        let wordCount = decisiveWordCount
        entries.sort { self.isBefore($0, $1, wordCount) }
        if let failure { throw failure }
        return keys(of: entries)
    }

    /// The first `count`, or all if there are fewer.
    ///
    /// - Complexity: O(matches + those that ever were among the first * log count).
    func first(_ count: Int) throws(StorageError) -> ContiguousArray<ObjectKey> {
        if count == 0 { return [] }
        // A heap whose top is the last of the first.
        var heap: ContiguousArray<Entry> = []
        var pruner = FirstKeyPruner(order[0], run.reader)
        func consider(
            _ key: ObjectKey,
            _ view: ClusterView,
            _ row: Int
        ) throws(StorageError) {
            let entry = try entry(key, view, row)
            if heap.count < count {
                heap.append(entry)
                siftUp(&heap)
            } else if isBefore(entry, heap[0], decisiveWordCount) {
                heap[0] = entry
                siftDown(&heap)
            } else if hasOwnOrder {
                keys.removeLast()
            }
            if let failure { throw failure }
        }
        let isScan = try run.forEachCluster { view, mask throws(StorageError) in
            if heap.count == count, let filter = pruner.filter(heap[0].a ^ plans[0].flip) {
                try filter.narrow(mask, view)
            }
            for row in 0..<mask.count where mask.isSet(row) {
                try consider(view.key(row), view, row)
            }
        }
        if !isScan {
            try run.forEach { key, view, row throws(StorageError) in
                try consider(key, view, row)
                return true
            }
        }
        heap.sort { self.isBefore($0, $1, decisiveWordCount) }
        if let failure { throw failure }
        return keys(of: heap)
    }

    private func keys(of entries: ContiguousArray<Entry>) -> ContiguousArray<ObjectKey> {
        if hasOwnOrder { return ContiguousArray(entries.lazy.map { self.keys[$0.position] }) }
        return ContiguousArray(entries.lazy.map { ObjectKey($0.position) })
    }

    private func key(of entry: Entry) -> ObjectKey {
        hasOwnOrder ? keys[entry.position] : ObjectKey(entry.position)
    }

    private func siftUp(_ heap: inout ContiguousArray<Entry>) {
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(heap[parent], heap[child], decisiveWordCount) else { return }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    private func siftDown(_ heap: inout ContiguousArray<Entry>) {
        var parent = 0
        while true {
            var last = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if isBefore(heap[last], heap[child], decisiveWordCount) { last = child }
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
        var entry = Entry(position: Int(key))
        if hasOwnOrder {
            entry.position = keys.count
            keys.append(key)
        }
        for index in plans.indices {
            let plan = plans[index]
            if plan.count == 0 { continue }
            if plan.column >= 0 {
                try fill(&entry, plan, view, row, index)
            } else if let reader = readers[index] {
                fill(&entry, plan, try reader.value(view, row), index)
            }
            if plan.flip != 0 {
                for word in plan.start..<(plan.start + plan.count) { entry[word] = ~entry[word] }
            }
        }
        return entry
    }

    @inline(__always)
    private func fill(
        _ entry: inout Entry,
        _ plan: KeyPlan,
        _ view: ClusterView,
        _ row: Int,
        _ index: Int
    ) throws(StorageError) {
        if let word = NumberImage.ascending(view, plan.column, row) {
            entry[plan.start] = word
        } else if order[index].isByValue {
            let type = order[index].type
            fill(&entry, plan, try run.reader.value(view, plan.column, row, type), index)
        } else if view.state(plan.column, row) == 1 {
            noteAmbiguity(index)
        } else {
            fill(&entry, plan, try run.reader.storedBytes(view, plan.column, row), index)
        }
    }

    private func fill(
        _ entry: inout Entry,
        _ plan: KeyPlan,
        _ value: QueryValue,
        _ index: Int
    ) {
        switch value {
        case .null: noteAmbiguity(index)
        case .int(let number): entry[plan.start] = IndexValue.int(number)
        case .double(let number): entry[plan.start] = NumberImage.double(number)
        case .bytes(let bytes):
            bytes.withUnsafeBytes { fill(&entry, plan, $0, index) }
        case .key(let key): entry[plan.start] = IndexValue.int(key)
        case .decimal, .mixed: entry[plan.start] = value.sortImage
        }
    }

    @inline(__always)
    private func fill(
        _ entry: inout Entry,
        _ plan: KeyPlan,
        _ bytes: UnsafeRawBufferPointer,
        _ index: Int
    ) {
        for word in 0..<plan.count {
            entry[plan.start + word] = bytes.bigEndianWord(at: word * 8)
        }
        // A zero byte cannot be told from the padding.
        let used = min(bytes.count, plan.count * 8)
        if let start = bytes.baseAddress, used > 0, memchr(start, 0, used) != nil {
            noteAmbiguity(index)
        }
    }

    // MARK: - Comparing

    @inline(__always)
    private func isBefore(_ x: Entry, _ y: Entry, _ wordCount: Int) -> Bool {
        if x.a != y.a { return x.a < y.a }
        if wordCount > 1 {
            if x.b != y.b { return x.b < y.b }
            if wordCount > 2, x.c != y.c { return x.c < y.c }
        }
        return isBeforeByValues(x, y)
    }

    @inline(never)
    private func isBeforeByValues(_ x: Entry, _ y: Entry) -> Bool {
        for index in plans.indices {
            let plan = plans[index]
            for word in plan.start..<(plan.start + plan.count) where x[word] != y[word] {
                return x[word] < y[word]
            }
            if isDecided(x, plan) { continue }
            do throws(StorageError) {
                let order = try compareValues(x, y, index)
                if order != 0 { return (order < 0) == (plan.flip == 0) }
            } catch {
                failure = failure ?? error
                return false
            }
        }
        return x.position < y.position
    }

    /// Whether equal words mean equal values.
    @inline(__always)
    private func isDecided(_ entry: Entry, _ plan: KeyPlan) -> Bool {
        if plan.count == 0 || plan.isAmbiguous { return false }
        guard plan.isText else { return true }
        // The last byte is padding: the whole value is in the words.
        return (entry[plan.start + plan.count - 1] ^ plan.flip) & 0xFF == 0
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
        guard let a = try run.reader.locate(key(of: x)),
            let b = try run.reader.locate(key(of: y))
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

    /// Whether its words only tell about where the values lie, and equal ones must be read.
    var isByValue: Bool { type.type == .decimal || type.type == .mixed }
}

extension QueryValue {
    /// nil before NaN before all other numbers.
    func sortOrder(to other: QueryValue) -> Int {
        if case .mixed(let value) = self, case .mixed(let other) = other {
            return value.sortOrder(to: other)
        }
        func rank(_ value: QueryValue) -> Int {
            if value == .null { return 0 }
            if case .decimal(let number) = value, number.isNaN { return 1 }
            if case .double(let number) = value, number.isNaN { return 1 }
            return 2
        }
        let (a, b) = (rank(self), rank(other))
        if a != 2 || b != 2 { return a < b ? -1 : a == b ? 0 : 1 }
        return order(to: other) ?? 0
    }
}

/// Leaves away, cluster by cluster, what cannot be among the first for its first key.
///
/// Only where that key is a number or a text in a column of the class itself.
private struct FirstKeyPruner {
    private let column: Int
    private let isText: Bool
    private let isAscending: Bool
    private let type: ColumnType
    private let table: TableReader
    private var word: UInt64?
    private var current: RowFilter?

    init(_ key: SortKey, _ table: TableReader) {
        isText = key.isText
        column = key.isByValue ? -1 : key.column ?? -1
        isAscending = key.isAscending
        type = key.type.type
        self.table = table
    }

    /// Finds what does not come behind a word; nil if that cannot be asked.
    mutating func filter(_ word: UInt64) -> RowFilter? {
        // nil and NaN are no numbers to compare with.
        guard column >= 0, word > 1 || isText else { return nil }
        if word == self.word { return current }
        self.word = word
        current = make(word)
        return current
    }

    private func make(_ word: UInt64) -> RowFilter {
        if isText { return TextHeadFilter(table, column, word, isAscending: isAscending) }
        if type == .int || type == .bool {
            let value = Int64(bitPattern: word ^ (1 << 63))
            // nil comes first.
            return IntRangeFilter(
                table,
                column,
                isAscending ? .min...value : value ... .max,
                nilMatches: isAscending
            )
        }
        let value = NumberImage.number(word)
        if isAscending {
            // What is not greater: NaN and nil too, which come first.
            return NotFilter(DoubleFilter(table, column, .greater, value, nilMatches: false))
        }
        return DoubleFilter(table, column, .greaterOrEqual, value, nilMatches: false)
    }
}

/// Rows whose first eight bytes do not come behind some others in an order.
private final class TextHeadFilter: RowFilter {
    private let column: Int
    private let limit: UInt64
    private let isAscending: Bool

    init(_ table: TableReader, _ column: Int, _ limit: UInt64, isAscending: Bool) {
        self.column = column
        self.limit = limit
        self.isAscending = isAscending
        super.init(table)
    }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        // nil stands as 0, as in the entries.
        if view.state(column, row) == 1 { return isAscending || limit == 0 }
        let word = try table.storedBytes(view, column, row).bigEndianWord(at: 0)
        return isAscending ? word <= limit : word >= limit
    }

    override func narrow(_ mask: RowMask, _ view: ClusterView) throws(StorageError) {
        guard view.kind(column) == .bytes, view.states(column) == nil else {
            return try super.narrow(mask, view)
        }
        let text = HeapColumn(try table.heap(view), column)
        for row in 0..<mask.count where mask.isSet(row) {
            let word = text.value(row).bigEndianWord(at: 0)
            mask.bytes[row] = (isAscending ? word <= limit : word >= limit) ? 1 : 0
        }
    }
}

/// The order-preserving word of a number in a column.
enum NumberImage {
    /// nil is 0, NaN 1; no word for columns of bytes.
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

    /// The number of which `double` made a word.
    static func number(_ word: UInt64) -> Double {
        Double(bitPattern: word >> 63 == 1 ? word & ~(1 << 63) : ~word)
    }
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
