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

    /// The same query in another Realm of the store; nil if it starts from an object's collection and
    /// the object is not there.
    func moved(to state: RealmState) throws(StorageError) -> CollectionQuery? {
        try query.moved { state.requireTable($0, isDynamic: table.schema.isDynamic) }
            .map { CollectionQuery(state, state.requireTable(like: table), $0) }
    }

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

    /// Asks the condition, then sorts, makes distinct and cuts as the text says.
    func filtered(_ predicate: PredicateLanguage.Predicate) throws(QueryError) -> CollectionQuery {
        state.checkConfinement()
        var result = with(query.filtered(try Binder.bind(predicate, to: table)))
        for clause in predicate.ordering {
            switch clause {
            case .sort(let terms):
                result = try result.sorted(terms.map { ($0.path.dotted, $0.isAscending) })
            case .distinct(let paths): result = try result.distinct(paths.map(\.dotted))
            case .limit(let count): result = result.limited(count)
            }
        }
        return result
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

    func distinct(_ keyPaths: [String]) throws(QueryError) -> CollectionQuery {
        state.checkConfinement()
        var paths: [BoundPath] = []
        for keyPath in keyPaths {
            paths.append(try BoundPath(sorting: keyPath, in: table, for: .distinct))
        }
        return paths.isEmpty ? self : with(query.followed(by: .distinct(paths)))
    }

    /// - Precondition: not negative.
    func limited(_ count: Int) -> CollectionQuery {
        state.checkConfinement()
        return with(query.followed(by: .limit(count)))
    }

    /// - Precondition: not negative.
    func skipping(_ count: Int) -> CollectionQuery {
        state.checkConfinement()
        return with(query.followed(by: .offset(count)))
    }
}

extension PredicateLanguage.KeyPath {
    /// The names with dots.
    fileprivate var dotted: String {
        steps.map { step in
            switch step {
            case .property(let name), .operation(let name): name
            case .elementCount: "@count"
            case .index, .anyElement, .firstElement, .lastElement: "@subscript"
            }
        }.joined(separator: ".")
    }
}
