/// What to take of a class and in which order; evaluated when it is first used, and again when the
/// store has changed since.
///
/// **Shape.** From `source` or the whole table, the objects that `condition` holds for, sorted by
/// `order`, else in the order of the source.
/// **Threads.** Its Realm's.
final class ObjectQuery {
    let table: any QueryTable
    let source: (any KeySource)?
    let condition: BoundNode?
    let order: [SortKey]

    private var cached: Evaluation?
    /// In place of `cached`, for a frozen table, which several threads may query at once.
    private let shared: Lock<Evaluation?>?
    private lazy var dependencies = QueryDependencies(of: self)

    /// What is known of the matches at one state of the store.
    private struct Evaluation {
        let stamp: QueryStamp
        var keys: ContiguousArray<ObjectKey>?
        /// The first matches in order, when not all were needed.
        var head: ContiguousArray<ObjectKey>?
        var count: Int?
    }

    init(
        _ table: any QueryTable,
        source: (any KeySource)? = nil,
        condition: BoundNode? = nil,
        order: [SortKey] = []
    ) {
        self.table = table
        self.source = source
        self.condition = condition
        self.order = order
        shared = table.reader.reader.isFrozen ? Lock(nil) : nil
    }

    /// The same with another condition besides.
    func filtered(_ node: BoundNode) -> ObjectQuery {
        let both: BoundNode
        switch condition {
        case nil: both = node
        case .and(let nodes): both = .and(nodes + [node])
        case let existing?: both = .and([existing, node])
        }
        return ObjectQuery(table, source: source, condition: both, order: order)
    }

    /// The same in another order; the present one decides between equals.
    func sorted(_ keys: [SortKey]) -> ObjectQuery {
        ObjectQuery(table, source: source, condition: condition, order: keys + order)
    }

    /// Whether it is a class as it stands.
    var isWholeTable: Bool { source == nil && condition == nil && order.isEmpty }

    // MARK: - Evaluation

    private func current() -> Evaluation {
        if let shared {
            // A frozen version never changes: what was found once stays.
            return shared.withLock { $0 } ?? Evaluation(stamp: QueryStamp())
        }
        let stamp = QueryStamp(table.reader.reader, dependencies)
        if let cached, cached.stamp == stamp { return cached }
        let fresh = Evaluation(stamp: stamp)
        cached = fresh
        return fresh
    }

    /// Notes what was found, after `current`.
    private func note(_ change: (inout Evaluation) -> Void) {
        guard let shared else {
            if var evaluation = cached {
                cached = nil
                change(&evaluation)
                cached = evaluation
            }
            return
        }
        shared.withLock { cached in
            var evaluation = cached ?? Evaluation(stamp: QueryStamp())
            change(&evaluation)
            cached = evaluation
        }
    }

    /// How many objects it leads to.
    ///
    /// - Complexity: O(1) for a whole class, O(log n) where an index has exactly the matches, else
    ///   as finding them.
    func count() throws(StorageError) -> Int {
        if isWholeTable { return table.reader.count }
        let evaluation = current()
        if let count = evaluation.count ?? evaluation.keys?.count { return count }
        let count = try run.count()
        note { $0.count = count }
        return count
    }

    /// All keys in order.
    func keys() throws(StorageError) -> ContiguousArray<ObjectKey> {
        if let keys = current().keys { return keys }
        let run = run
        let keys = order.isEmpty ? try run.keys() : try Sorter(run, order).sorted()
        note { $0.keys = keys }
        return keys
    }

    /// All keys ascending, each once.
    func ascendingKeys() throws(StorageError) -> [ObjectKey] {
        if source == nil, order.isEmpty { return Array(try keys()) }
        return Set(try keys()).sorted()
    }

    /// Up to this many a sort keeps only the first; more sorts everything.
    private static let headLimit = 4096

    /// At least the first `count` keys, if there are that many.
    func head(_ count: Int) throws(StorageError) -> ContiguousArray<ObjectKey> {
        let evaluation = current()
        if let keys = evaluation.keys { return keys }
        if let head = evaluation.head, head.count >= count { return head }
        if order.isEmpty, count == 1 {
            let first = try run.firstKey()
            return first.map { [$0] } ?? []
        }
        if order.isEmpty || count > Self.headLimit { return try keys() }
        // Asked again and again for one more, it looks ahead.
        let wanted = evaluation.head == nil ? count : min(max(count, 64) * 4, Self.headLimit)
        let head = try Sorter(run, order).first(wanted)
        if head.count < wanted {
            note { $0.keys = head }
        } else {
            note { $0.head = head }
        }
        return head
    }

    /// A loop over the matches.
    private var run: QueryRun { QueryRun(table, source: source, condition: condition) }

    /// The figures of a column over the matches.
    func aggregate(_ path: BoundPath) throws(StorageError) -> AggregateSums {
        var sums = ColumnSums(path)
        try sums.addAll(run)
        return sums.sums
    }

    /// How it would be evaluated, for people.
    func explain() throws(StorageError) -> String {
        var lines = try run.explain()
        if !order.isEmpty {
            let keys = order.map {
                "\($0.path.text) \($0.isAscending ? "ascending" : "descending")"
            }
            lines.append("sort by " + keys.joined(separator: ", "))
        }
        return lines.joined(separator: "\n")
    }
}
