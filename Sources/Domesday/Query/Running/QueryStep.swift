/// What is done with the matches of a condition, one step after the other.
enum QueryStep {
    /// Equals stay in the order they have.
    case sort([SortKey])
    /// Keeps the first of those that are the same at all paths.
    case distinct([BoundPath])
    /// Keeps the first ones.
    case limit(Int)
    /// Leaves the first ones away.
    case offset(Int)

    /// What it reads.
    var paths: [BoundPath] {
        switch self {
        case .sort(let keys): keys.map(\.path)
        case .distinct(let paths): paths
        case .limit, .offset: []
        }
    }

    /// Whether what it leaves depends on what comes before, so that a later condition must not.
    var cuts: Bool {
        switch self {
        case .sort, .distinct: false
        case .limit, .offset: true
        }
    }

    /// Whether an object stays because of what the others are.
    var dependsOnOthers: Bool {
        if case .sort = self { false } else { true }
    }

    /// How many objects it must be given, at most, to give that many; nil if that is unknown.
    func need(for count: Int) -> Int? {
        switch self {
        case .sort, .distinct: nil
        case .limit(let limit): min(limit, count)
        case .offset(let offset): count > .max - offset ? nil : count + offset
        }
    }

    /// How many of a number of objects it leaves; nil if that depends on them.
    func remaining(of count: Int) -> Int? {
        switch self {
        case .sort: count
        case .distinct: nil
        case .limit(let limit): min(limit, count)
        case .offset(let offset): max(0, count - offset)
        }
    }

    /// For `explain`.
    ///
    /// - Parameter bound: How many of its objects are needed, if not all.
    func description(of count: Int, bound: Int?) -> String {
        switch self {
        case .sort(let keys):
            let order = keys.map {
                "\($0.path.text) \($0.isAscending ? "ascending" : "descending")"
            }
            let kept = bound.map { $0 < count ? ", keeping the first \($0)" : "" } ?? ""
            return "sort by \(order.joined(separator: ", ")): \(count) objects\(kept)"
        case .distinct(let paths):
            return "distinct by \(paths.map(\.text).joined(separator: ", "))"
        case .limit(let limit): return "limit \(limit)"
        case .offset(let offset): return "offset \(offset)"
        }
    }
}

/// Runs the steps of a query.
///
/// **Threads.** Its reader's.
struct QuerySteps {
    let table: any QueryTable
    let steps: [QueryStep]

    /// Up to this many a sort keeps only the first; more sorts everything.
    static let headLimit = 4096

    /// For each step how many of its objects are needed, if `count` are wanted at the end.
    func bounds(_ count: Int?) -> [Int?] {
        var bounds: [Int?] = []
        var wanted = count
        for step in steps.reversed() {
            if case .limit(let limit) = step { wanted = min(wanted ?? limit, limit) }
            bounds.append(wanted)
            wanted = wanted.flatMap { step.need(for: $0) }
        }
        return bounds.reversed()
    }

    /// How many matches are needed for `count` objects at the end; nil if all are.
    func need(for count: Int?) -> Int? {
        guard let first = steps.first else { return count }
        return bounds(count)[0].flatMap { first.need(for: $0) }
    }

    /// The keys after the last step: all, or at least the first `count`.
    func keys(
        of run: QueryRun,
        first count: Int?
    ) throws(StorageError) -> ContiguousArray<ObjectKey> {
        let bounds = bounds(count)
        var run = run
        var keys: ContiguousArray<ObjectKey>?
        for (step, bound) in zip(steps, bounds) {
            if let known = keys {
                run = QueryRun(table, source: KnownKeys(table, known), condition: nil)
            }
            switch step {
            case .sort(let order):
                let sorter = Sorter(run, order)
                if let bound, bound <= Self.headLimit {
                    keys = try sorter.first(bound)
                } else {
                    keys = try sorter.sorted()
                }
            case .distinct(let paths):
                keys = try DistinctKeys(paths).keys(of: run, first: bound)
            case .limit(let limit):
                if keys == nil { keys = try run.keys(first: min(bound ?? limit, limit)) }
                keys = keys.map { ContiguousArray($0.prefix(limit)) }
            case .offset(let offset):
                if keys == nil { keys = try run.keys(first: bound.flatMap { step.need(for: $0) }) }
                keys = keys.map { ContiguousArray($0.dropFirst(offset)) }
            }
        }
        if let keys { return keys }
        return try run.keys(first: count)
    }
}
