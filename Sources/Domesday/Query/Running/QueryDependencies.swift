/// The tables and columns that a query reads.
///
/// **Threads.** A value.
struct QueryDependencies {
    /// Tables whose objects may come and go.
    private(set) var tables: Set<TableID> = []
    private(set) var columns: Set<Column> = []

    struct Column: Hashable {
        let table: TableID
        let column: Int
    }

    init(of query: ObjectQuery) {
        tables.insert(query.table.tableID)
        if let inner = query.source?.sourceQuery {
            let those = QueryDependencies(of: inner)
            tables.formUnion(those.tables)
            columns.formUnion(those.columns)
        } else if let (table, column) = query.source?.sourceDependency {
            tables.insert(table)
            columns.insert(Column(table: table, column: column))
        }
        if let condition = query.condition { add(condition) }
        for step in query.steps { for path in step.paths { add(path) } }
    }

    /// One column, of which objects may come and go.
    init(_ table: TableID, column: Int) {
        tables.insert(table)
        columns.insert(Column(table: table, column: column))
    }

    private mutating func add(_ node: BoundNode) {
        switch node {
        case .constant: break
        case .and(let nodes), .or(let nodes): for node in nodes { add(node) }
        case .not(let node): add(node)
        case .test, .calculation: node.forEachPath { path, _ in add(path) }
        }
    }

    private mutating func add(_ path: BoundPath) {
        let table = add(path.hops, from: path.root.tableID)
        switch path.end {
        case .object: break
        case .value(let column, _), .elements(let column, _), .nested(let column, _, _):
            columns.insert(Column(table: table, column: column))
        case .place(let place):
            columns.insert(Column(table: table, column: place.type))
            columns.insert(Column(table: table, column: place.coordinates))
        case .count(let collection), .aggregate(_, let collection): add(collection, from: table)
        case .incomingCount(let hops): for hop in hops { _ = add([hop], from: table) }
        // Its condition's paths are visited for themselves.
        case .subqueryCount(let collection, _): add(collection, from: table)
        }
    }

    private mutating func add(_ collection: BoundCollection, from table: TableID) {
        let target = add(collection.hops, from: table)
        switch collection.member {
        case .object: break
        case .value(let column, _), .elements(let column, _):
            columns.insert(Column(table: target, column: column))
        }
    }

    /// - Returns: The table that the hops lead to.
    private mutating func add(_ hops: [BoundHop], from start: TableID) -> TableID {
        var table = start
        for hop in hops {
            switch hop {
            case .link(let column, let target), .links(let column, let target),
                .entry(let column, _, let target):
                columns.insert(Column(table: table, column: column))
                table = target.tableID
            case .backlinks(let origin, let column):
                table = origin.tableID
                columns.insert(Column(table: table, column: column))
            }
            tables.insert(table)
        }
        return table
    }
}

/// Tells whether anything may have changed that a query read.
///
/// Setting a property that it does not read changes nothing: a loop over sorted objects may.
struct QueryStamp: Equatable {
    private let version: UInt64
    private let cancelCount: UInt64
    /// Counts only rise, so an equal sum means equal counts.
    private let changeCount: UInt64

    /// Of what never changes.
    init() {
        version = 0
        cancelCount = 0
        changeCount = 0
    }

    init(_ reader: StoreReader, _ dependencies: QueryDependencies) {
        version = reader.snapshot.version
        cancelCount = reader.cancelCount
        var sum: UInt64 = 0
        for table in dependencies.tables { sum &+= reader.changeCounts(of: table).objects }
        for column in dependencies.columns {
            sum &+= reader.changeCounts(of: column.table).changes(of: column.column)
        }
        changeCount = sum
    }
}
