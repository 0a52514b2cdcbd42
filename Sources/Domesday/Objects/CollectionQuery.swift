import Foundation
import PredicateLanguage

/// A collection of managed objects as a query, with the class its elements have.
///
/// **Threads.** The Realm's.
struct CollectionQuery {
    let state: RealmState
    let table: BoundTable
    let query: ObjectQuery

    init(_ state: RealmState, _ table: BoundTable, _ query: ObjectQuery? = nil) {
        self.state = state
        self.table = table
        self.query = query ?? ObjectQuery(table)
    }

    func with(_ query: ObjectQuery) -> CollectionQuery { CollectionQuery(state, table, query) }

    /// Traps on a wrong thread, and after `invalidate`.
    func check() {
        state.checkConfinement()
        if table.control.pointee.isInvalidated {
            fatalError(
                "Access to invalidated Results objects of class '\(table.schema.name)': the Realm "
                    + "at path '\(state.path)' was invalidated."
            )
        }
    }

    /// Runs `body` and traps with path, class and cause if the store fails.
    func reading<R>(_ body: () throws(StorageError) -> R) -> R {
        check()
        do throws(StorageError) { return try body() } catch {
            ObjectTrap.storage(error, "Results of class '\(table.schema.name)'")
        }
    }

    /// The accessor of a key that the query gave; nil if the object is gone by now.
    func object(_ key: ObjectKey) throws(StorageError) -> ObjectBase? {
        guard let place = try table.reader.locate(key) else { return nil }
        return table.object(key, cluster: place.cluster, row: place.row)
    }

    // MARK: - Positions

    var count: Int { reading { () throws(StorageError) in try query.count() } }

    /// The object at a position. Traps beyond the end.
    func object(at position: Int) -> ObjectBase {
        if position < 0 { fatalError("Cannot pass a negative value for 'index'.") }
        let object = reading { () throws(StorageError) -> ObjectBase? in
            if query.isWholeTable { return try wholeTableObject(at: position) }
            let keys = try query.head(position + 1)
            return position < keys.count ? try self.object(keys[position]) : nil
        }
        guard let object else {
            let count = count
            if position < count {
                fatalError(
                    "The object at index \(position) of Results of class '\(table.schema.name)' "
                        + "has been deleted or invalidated."
                )
            }
            fatalError("Index \(position) is out of bounds (must be less than \(count)).")
        }
        return object
    }

    private func wholeTableObject(at position: Int) throws(StorageError) -> ObjectBase? {
        try table.reader.object(at: position).map { table.object($0) }
    }

    var first: ObjectBase? {
        reading { () throws(StorageError) in
            if query.isWholeTable {
                return table.reader.count == 0 ? nil : try wholeTableObject(at: 0)
            }
            return try query.head(1).first.flatMap { key throws(StorageError) in
                try object(key)
            }
        }
    }

    var last: ObjectBase? {
        let count = count
        return count == 0 ? nil : object(at: count - 1)
    }

    /// The position of an object, nil if it is not among them.
    ///
    /// - Complexity: O(*n*).
    func index(of object: ObjectBase) -> Int? {
        guard object.objectBinding.control == table.control, !object.isInvalidated else {
            return nil
        }
        let key = object.objectBinding.key
        return reading { () throws(StorageError) in try query.keys().firstIndex(of: key) }
    }

    // MARK: - Narrowing

    func filtered(_ predicate: PredicateLanguage.Predicate) throws(QueryError) -> CollectionQuery {
        state.checkConfinement()
        return with(query.filtered(try Binder.bind(predicate, to: table)))
    }

    func sorted(_ descriptors: [(keyPath: String, ascending: Bool)]) throws(QueryError)
        -> CollectionQuery
    {
        state.checkConfinement()
        var keys: [SortKey] = []
        for descriptor in descriptors {
            keys.append(
                try SortKey(descriptor.keyPath, ascending: descriptor.ascending, in: table)
            )
        }
        return with(query.sorted(keys))
    }

    // MARK: - Aggregates

    /// - Throws: ``QueryError`` if the property holds nothing of that kind.
    func aggregate(_ operation: Aggregate, _ keyPath: String) throws(QueryError) -> Any? {
        let path = try BoundPath(sorting: keyPath, in: table, verb: operation.word)
        let type = path.end.valueType?.type
        switch type {
        case .int, .float, .double, .decimal, .mixed: break
        case .date where operation == .min || operation == .max: break
        default:
            throw QueryError(
                "Operation '\(operation.word)' not supported for "
                    + "\(path.end.valueType?.description ?? "object") property "
                    + "'\(table.schema.name).\(keyPath)'"
            )
        }
        let sums = reading { () throws(StorageError) in try query.aggregate(path) }
        if operation == .sum, type == .int, sums.hasOverflown {
            throw QueryError(
                "The sum of '\(table.schema.name).\(keyPath)' is beyond the range of Int"
            )
        }
        return sums.result(operation).plain(type, in: state)
    }
}

extension Aggregate {
    /// The operation's name in messages.
    var word: String {
        switch self {
        case .min: "min"
        case .max: "max"
        case .sum: "sum"
        case .average: "average"
        }
    }
}

extension QueryValue {
    /// An aggregate's result, of the type of what was summed up, except that an average is a
    /// floating-point number; nil if there is none.
    ///
    /// - Parameter realm: where links in values of any type lead.
    func plain(_ type: ColumnType?, in realm: RealmState?) -> Any? {
        switch self {
        case .int(let value): Int(value)
        case .double(let value):
            type == .date ? Date(timeIntervalSinceReferenceDate: value) : value
        case .decimal(let value): Decimal128(value)
        case .mixed(let value): AnyRealmValue(value, in: realm)
        case .null, .bytes, .key: nil
        }
    }
}
