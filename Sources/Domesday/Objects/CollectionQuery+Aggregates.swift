import Foundation

// Figures of a collection: of a property, of groups, of the elements themselves.

extension CollectionQuery {
    /// A property that an aggregate is taken of.
    ///
    /// - Throws: ``QueryError`` if it holds nothing of that kind.
    private func path(_ operation: Aggregate, _ keyPath: String) throws(QueryError) -> BoundPath {
        let path = try BoundPath(sorting: keyPath, in: table, for: .aggregate(operation))
        guard let type = path.end.valueType?.type, operation.takes(type) else {
            throw QueryError(
                "Operation '\(operation.word)' not supported for "
                    + "\(path.typeDescription) property '\(table.schema.name).\(keyPath)'"
            )
        }
        return path
    }

    /// - Throws: ``QueryError`` if the property holds nothing of that kind, or the sum is too large.
    func aggregate(_ operation: Aggregate, _ keyPath: String) throws(QueryError) -> Any? {
        let path = try path(operation, keyPath)
        let sums = reading { () throws(StorageError) in try query.aggregate(path) }
        return try result(sums, operation, path)
    }

    private func result(
        _ sums: AggregateSums,
        _ operation: Aggregate,
        _ path: BoundPath
    ) throws(QueryError) -> Any? {
        if operation == .sum, sums.isIntegerOverflown {
            throw QueryError(
                "The sum of '\(table.schema.name).\(path.text)' is beyond the range of Int"
            )
        }
        return sums.plainResult(operation, in: state)
    }

    /// Groups of objects that have the same value at a key path, with figures: nil operations
    /// count.
    func groups(
        by keyPath: String,
        _ figures: [(operation: Aggregate?, keyPath: String)]
    ) throws(QueryError) -> [(first: ObjectBase, figures: [Any?])] {
        state.checkConfinement()
        let key = try BoundPath(sorting: keyPath, in: table, for: .group)
        var paths: [BoundPath?] = []
        for figure in figures {
            guard let operation = figure.operation else {
                paths.append(nil)
                continue
            }
            paths.append(try path(operation, figure.keyPath))
        }
        let grouping = Grouping(key: key, figures: paths)
        let groups = reading { () throws(StorageError) in
            try grouping.groups(of: try query.remainingRun())
        }
        var result: [(first: ObjectBase, figures: [Any?])] = []
        for group in groups {
            var values: [Any?] = []
            for (index, figure) in figures.enumerated() {
                guard let operation = figure.operation, let path = paths[index] else {
                    values.append(group.count)
                    continue
                }
                values.append(try self.result(group.sums[index], operation, path))
            }
            let first = reading { () throws(StorageError) in try object(group.first) }
            if let first { result.append((first, values)) }
        }
        return result
    }
}

extension Aggregate {
    /// Whether it can be taken of values of a type.
    func takes(_ type: ColumnType) -> Bool {
        switch type {
        case .int, .float, .double, .decimal, .mixed: true
        case .date: self == .min || self == .max
        default: false
        }
    }
}

extension AggregateSums {
    /// Whether a sum of integers left the range of Int.
    var isIntegerOverflown: Bool { type.type == .int && hasOverflown }

    /// The result as Int, Double, Date, Decimal128 or a value of any type; nil for none.
    func plainResult(_ operation: Aggregate, in state: RealmState?) -> Any? {
        switch result(operation) {
        case .int(let value): return Int(value)
        case .double(let value):
            return type.type == .date ? Date(timeIntervalSinceReferenceDate: value) : value
        case .decimal(let value): return Decimal128(value)
        case .mixed(let value): return AnyRealmValue(value, in: state)
        default: return nil
        }
    }
}
