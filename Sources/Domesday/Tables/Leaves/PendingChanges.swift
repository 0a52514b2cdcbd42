/// The changes of one open write to one index: for each pair, how many copies come or go.
///
/// **Shape.** Entries are numbered in the order in which their pairs were first named, and stay.
/// Entries of one value form a chain that begins with its oldest. A chain longer than
/// `longChainCount` keeps its sum and finds its entries by hash, so that an index with few distinct
/// values is as quick as one with many.
struct PendingChanges {
    struct Entry {
        let value: UInt64
        let key: UInt64
        /// Copies added; negative if more are removed. 0 when changes have cancelled each other.
        var delta = 0
        /// Number of the next entry in the chain plus one; 0 at its end.
        fileprivate var next: UInt32 = 0
        /// In the first entry of a long chain: its number plus one.
        fileprivate var chain: UInt32 = 0

        var entry: IndexEntry { IndexEntry(value: value, key: key) }
    }

    private struct Chain {
        var sum = 0
        var removalCount = 0
    }

    private static let longChainCount = 16

    private(set) var entries: ContiguousArray<Entry> = []
    /// First entries of chains, by value.
    private var heads = PendingSlots()
    /// Entries of long chains, by pair.
    private var pairs = PendingSlots()
    private var chains: [Chain] = []
    /// Sum of all deltas.
    private(set) var sum = 0

    /// Adds (or, below 0, removes) copies of a pair.
    ///
    /// - Complexity: O(1) expected, amortized.
    @inline(__always)
    mutating func add(_ delta: Int, _ value: UInt64, _ key: UInt64) {
        sum &+= delta
        let hash = PendingSlots.hash(value)
        if let head = heads.find(hash, { entries[$0].value == value }) {
            addToChain(head, delta, value, key)
        } else {
            heads.insert(hash, entries.count)
            entries.append(Entry(value: value, key: key, delta: delta))
        }
    }

    private mutating func addToChain(_ head: Int, _ delta: Int, _ value: UInt64, _ key: UInt64) {
        if let chain = chain(of: head) {
            if let number = numberInLongChain(value, key) {
                let old = entries[number].delta
                entries[number].delta += delta
                chains[chain].removalCount += (old + delta < 0 ? 1 : 0) - (old < 0 ? 1 : 0)
            } else {
                pairs.insert(PendingSlots.hash(value, key), append(head, delta, value, key))
                chains[chain].removalCount += delta < 0 ? 1 : 0
            }
            chains[chain].sum += delta
            return
        }
        var length = 0
        var number: Int? = head
        while let current = number {
            if entries[current].key == key {
                entries[current].delta += delta
                return
            }
            length += 1
            number = next(current)
        }
        _ = append(head, delta, value, key)
        if length + 1 > Self.longChainCount { makeLong(head) }
    }

    /// Appends an entry behind the first of its chain.
    private mutating func append(
        _ head: Int,
        _ delta: Int,
        _ value: UInt64,
        _ key: UInt64
    ) -> Int {
        let number = entries.count
        entries.append(Entry(value: value, key: key, delta: delta, next: entries[head].next))
        entries[head].next = UInt32(number + 1)
        return number
    }

    private mutating func makeLong(_ head: Int) {
        var summary = Chain()
        var number: Int? = head
        while let current = number {
            let entry = entries[current]
            pairs.insert(PendingSlots.hash(entry.value, entry.key), current)
            summary.sum += entry.delta
            summary.removalCount += entry.delta < 0 ? 1 : 0
            number = next(current)
        }
        chains.append(summary)
        entries[head].chain = UInt32(chains.count)
    }

    private func chain(of head: Int) -> Int? {
        let chain = entries[head].chain
        return chain == 0 ? nil : Int(chain) - 1
    }

    private func next(_ number: Int) -> Int? {
        let next = entries[number].next
        return next == 0 ? nil : Int(next) - 1
    }

    private func numberInLongChain(_ value: UInt64, _ key: UInt64) -> Int? {
        pairs.find(PendingSlots.hash(value, key)) {
            entries[$0].value == value && entries[$0].key == key
        }
    }

    // MARK: Reading

    /// The number of the first entry of a value's chain.
    @inline(__always)
    func head(_ value: UInt64) -> Int? {
        heads.find(PendingSlots.hash(value)) { entries[$0].value == value }
    }

    /// Copies added to a pair.
    ///
    /// - Complexity: O(1) expected.
    func delta(of entry: IndexEntry) -> Int {
        guard let head = head(entry.value) else { return 0 }
        return delta(of: entry, head)
    }

    func delta(of entry: IndexEntry, _ head: Int) -> Int {
        if chain(of: head) != nil {
            return numberInLongChain(entry.value, entry.key).map { entries[$0].delta } ?? 0
        }
        var number: Int? = head
        while let current = number {
            if entries[current].key == entry.key { return entries[current].delta }
            number = next(current)
        }
        return 0
    }

    /// Sum of the deltas of a chain.
    ///
    /// - Complexity: O(1).
    func sum(ofChain head: Int) -> Int {
        if let chain = chain(of: head) { return chains[chain].sum }
        return reduce(head) { $0 + $1.delta }
    }

    /// Whether a chain removes anything.
    ///
    /// - Complexity: O(1).
    func hasRemovals(inChain head: Int) -> Bool {
        if let chain = chain(of: head) { return chains[chain].removalCount > 0 }
        return reduce(head) { $0 + ($1.delta < 0 ? 1 : 0) } > 0
    }

    private func reduce(_ head: Int, _ combine: (Int, Entry) -> Int) -> Int {
        var result = 0
        var number: Int? = head
        while let current = number {
            result = combine(result, entries[current])
            number = next(current)
        }
        return result
    }

    /// The entry with this number and the number of the next in its chain.
    func step(_ number: Int) -> (entry: Entry, next: Int?) { (entries[number], next(number)) }
}
