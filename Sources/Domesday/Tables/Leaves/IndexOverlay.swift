import CRuntime

/// An index as the open write sees it: a snapshot and the changes made to it since.
///
/// Every lookup is base + changes, at once and without touching the store, so that a write which
/// looks for an object before it creates one stays quick. `IndexSnapshot.merge` makes the changes
/// durable; a cancelled write drops the overlay.
///
/// Until the first lookup among them the changes are only noted one after another: what a bulk
/// insert does to back-links, or a bulk delete to any index, is never looked up before the merge
/// sorts it; nor are numbers that ascend, for which lookups ask before they are inserted.
///
/// **Threads.** The writer's. A closure passed to a lookup may change the overlay: the lookup goes
/// on with the changes it began with, and the first change made meanwhile copies them all.
final class IndexOverlay {
    let base: IndexSnapshot
    private let isBaseEmpty: Bool
    /// The changes as lookups need them.
    @exclusivity(unchecked) private var changes = PendingChanges()
    /// What came and what went before the first lookup, one copy at a time.
    @exclusivity(unchecked) private var insertions: ContiguousArray<IndexEntry> = []
    @exclusivity(unchecked) private var removals: ContiguousArray<IndexRemoval> = []
    @exclusivity(unchecked) private var isLogging = true
    /// The lowest and the highest value in the two: values outside are answered by the base alone.
    @exclusivity(unchecked) private var lowestLogged = UInt64.max
    @exclusivity(unchecked) private var highestLogged = UInt64.min
    private var order = PendingOrder()

    init(_ base: IndexSnapshot) {
        self.base = base
        isBaseEmpty = base.totalCount == 0
    }

    /// Whether no change has been made, or all have cancelled each other.
    ///
    /// - Complexity: O(1) before the first change, else O(*changes*).
    var isUnchanged: Bool {
        prepare()
        return changes.entries.allSatisfy { $0.delta == 0 }
    }

    /// Entries, copies included.
    var totalCount: Int { base.totalCount + changes.sum + insertions.count - removals.count }

    /// Whether no pair has a value, as far as can be told at once.
    @inline(__always)
    func surelyLacks(_ value: UInt64) -> Bool {
        isBaseEmpty && isLogging && (value < lowestLogged || value > highestLogged)
    }

    /// Takes a value into the range of those noted.
    @inline(__always)
    private func widen(to value: UInt64) {
        if value < lowestLogged { lowestLogged = value }
        if value > highestLogged { highestLogged = value }
    }

    /// Doubles the room in a log. Memory that is new is asked for in large pages: page by page, as
    /// it is written, costs more than the writing.
    @inline(never)
    private static func makeRoom<Change: IndexPair>(in log: inout ContiguousArray<Change>) {
        let old = log
        log = ContiguousArray(unsafeUninitializedCapacity: max(64, old.count * 2)) {
            if let start = $0.baseAddress {
                domesday_will_fill(start, $0.count * MemoryLayout<Change>.stride)
            }
            _ = $0.initialize(from: old)
            $1 = old.count
        }
    }

    @inline(never)
    private func add(_ delta: Int, _ value: UInt64, _ key: UInt64) {
        changes.add(delta, value, key)
    }

    /// Brings the changes into the form that lookups need. Call first in everything that reads.
    @inline(__always)
    private func prepare() {
        if isLogging, !insertions.isEmpty || !removals.isEmpty { replay() }
    }

    /// The number of the first pending entry of a value, in the form that lookups need.
    ///
    /// Ascending numbers, as an import adds and looks for them, never leave the log.
    @inline(__always)
    private func head(_ value: UInt64) -> Int? {
        if isLogging, value < lowestLogged || value > highestLogged { return nil }
        prepare()
        return changes.head(value)
    }

    @inline(never)
    private func replay() {
        for pair in insertions { changes.add(1, pair.value, pair.key) }
        for pair in removals { changes.add(-1, pair.value, pair.key) }
        insertions = []
        removals = []
        isLogging = false
    }

    /// Adds one copy of a pair.
    ///
    /// - Complexity: O(1) expected, amortized.
    @inline(__always)
    func insert(value: UInt64, key: UInt64) {
        guard isLogging else { return add(1, value, key) }
        if insertions.count == insertions.capacity { Self.makeRoom(in: &insertions) }
        insertions.append(IndexEntry(value: value, key: key))
        widen(to: value)
    }

    /// Adds one copy of each of some pairs, as `insert(value:key:)` does.
    func insert(_ pairs: UnsafeBufferPointer<IndexEntry>) {
        guard isLogging else {
            for pair in pairs { add(1, pair.value, pair.key) }
            return
        }
        insertions.append(contentsOf: pairs)
        for pair in pairs { widen(to: pair.value) }
    }

    /// Makes room for pairs to come.
    func reserve(_ count: Int) {
        guard isLogging, count > 0 else { return }
        insertions.reserveCapacity(insertions.count + count)
        insertions.withUnsafeMutableBufferPointer {
            guard let start = $0.baseAddress else { return }
            // SAFETY: room for `count` more was made; nothing is read or written.
            domesday_will_fill(start + $0.count, count * MemoryLayout<IndexEntry>.stride)
        }
    }

    /// Removes one copy of a pair, pending or stored.
    ///
    /// - Precondition: The overlay holds the pair. Not checked here, because that may read a leaf;
    ///   the merge throws `.damaged`.
    /// - Complexity: O(1) expected, amortized.
    @inline(__always)
    func remove(value: UInt64, key: UInt64) {
        guard isLogging else { return add(-1, value, key) }
        if removals.count == removals.capacity { Self.makeRoom(in: &removals) }
        removals.append(IndexRemoval(value: value, key: key))
        widen(to: value)
    }

    // MARK: Equal values

    /// A key stored or pending with a value that `accept` takes; `nil` if there is none.
    ///
    /// - Parameter accept: Gets each candidate once, the stored ones ascending, then pending ones
    ///   in no order.
    /// - Throws: What the source and `accept` throw.
    /// - Complexity: As `IndexSnapshot.first`, plus pending changes to this value.
    @inline(__always)
    func first(
        equalTo value: UInt64,
        from source: some BlobSource,
        where accept: (_ key: UInt64) throws(StorageError) -> Bool = { _ in true }
    ) throws(StorageError) -> UInt64? {
        guard let head = head(value) else {
            return try base.first(equalTo: value, from: source, where: accept)
        }
        var result: UInt64?
        try forEachRun(equalTo: value, head, from: source) { key, _ throws(StorageError) in
            if try accept(key) { result = key }
            return result == nil
        }
        return result
    }

    /// Visits the keys stored or pending with a value, each as often as it is held, in the order of
    /// `first(equalTo:from:where:)`.
    ///
    /// - Parameter body: Returns `false` to stop.
    func forEach(
        equalTo value: UInt64,
        from source: some BlobSource,
        _ body: (_ key: UInt64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard let head = head(value) else {
            return try base.forEach(equalTo: value, from: source, body)
        }
        try forEachRun(equalTo: value, head, from: source) { key, copies throws(StorageError) in
            for _ in 0..<copies where try !body(key) { return false }
            return true
        }
    }

    /// How many entries have this value, copies included.
    ///
    /// - Complexity: As `IndexSnapshot.count(equalTo:from:)`; O(1) for the changes.
    func count(equalTo value: UInt64, from source: some BlobSource) throws(StorageError) -> Int {
        let stored = try base.count(equalTo: value, from: source)
        return stored + (head(value).map { changes.sum(ofChain: $0) } ?? 0)
    }

    /// Whether the pair is held at least once.
    func contains(_ entry: IndexEntry, from source: some BlobSource) throws(StorageError) -> Bool {
        try copies(of: entry, from: source) > 0
    }

    /// How often the pair is held.
    func copies(of entry: IndexEntry, from source: some BlobSource) throws(StorageError) -> Int {
        prepare()
        return try base.copies(of: entry, from: source) + changes.delta(of: entry)
    }

    private func forEachRun(
        equalTo value: UInt64,
        _ head: Int,
        from source: some BlobSource,
        _ body: (_ key: UInt64, _ copies: Int) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let changes = changes
        let hasRemovals = changes.hasRemovals(inChain: head)
        // Stored pairs with what is left of them; then pending pairs that are not stored. Which of
        // the pending ones are stored is asked of the base only if anything is stored.
        var storedKeys = Set<UInt64>()
        let isDone = try base.forEachRun(in: value...value, reversed: false, from: source) {
            run throws(StorageError) in
            let delta = changes.delta(of: run.entry, head)
            if delta > 0 { storedKeys.insert(run.key) }
            let copies = hasRemovals || delta > 0 ? run.copies + delta : run.copies
            return copies > 0 ? try body(run.key, copies) : true
        }
        guard isDone else { return }
        var number: Int? = head
        while let current = number {
            let (entry, next) = changes.step(current)
            number = next
            if entry.delta > 0, !storedKeys.contains(entry.key) {
                if try !body(entry.key, entry.delta) { return }
            }
        }
    }

    // MARK: Ranges

    /// How many entries have a value in the range, copies included.
    ///
    /// - Complexity: As `IndexSnapshot.count(in:from:)`, plus the changes in the range.
    func count(
        in range: ClosedRange<UInt64>,
        from source: some BlobSource
    ) throws(StorageError) -> Int {
        if range == 0...UInt64.max { return totalCount }
        var total = try base.count(in: range, from: source)
        var cursor = cursor(range, reversed: false)
        while let pending = cursor.peek {
            total += pending.delta
            cursor.advance()
        }
        return total
    }

    /// As `IndexSnapshot.forEach(in:reversed:from:_:)`, with the changes in their places.
    ///
    /// - Complexity: Plus sorting the changes that came since the last ordered read.
    func forEach(
        in range: ClosedRange<UInt64>,
        reversed isReversed: Bool = false,
        from source: some BlobSource,
        _ body: (IndexEntry) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var cursor = cursor(range, reversed: isReversed)
        func visit(_ entry: IndexEntry, _ copies: Int) throws(StorageError) -> Bool {
            if copies <= 0 { return true }
            for _ in 0..<copies where try !body(entry) { return false }
            return true
        }
        let isDone = try base.forEachRun(in: range, reversed: isReversed, from: source) {
            run throws(StorageError) in
            while let pending = cursor.peek, pending.entry != run.entry,
                (pending.entry < run.entry) != isReversed
            {
                cursor.advance()
                if try !visit(pending.entry, pending.delta) { return false }
            }
            var copies = run.copies
            if let pending = cursor.peek, pending.entry == run.entry {
                copies += pending.delta
                cursor.advance()
            }
            return try visit(run.entry, copies)
        }
        guard isDone else { return }
        while let pending = cursor.peek {
            cursor.advance()
            if try !visit(pending.entry, pending.delta) { return }
        }
    }

    /// Visits all entries in order.
    func forEachEntry(
        from source: some BlobSource,
        _ body: (IndexEntry) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try forEach(in: 0...UInt64.max, from: source, body)
    }

    private func cursor(_ range: ClosedRange<UInt64>, reversed: Bool) -> PendingCursor {
        prepare()
        order.update(changes.entries)
        return PendingCursor(changes.entries, order, range, reversed: reversed)
    }

    /// The changes that remain, sorted and combined; the overlay stays as it is.
    func sortedChanges() -> ContiguousArray<IndexChange> {
        guard isLogging else { return sortedPending() }
        var (insertions, removals) = (insertions, removals)
        IndexEntry.sort(&insertions)
        IndexRemoval.sort(&removals)
        return Self.combined(insertions, removals)
    }

    /// Takes the changes that remain out of the overlay, sorted, for a merge that ends it.
    func takeSortedChanges() -> SortedChanges {
        guard isLogging else { return .mixed(sortedPending()) }
        // Swapped: a copy would be as large as everything a bulk insert has changed.
        var insertions: ContiguousArray<IndexEntry> = []
        var removals: ContiguousArray<IndexRemoval> = []
        swap(&insertions, &self.insertions)
        swap(&removals, &self.removals)
        let comesOnce = IndexEntry.sort(&insertions)
        let goesOnce = IndexRemoval.sort(&removals)
        if removals.isEmpty, comesOnce { return .insertions(insertions) }
        if insertions.isEmpty, goesOnce { return .removals(removals) }
        return .mixed(Self.combined(insertions, removals))
    }

    private func sortedPending() -> ContiguousArray<IndexChange> {
        var result: ContiguousArray<IndexChange> = []
        result.reserveCapacity(changes.entries.count)
        for entry in changes.entries where entry.delta != 0 {
            result.append(IndexChange(value: entry.value, key: entry.key, delta: entry.delta))
        }
        IndexChange.sort(&result)
        return result
    }

    /// What sorted insertions and removals come to for each pair; nothing where they cancel out.
    private static func combined(
        _ insertions: ContiguousArray<IndexEntry>,
        _ removals: ContiguousArray<IndexRemoval>
    ) -> ContiguousArray<IndexChange> {
        var result: ContiguousArray<IndexChange> = []
        result.reserveCapacity(insertions.count + removals.count)
        var (i, j) = (0, 0)
        while i < insertions.count || j < removals.count {
            let comesNext =
                j == removals.count
                || i < insertions.count && insertions[i] <= removals[j].entry
            let entry = comesNext ? insertions[i] : removals[j].entry
            var delta = 0
            while i < insertions.count, insertions[i] == entry { (delta, i) = (delta + 1, i + 1) }
            while j < removals.count, removals[j].entry == entry { (delta, j) = (delta - 1, j + 1) }
            if delta == 0 { continue }
            result.append(IndexChange(value: entry.value, key: entry.key, delta: delta))
        }
        return result
    }
}
