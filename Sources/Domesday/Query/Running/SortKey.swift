import PredicateLanguage

/// One value to sort by: reached over to-one links, nil and links that lead nowhere first.
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
        guard let type = path.end.valueType else {
            throw QueryError("Cannot sort on key path '\(keyPath)'")
        }
        self.type = type
        if case .value(let column, _) = path.end, path.hops.isEmpty {
            self.column = column
        } else {
            column = nil
        }
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
    /// What a path is bound for.
    enum Purpose: Equatable {
        /// One value; also how many a collection has, or `@min`, `@max`, `@sum`, `@avg` of it.
        case sort
        /// One value or object.
        case distinct
        /// One value of each object, to be summed up.
        case aggregate(Aggregate)
        /// One value or object.
        case group

        fileprivate var verb: String {
            switch self {
            case .sort: "sort"
            case .distinct: "distinct"
            case .aggregate(let operation): operation.word
            case .group: "group"
            }
        }
    }

    /// A path for sorting and aggregates: names with dots, over to-one links, to a value.
    ///
    /// - Throws: ``QueryError`` in RealmSwift's words for all else.
    init(
        sorting keyPath: String,
        in table: any QueryTable,
        for purpose: Purpose = .sort
    ) throws(QueryError) {
        func failure(_ detail: String) -> QueryError {
            QueryError("Cannot \(purpose.verb) on key path '\(keyPath)': \(detail)")
        }
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if names.contains(where: { $0.hasPrefix("@") }) {
            guard purpose == .sort, let path = try Self.operation(names, in: table) else {
                if purpose == .distinct {
                    throw QueryError(
                        "Cannot distinct on keypath '\(keyPath)': KVC collection operators are not "
                            + "supported."
                    )
                }
                throw failure("KVC collection operators are not supported.")
            }
            self = path
            return
        }
        self.init(root: table, text: keyPath)
        for (index, name) in names.enumerated() {
            let target = target
            let place = "property '\(target.className).\(name)'"
            guard let property = target.queryProperty(named: name) else {
                throw failure(
                    "\(place) does not exist."
                        + Suggestion.text(for: name, among: target.propertyNames)
                )
            }
            let isLast = index == names.count - 1
            switch property {
            case .value(let column, let type):
                guard isLast else { throw failure("\(place) is not a link.") }
                end = .value(column: column, type)
            case .link(let column, let next):
                if isLast, purpose != .distinct, purpose != .group {
                    throw failure("\(place) is of unsupported type 'object'.")
                }
                hops.append(.link(column: column, next))
            case .values, .links:
                throw failure("\(place) is of unsupported type 'array'.")
            case .backlinks:
                throw failure("\(place) is of unsupported type 'linking objects'.")
            }
        }
    }

    /// A path that ends in an operation on a collection; nil if it does not lead to one value, or
    /// there is no such operation.
    private static func operation(
        _ names: [String],
        in table: any QueryTable
    ) throws(QueryError) -> BoundPath? {
        let known = ["@count", "@size", "@min", "@max", "@sum", "@avg"]
        let operations = names.filter { $0.hasPrefix("@") }
        guard operations.count == 1, known.contains(operations[0]) else { return nil }
        let path = try Binder(table: table).bind(
            PredicateLanguage.KeyPath(
                steps: names.map { $0.hasPrefix("@") ? .operation($0) : .property($0) }
            )
        )
        return path.isToMany ? nil : path
    }
}
