/// Reads what stands at the end of a path, row by row: the general case behind the filters with
/// loops of their own, and the values that sorting and aggregates take across links.
///
/// **Threads.** Its reader's.
final class PathReader {
    let path: BoundPath
    /// One more than hops: the tables that they lead to.
    private let tables: [TableReader]
    /// The same from the end on, for a collection that is counted or summed up.
    private let memberTables: [TableReader]
    private let collection: BoundCollection?
    /// The condition of a subquery.
    private let inner: RowFilter?
    /// Where the path starts, if that is an object outside the subquery it is in.
    private let outer: OuterRow?
    /// Where the subquery's condition finds the object that is tested here; nil if it asks nothing
    /// of it.
    private let frame: OuterRow?

    /// - Parameters:
    ///   - frames: The objects outside, the outermost first.
    ///   - compile: Makes the filter of a subquery's condition.
    init(
        _ path: BoundPath,
        frames: [OuterRow] = [],
        compile: (BoundNode, any QueryTable, [OuterRow]) -> RowFilter
    ) {
        self.path = path
        outer = path.level == 0 ? nil : frames[frames.count - path.level]
        let inside = OuterRow()
        tables = [path.root.reader] + path.hops.map { $0.target.reader }
        var isCorrelated = false
        switch path.end {
        case .count(let collection), .aggregate(_, let collection):
            (self.collection, inner) = (collection, nil)
        case .subqueryCount(let collection, let node):
            self.collection = collection
            inner = collection.hops.last.map { compile(node, $0.target, frames + [inside]) }
            isCorrelated = node.isCorrelated
        case .object, .value, .place, .elements, .nested, .incomingCount:
            (collection, inner) = (nil, nil)
        }
        frame = isCorrelated ? inside : nil
        memberTables =
            [path.target.reader] + (collection?.hops.map { $0.target.reader } ?? [])
    }

    /// The one value of a path that leads to one.
    func value(_ view: ClusterView, _ row: Int) throws(StorageError) -> QueryValue {
        frame?.enter(view, row)
        var (view, row) = outer?.place ?? (view, row)
        for (index, hop) in path.hops.enumerated() {
            let key: ObjectKey
            switch hop {
            case .link(let column, _): key = view.int(column, row)
            case .entry(let column, let step, _):
                key = try tables[index].link(view, column, row, at: step)
            case .links, .backlinks: return .null
            }
            guard key != 0 else { return path.end.valueOfNothing }
            if case .object = path.end, index == path.hops.count - 1 { return .key(key) }
            guard let place = try tables[index + 1].locate(key) else {
                return path.end.valueOfNothing
            }
            (view, row) = (ClusterView(place.cluster), place.row)
        }
        return try end(tables[tables.count - 1], view, row)
    }

    /// Calls `body` with each value at the path's end until it returns true; tells whether it did.
    func contains(
        _ view: ClusterView,
        _ row: Int,
        where body: (QueryValue) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        guard path.isToMany else { return try body(try value(view, row)) }
        frame?.enter(view, row)
        let (view, row) = outer?.place ?? (view, row)
        return try contains(0, view, row, body)
    }

    private func contains(
        _ index: Int,
        _ view: ClusterView,
        _ row: Int,
        _ body: (QueryValue) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        let here = tables[index]
        guard index < path.hops.count else {
            let values: [QueryValue]
            switch path.end {
            case .elements(let column, let type):
                values = try here.elements(view, column, row, type)
            case .nested(let column, let type, let steps)
            where steps.contains(where: \.isToMany):
                values = try here.values(view, column, row, type, along: steps)
            default: return try body(try end(here, view, row))
            }
            for value in values where try body(value) { return true }
            return false
        }
        let next = tables[index + 1]
        let keys = try here.keys(through: path.hops[index], next, view, row)
        if keys.isEmpty, !path.hops[index].isToMany, case .object = path.end,
            index == path.hops.count - 1
        {
            return try body(.null)
        }
        for key in keys {
            if case .object = path.end, index == path.hops.count - 1 {
                if try body(key == 0 ? .null : .key(key)) { return true }
                continue
            }
            guard let place = try next.locate(key) else { continue }
            if try contains(index + 1, ClusterView(place.cluster), place.row, body) { return true }
        }
        return false
    }

    private func end(
        _ table: TableReader,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> QueryValue {
        switch path.end {
        case .object: return .key(view.key(row))
        case .value(let column, let type): return try table.value(view, column, row, type)
        case .place(let columns): return try table.place(columns, view, row)
        case .elements: return .null
        case .nested(let column, let type, let steps):
            return try table.values(view, column, row, type, along: steps).first ?? .null
        case .count(let collection): return .int(Int64(try count(collection, view, row)))
        case .incomingCount(let hops):
            var count = 0
            for case .backlinks(let origin, let column) in hops {
                count += try origin.reader.sourceCount(of: view.key(row), through: column)
            }
            return .int(Int64(count))
        case .aggregate(let operation, let collection):
            guard let type = collection.member.valueType else { return .null }
            var sums = AggregateSums(type)
            try forEachMember(0, view, row) { (table, view, row) throws(StorageError) in
                switch collection.member {
                case .object: break
                case .value(let column, let type):
                    sums.add(try table.value(view, column, row, type))
                case .elements(let column, let type):
                    for element in try table.elements(view, column, row, type) {
                        sums.add(element)
                    }
                }
            }
            return sums.result(operation)
        case .subqueryCount:
            var count: Int64 = 0
            try forEachMember(0, view, row) { (_, view, row) throws(StorageError) in
                if try inner?.matches(view, row) ?? false { count += 1 }
            }
            return .int(count)
        }
    }

    private func count(
        _ collection: BoundCollection,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> Int {
        if case .object = collection.member, collection.hops.count == 1,
            case .backlinks(_, let column)? = collection.hops.first
        {
            return try memberTables[1].sourceCount(of: view.key(row), through: column)
        }
        // Nil among a map's values counts.
        if case .object = collection.member, collection.hops.count == 1,
            case .links(let column, _)? = collection.hops.first
        {
            return try memberTables[0].elementCount(view, column, row)
        }
        var count = 0
        try forEachMember(0, view, row) { (table, view, row) throws(StorageError) in
            if case .elements(let column, _) = collection.member {
                count += try table.elementCount(view, column, row)
            } else {
                count += 1
            }
        }
        return count
    }

    /// Calls `body` with each object that the collection's hops lead to.
    private func forEachMember(
        _ index: Int,
        _ view: ClusterView,
        _ row: Int,
        _ body: (TableReader, ClusterView, Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let collection, index < collection.hops.count else {
            return try body(memberTables[index], view, row)
        }
        let next = memberTables[index + 1]
        for key in try memberTables[index].keys(through: collection.hops[index], next, view, row) {
            guard let place = try next.locate(key) else { continue }
            try forEachMember(index + 1, ClusterView(place.cluster), place.row, body)
        }
    }
}

extension TableReader {
    /// One value as queries compare it.
    func value(
        _ view: ClusterView,
        _ column: Int,
        _ row: Int,
        _ type: ValueType
    ) throws(StorageError) -> QueryValue {
        if view.state(column, row) == 1 { return .null }
        switch type.type {
        case .decimal: return .decimal(DecimalNumber(bytes: view.fixed(column, row)))
        case .mixed: return try mixedValue(view, column, row)
        case .bool, .int: return .int(view.int(column, row))
        case .link:
            let key = view.int(column, row)
            return key == 0 ? .null : .key(key)
        case .float: return .double(Double(view.float(column, row)))
        case .double, .date: return .double(view.double(column, row))
        case .string, .data, .uuid, .objectId:
            return .bytes(Array(try storedBytes(view, column, row)))
        }
    }

    func elementCount(
        _ view: ClusterView,
        _ column: Int,
        _ row: Int
    ) throws(StorageError) -> Int {
        guard let count = try sequence(column, view, row).count else { throw damagedSequence(view) }
        return count
    }

    /// The elements of a collection of values; of a map its values, or its keys.
    func elements(
        _ view: ClusterView,
        _ column: Int,
        _ row: Int,
        _ type: ValueType,
        areKeys: Bool = false
    ) throws(StorageError) -> [QueryValue] {
        let sequence = try sequence(column, view, row)
        var elements: [QueryValue] = []
        let isWhole = sequence.forEach { element in
            let layout = sequence.layout
            let bytes = areKeys ? layout.key(of: element) : layout.value(of: element)
            elements.append(QueryValue(bytes, type.type))
            return true
        }
        if !isWhole { throw damagedSequence(view) }
        return elements
    }
}

extension QueryValue {
    /// From the bytes of a collection's element; `SequenceLayout` made sure of their number.
    init(_ bytes: UnsafeRawBufferPointer?, _ type: ColumnType) {
        guard let bytes else {
            self = .null
            return
        }
        switch type {
        case .decimal: self = .decimal(DecimalNumber(bytes: bytes))
        case .mixed: self = MixedValue(bytes).map { QueryValue(mixed: $0) } ?? .null
        case .bool: self = .int(Int64(bytes[0]))
        case .int: self = .int(bytes.loadUnaligned(as: Int64.self))
        case .link: self = .key(bytes.loadUnaligned(as: Int64.self))
        case .float: self = .double(Double(bytes.loadUnaligned(as: Float.self)))
        case .double, .date: self = .double(bytes.loadUnaligned(as: Double.self))
        case .string, .data, .uuid, .objectId: self = .bytes(Array(bytes))
        }
    }
}
