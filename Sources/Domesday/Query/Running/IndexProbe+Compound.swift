import PredicateLanguage

// Compound indexes: for conditions that ask for equality with the first columns of one.

extension IndexProbe {
    /// How many combinations of values are looked up at most.
    private static let mostRanges = 1024

    /// The probe of the compound index that leads to the fewest objects; nil if no condition is about
    /// the first column of one.
    ///
    /// - Parameter nodes: Conditions that must all hold.
    static func compound(for nodes: [BoundNode]) throws(StorageError) -> IndexProbe? {
        var best: IndexProbe?
        for tests in equalities(nodes) {
            guard let probe = try compound(for: tests) else { continue }
            if best.map({ probe.estimate < $0.estimate }) ?? true { best = probe }
        }
        return best
    }

    /// The tests that ask for values of a property: together those about one object, which is the
    /// tested one or the one that the same to-one links lead to.
    private static func equalities(_ nodes: [BoundNode]) -> [[BoundTest]] {
        var groups: [[BoundTest]] = []
        var groupByLinks: [[Int]: Int] = [:]
        for case .test(let test) in nodes where test.quantifier == .any && test.path.level == 0 {
            guard case .value = test.path.end, test.condition.isConstant else { continue }
            // One of many objects may pass one test, and another one the next.
            let links = test.path.linkColumns
            if let group = links.flatMap({ groupByLinks[$0] }) {
                groups[group].append(test)
            } else {
                if let links { groupByLinks[links] = groups.count }
                groups.append([test])
            }
        }
        return groups
    }

    /// - Parameter tests: Of one object, at the end of one path.
    private static func compound(for tests: [BoundTest]) throws(StorageError) -> IndexProbe? {
        let path = tests[0].path
        let target = path.target
        // A link that leads nowhere is in no index.
        let nilMatches = tests.allSatisfy { $0.condition.holds(.null) }
        if !path.hops.isEmpty, nilMatches, !path.isToMany { return nil }
        var best: IndexProbe?
        var images: [Int: [UInt64]]?
        for index in target.reader.definition.columns where index.isCompound && !index.isRemoved {
            let known = images ?? Self.images(tests, target.reader)
            images = known
            guard let probe = try probe(index, known, target) else { continue }
            if best.map({ probe.estimate < $0.estimate }) ?? true { best = probe }
        }
        return try best.flatMap { best throws(StorageError) in try back(along: path, from: best) }
    }

    /// For each column of the class that must equal one of some values, their images.
    private static func images(_ tests: [BoundTest], _ reader: TableReader) -> [Int: [UInt64]] {
        var result: [Int: [UInt64]] = [:]
        for test in tests {
            guard case .value(let column, let type) = test.path.end else { continue }
            let values: [QueryValue]
            switch test.condition {
            case .order(.equal, let value): values = [value]
            case .isIn(let some): values = Array(some)
            case .text(let match) where match.operation == .equal && match.options.isEmpty:
                values = [match.original.map { .bytes($0) } ?? .null]
            default: continue
            }
            var images: Set<UInt64> = []
            var areAll = true
            for value in values {
                if let image = image(value, type, reader) {
                    images.insert(image)
                } else {
                    areAll = false
                }
            }
            guard areAll, images.count < result[column]?.count ?? .max else { continue }
            result[column] = images.sorted()
        }
        return result
    }

    private static func probe(
        _ index: ColumnDefinition,
        _ equalities: [Int: [UInt64]],
        _ table: any QueryTable
    ) throws(StorageError) -> IndexProbe? {
        let reader = table.reader
        var prefixes = [CompoundImage(columnCount: index.components.count)]
        var count = 0
        for component in index.components {
            guard let images = equalities[component],
                prefixes.count * images.count <= mostRanges
            else { break }
            prefixes = prefixes.flatMap { prefix in
                images.map { image in
                    var longer = prefix
                    longer.append(image)
                    return longer
                }
            }
            count += 1
        }
        guard count > 0, let stored = reader.index(index.id) else { return nil }
        let ranges = Set(prefixes.map(\.range)).sorted { $0.lowerBound < $1.lowerBound }
        var estimate = 0
        for range in ranges { estimate += try stored.count(in: range, from: reader) }
        let part = count < index.components.count ? ", first \(count)" : ""
        return IndexProbe(
            estimate: estimate,
            isExact: false,
            description: {
                let names = index.components.map { table.propertyName(ofColumn: $0) }
                return "index on \(table.className).(\(names.joined(separator: ", ")))\(part)"
            }
        ) { () throws(StorageError) in
            var keys: [ObjectKey] = []
            for range in ranges {
                keys += try reader.index(index.id)?.keys(in: range, from: reader) ?? []
            }
            return keys
        }
    }
}

extension BoundPath {
    /// The columns of the to-one links it leads along; nil if it leads to many, or otherwise.
    fileprivate var linkColumns: [Int]? {
        var columns: [Int] = []
        for hop in hops {
            guard case .link(let column, _) = hop else { return nil }
            columns.append(column)
        }
        return columns
    }
}
