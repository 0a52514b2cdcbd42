/// What to take of a class and in which order; evaluated when it is first used, and again when the
/// store has changed since.
///
/// **Shape.** From `source` or the whole table, the objects that `condition` holds for, in the
/// order of the source; then `steps`, one after the other.
/// **Threads.** Its Realm's.
final class ObjectQuery {
    let table: any QueryTable
    let source: (any KeySource)?
    let condition: BoundNode?
    let steps: [QueryStep]

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
        steps: [QueryStep] = []
    ) {
        self.table = table
        self.source = source
        self.condition = condition
        self.steps = steps
        shared = table.reader.reader.isFrozen ? Lock(nil) : nil
    }

    /// The same with another condition besides.
    ///
    /// As in Realm a condition is asked before anything is sorted or made distinct; but behind a
    /// limit it is asked of what that left.
    func filtered(_ node: BoundNode) -> ObjectQuery {
        if steps.contains(where: \.cuts) {
            return ObjectQuery(table, source: QuerySource(self), condition: node)
        }
        let both: BoundNode
        switch condition {
        case nil: both = node
        case .and(let nodes): both = .and(nodes + [node])
        case let existing?: both = .and([existing, node])
        }
        return ObjectQuery(table, source: source, condition: both, steps: steps)
    }

    /// The same in another order; the present one decides between equals.
    func sorted(_ keys: [SortKey]) -> ObjectQuery {
        if keys.isEmpty { return self }
        guard case .sort(let present)? = steps.last else { return followed(by: .sort(keys)) }
        return ObjectQuery(
            table,
            source: source,
            condition: condition,
            steps: steps.dropLast() + [.sort(keys + present)]
        )
    }

    /// The same with one step more.
    func followed(by step: QueryStep) -> ObjectQuery {
        ObjectQuery(table, source: source, condition: condition, steps: steps + [step])
    }

    /// Whether it is a class as it stands.
    var isWholeTable: Bool { source == nil && condition == nil && steps.isEmpty }

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

    private var pipeline: QuerySteps { QuerySteps(table: table, steps: steps) }

    /// How many objects it leads to.
    ///
    /// - Complexity: O(1) for a whole class, O(log n) where an index has exactly the matches, else
    ///   as finding them.
    func count() throws(StorageError) -> Int {
        if isWholeTable { return table.reader.count }
        let evaluation = current()
        if let count = evaluation.count ?? evaluation.keys?.count { return count }
        let count: Int
        if steps.contains(where: { $0.remaining(of: 0) == nil }) {
            count = try keys().count
        } else if let need = pipeline.need(for: nil) {
            // A few of many matches: the rest need not be counted.
            count = remaining(of: try run.keys(first: need).count)
        } else {
            count = remaining(of: try run.count())
        }
        note { $0.count = count }
        return count
    }

    private func remaining(of count: Int) -> Int {
        steps.reduce(count) { count, step in step.remaining(of: count) ?? count }
    }

    /// All keys in order.
    func keys() throws(StorageError) -> ContiguousArray<ObjectKey> {
        if let keys = current().keys { return keys }
        let keys = try pipeline.keys(of: run, first: nil)
        note { $0.keys = keys }
        return keys
    }

    /// All keys ascending, each once.
    func ascendingKeys() throws(StorageError) -> [ObjectKey] {
        if source == nil, steps.isEmpty { return Array(try keys()) }
        return Set(try keys()).sorted()
    }

    /// At least the first `count` keys, if there are that many.
    func head(_ count: Int) throws(StorageError) -> ContiguousArray<ObjectKey> {
        let evaluation = current()
        if let keys = evaluation.keys { return keys }
        if let head = evaluation.head, head.count >= count { return head }
        if steps.isEmpty, count == 1 {
            let first = try run.firstKey()
            return first.map { [$0] } ?? []
        }
        if steps.isEmpty || count > QuerySteps.headLimit { return try keys() }
        // Asked again and again for one more, it looks ahead.
        let wanted =
            evaluation.head == nil ? count : min(max(count, 64) * 4, QuerySteps.headLimit)
        let head = try pipeline.keys(of: run, first: wanted)
        if head.count < wanted {
            note { $0.keys = head }
        } else {
            note { $0.head = head }
        }
        return head
    }

    /// A loop over the matches of the condition.
    private var run: QueryRun { QueryRun(table, source: source, condition: condition) }

    /// A loop over what the steps leave, in any order.
    func remainingRun() throws(StorageError) -> QueryRun {
        if steps.allSatisfy({ if case .sort = $0 { true } else { false } }) { return run }
        return QueryRun(table, source: KnownKeys(table, try keys()), condition: nil)
    }

    /// The figures of a column over the matches.
    func aggregate(_ path: BoundPath) throws(StorageError) -> AggregateSums {
        var sums = ColumnSums(path)
        try sums.addAll(try remainingRun())
        return sums.sums
    }

    /// How it would be evaluated, for people.
    func explain() throws(StorageError) -> String {
        var lines: [String] = []
        if let inner = source?.sourceQuery { lines.append(try inner.explain()) }
        lines += try run.explain()
        guard !steps.isEmpty else { return lines.joined(separator: "\n") }
        var count: Int? = try run.count()
        for (step, bound) in zip(steps, pipeline.bounds(nil)) {
            // Behind `distinct` only evaluating tells.
            let known: Int
            if let count { known = count } else { known = try keys().count }
            lines.append(step.description(of: known, bound: bound))
            count = count.flatMap { step.remaining(of: $0) }
        }
        return lines.joined(separator: "\n")
    }
}
