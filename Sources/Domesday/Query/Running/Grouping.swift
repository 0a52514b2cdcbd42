/// Puts objects with equal values together and sums up figures of each group.
///
/// **Threads.** Its reader's.
struct Grouping {
    /// What objects of a group have in common.
    let key: BoundPath
    /// What is summed up; nil counts the objects.
    let figures: [BoundPath?]

    /// One group.
    struct Group {
        let value: QueryValue
        /// The first object, in the order of the run.
        let first: ObjectKey
        var count = 0
        /// One for each figure; those that count stay empty.
        var sums: [AggregateSums]
    }

    /// The groups, ascending by their values, nil first.
    ///
    /// - Complexity: O(objects + groups * log groups).
    func groups(of run: QueryRun) throws(StorageError) -> [Group] {
        let keyReader = Self.reader(key)
        let readers = figures.map { $0.map(Self.reader) }
        let empty = figures.map { path in
            AggregateSums(path?.end.valueType ?? ValueType(type: .int, isOptional: false))
        }
        var groups: [Group] = []
        var positions: [DistinctValue: Int] = [:]
        try run.forEach { key, view, row throws(StorageError) in
            let value = try keyReader.value(view, row)
            let position: Int
            if let known = positions[DistinctValue(value)] {
                position = known
            } else {
                position = groups.count
                positions[DistinctValue(value)] = position
                groups.append(Group(value: value, first: key, sums: empty))
            }
            groups[position].count += 1
            for (index, reader) in readers.enumerated() {
                guard let reader else { continue }
                groups[position].sums[index].add(try reader.value(view, row))
            }
            return true
        }
        return groups.sorted { $0.value.sortOrder(to: $1.value) < 0 }
    }

    private static func reader(_ path: BoundPath) -> PathReader {
        PathReader(path) { FilterCompiler.filter($0, $1, $2) }
    }
}
