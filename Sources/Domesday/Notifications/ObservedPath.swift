/// A way from the objects of a class to something whose changes count as theirs.
///
/// **Shape.** Steps lead from object to object; a change of any link on the way counts too.
/// **Threads.** Its Realm's.
struct ObservedPath {
    enum Step {
        case link(source: any QueryTable, column: Int)
        /// To the objects of `origin` whose column leads here.
        case backlink(origin: any QueryTable, column: Int)
    }

    enum End {
        case column(any QueryTable, Int)
        /// The last step itself.
        case step
    }

    var steps: [Step] = []
    var end = End.step
    /// The first property's name.
    var property = ""

    /// The tables whose change may matter.
    var tables: [TableID] {
        var result = steps.map { step in
            switch step {
            case .link(let source, _): source.tableID
            case .backlink(let origin, _): origin.tableID
            }
        }
        if case .column(let table, _) = end { result.append(table.tableID) }
        return result
    }
}

extension ObservedPath {
    /// What a condition or an order reads.
    static func paths(of query: ObjectQuery) -> (condition: [ObservedPath], order: [ObservedPath]) {
        var condition: [ObservedPath] = []
        if let node = query.condition { add(node, after: [], &condition) }
        var order: [ObservedPath] = []
        for key in query.order { add(key.path, after: [], &order) }
        return (condition, order)
    }

    private static func add(_ node: BoundNode, after steps: [Step], _ paths: inout [ObservedPath]) {
        switch node {
        case .constant: break
        case .and(let nodes), .or(let nodes): for node in nodes { add(node, after: steps, &paths) }
        case .not(let node): add(node, after: steps, &paths)
        case .test(let test):
            add(test.path, after: steps, &paths)
            switch test.condition {
            case .path(_, let path), .textPath(_, _, let path): add(path, after: steps, &paths)
            case .order, .between, .isIn, .text: break
            }
        }
    }

    private static func add(_ path: BoundPath, after steps: [Step], _ paths: inout [ObservedPath]) {
        let (here, table) = walk(path.hops, from: path.root, after: steps)
        switch path.end {
        case .object: paths.append(ObservedPath(steps: here))
        case .value(let column, _), .elements(let column, _):
            paths.append(ObservedPath(steps: here, end: .column(table, column)))
        case .count(let collection), .aggregate(_, let collection):
            let (there, member) = walk(collection.hops, from: table, after: here)
            switch collection.member {
            case .object: paths.append(ObservedPath(steps: there))
            case .value(let column, _), .elements(let column, _):
                paths.append(ObservedPath(steps: there, end: .column(member, column)))
            }
        case .subqueryCount(let collection, let node):
            let (there, _) = walk(collection.hops, from: table, after: here)
            paths.append(ObservedPath(steps: there))
            add(node, after: there, &paths)
        }
    }

    private static func walk(
        _ hops: [BoundHop],
        from table: any QueryTable,
        after steps: [Step]
    ) -> ([Step], any QueryTable) {
        var steps = steps
        var table = table
        for hop in hops {
            switch hop {
            case .link(let column, _), .links(let column, _):
                steps.append(.link(source: table, column: column))
            case .backlinks(let origin, let column):
                steps.append(.backlink(origin: origin, column: column))
            }
            table = hop.target
        }
        return (steps, table)
    }
}
