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
        if let node = query.condition { add(node, in: [[]], &condition) }
        var order: [ObservedPath] = []
        for path in query.steps.flatMap(\.paths) { add(path, in: [[]], &order) }
        return (condition, order)
    }

    /// - Parameter scopes: The ways to the objects that conditions around this one are about, the
    ///   innermost last.
    private static func add(
        _ node: BoundNode,
        in scopes: [[Step]],
        _ paths: inout [ObservedPath]
    ) {
        switch node {
        case .constant: break
        case .and(let nodes), .or(let nodes): for node in nodes { add(node, in: scopes, &paths) }
        case .not(let node): add(node, in: scopes, &paths)
        case .calculation(let left, _, let right):
            add(left, in: scopes, &paths)
            add(right, in: scopes, &paths)
        case .test(let test):
            add(test.path, in: scopes, &paths)
            add(test.condition, in: scopes, &paths)
        }
    }

    private static func add(
        _ condition: BoundCondition,
        in scopes: [[Step]],
        _ paths: inout [ObservedPath]
    ) {
        switch condition {
        case .order, .between, .isIn, .text, .words, .within, .isOfType, .isPart: break
        case .expression(_, let expression): add(expression, in: scopes, &paths)
        case .textPath(_, _, let path): add(path, in: scopes, &paths)
        case .anyOf(let parts), .allOf(let parts):
            for part in parts { add(part, in: scopes, &paths) }
        }
    }

    private static func add(
        _ expression: BoundExpression,
        in scopes: [[Step]],
        _ paths: inout [ObservedPath]
    ) {
        switch expression {
        // A link to an object that goes becomes nil, and that to a new one is new.
        case .constant, .object: break
        case .path(let path): add(path, in: scopes, &paths)
        case .arithmetic(_, let left, let right):
            add(left, in: scopes, &paths)
            add(right, in: scopes, &paths)
        }
    }

    private static func add(
        _ path: BoundPath,
        in scopes: [[Step]],
        _ paths: inout [ObservedPath]
    ) {
        let start = scopes[scopes.count - 1 - path.level]
        let (here, table) = walk(path.hops, from: path.root, after: start)
        switch path.end {
        case .object: paths.append(ObservedPath(steps: here))
        case .value(let column, _), .elements(let column, _), .nested(let column, _, _):
            paths.append(ObservedPath(steps: here, end: .column(table, column)))
        case .place(let place):
            for column in [place.type, place.coordinates] {
                paths.append(ObservedPath(steps: here, end: .column(table, column)))
            }
        case .count(let collection), .aggregate(_, let collection):
            let (there, member) = walk(collection.hops, from: table, after: here)
            switch collection.member {
            case .object: paths.append(ObservedPath(steps: there))
            case .value(let column, _), .elements(let column, _):
                paths.append(ObservedPath(steps: there, end: .column(member, column)))
            }
        case .incomingCount(let hops):
            // Each is a way of its own from here.
            for hop in hops {
                paths.append(ObservedPath(steps: walk([hop], from: table, after: here).0))
            }
        case .subqueryCount(let collection, let node):
            let (there, _) = walk(collection.hops, from: table, after: here)
            paths.append(ObservedPath(steps: there))
            add(node, in: scopes + [there], &paths)
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
            case .link(let column, _), .links(let column, _), .entry(let column, _, _):
                steps.append(.link(source: table, column: column))
            case .backlinks(let origin, let column):
                steps.append(.backlink(origin: origin, column: column))
            }
            table = hop.target
        }
        return (steps, table)
    }
}
