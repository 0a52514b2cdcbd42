/// One property to sort by: reached over to-one links, nil and links that lead nowhere first.
struct SortKey {
    let path: BoundPath
    let isAscending: Bool
    let type: ValueType
    /// The column, where the property is the sorted class's own.
    let column: Int?

    /// - Throws: ``QueryError`` in RealmSwift's words unless the key path leads to one value.
    init(_ keyPath: String, ascending: Bool, in table: any QueryTable) throws(QueryError) {
        path = try BoundPath(sorting: keyPath, in: table)
        isAscending = ascending
        guard case .value(let column, let type) = path.end else {
            throw QueryError("Cannot sort on key path '\(keyPath)'")
        }
        self.type = type
        self.column = path.hops.isEmpty ? column : nil
    }

    private init(_ path: BoundPath, like key: SortKey) {
        self.path = path
        isAscending = key.isAscending
        type = key.type
        column = key.column
    }

    /// The same in another Realm of the store, whose tables `table` gives by id.
    func moved(_ table: (TableID) -> any QueryTable) -> SortKey {
        SortKey(path.moved(table), like: self)
    }
}

extension BoundPath {
    /// A path for sorting and aggregates: names with dots, over to-one links, to a value.
    init(
        sorting keyPath: String,
        in table: any QueryTable,
        verb: String = "sort"
    ) throws(QueryError) {
        func failure(_ detail: String) -> QueryError {
            QueryError("Cannot \(verb) on key path '\(keyPath)': \(detail)")
        }
        self.init(root: table, text: keyPath)
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false)
        for (index, name) in names.enumerated() {
            let target = target
            let place = "property '\(target.className).\(name)'"
            if name.hasPrefix("@") {
                throw failure("KVC collection operators are not supported.")
            }
            guard let property = target.queryProperty(named: String(name)) else {
                throw failure(
                    "\(place) does not exist."
                        + Suggestion.text(for: String(name), among: target.propertyNames)
                )
            }
            let isLast = index == names.count - 1
            switch property {
            case .value(let column, let type):
                guard isLast else { throw failure("\(place) is not a link.") }
                end = .value(column: column, type)
            case .link(let column, let next):
                if isLast { throw failure("\(place) is of unsupported type 'object'.") }
                hops.append(.link(column: column, next))
            case .values, .links:
                throw failure("\(place) is of unsupported type 'array'.")
            case .backlinks:
                throw failure("\(place) is of unsupported type 'linking objects'.")
            }
        }
    }
}
