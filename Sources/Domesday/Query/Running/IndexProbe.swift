import PredicateLanguage

/// A way to find a superset of a condition's matches through an index.
///
/// **Threads.** Its reader's.
struct IndexProbe {
    /// How many objects it leads to at most, counted in the index.
    let estimate: Int
    /// Whether it leads to exactly the matches, each once.
    let isExact: Bool
    /// For `explain`.
    let description: () -> String
    let keys: () throws(StorageError) -> [ObjectKey]

    /// The probe that leads to the fewest objects; nil if no index helps.
    ///
    /// - Parameter scans: Whether all objects of a class behind a link may be looked at, where they
    ///   are few beside those that link to them; their links' index leads back.
    static func best(
        for node: BoundNode,
        _ table: any QueryTable,
        scanningSmallClasses scans: Bool = false
    ) throws(StorageError) -> Self? {
        switch node {
        case .and(let nodes):
            var best: IndexProbe?
            for node in nodes {
                guard
                    let probe = try Self.best(for: node, table, scanningSmallClasses: scans)
                else { continue }
                if best.map({ probe.estimate < $0.estimate }) ?? true {
                    best = probe.inexact
                }
            }
            if let compound = try Self.compound(for: nodes),
                best.map({ compound.estimate < $0.estimate }) ?? true
            {
                return compound
            }
            return best
        case .or(let nodes):
            var probes: [IndexProbe] = []
            for node in nodes {
                guard
                    let probe = try Self.best(for: node, table, scanningSmallClasses: scans)
                else { return nil }
                probes.append(probe)
            }
            return probes.isEmpty ? nil : union(probes)
        case .test(let test):
            if let probe = try probe(test, table, scans) { return probe }
            return try compound(for: [node])
        case .constant, .not, .calculation: return nil
        }
    }

    private var inexact: IndexProbe {
        IndexProbe(estimate: estimate, isExact: false, description: description, keys: keys)
    }

    private static func union(_ probes: [IndexProbe]) -> IndexProbe {
        IndexProbe(
            estimate: probes.reduce(0) { $0 + $1.estimate },
            isExact: false,
            description: { probes.map { $0.description() }.joined(separator: " + ") }
        ) { () throws(StorageError) in
            var keys: [ObjectKey] = []
            for probe in probes { keys += try probe.keys() }
            return keys
        }
    }

    private static func probe(
        _ test: BoundTest,
        _ table: any QueryTable,
        _ scans: Bool
    ) throws(StorageError) -> IndexProbe? {
        guard test.quantifier == .any, test.condition.isConstant else { return nil }
        var path = test.path
        var probe: IndexProbe?
        switch path.end {
        case .value(let column, let type):
            probe = try values(path.target, column, type, test.condition)
            if probe == nil, scans { probe = try scan(path, test.condition) }
        case .place:
            if scans { probe = try scan(path, test.condition) }
        case .object:
            guard let hop = path.hops.popLast() else { return nil }
            probe = try objects(hop, path.target, test.condition)
        default: return nil
        }
        // Back from the end to the root, through the links' own indexes. A link that leads nowhere
        // is in none of them.
        if !path.hops.isEmpty, test.condition.holds(.null), !path.isToMany { return nil }
        return try probe.flatMap { probe throws(StorageError) in try back(along: path, from: probe)
        }
    }

    /// The objects at the end of some hops of which a condition holds, found by looking at all.
    private static func scan(
        _ path: BoundPath,
        _ condition: BoundCondition
    ) throws(StorageError) -> IndexProbe? {
        // What no index leads back from is not looked for.
        let leadsBack = path.hops.allSatisfy { if case .entry = $0 { false } else { true } }
        if path.hops.isEmpty || !leadsBack || condition.holds(.null) && !path.isToMany {
            return nil
        }
        let target = path.target
        let end = BoundPath(root: target, end: path.end, text: path.text)
        let node = BoundNode.test(BoundTest(path: end, condition: condition))
        let cost = Double(target.reader.count) * FilterCompiler.filter(node, target).cost
        guard cost * 4 < Double(path.root.reader.count) else { return nil }
        let run = QueryRun(target, source: nil, condition: node)
        let keys = Array(try run.keys(first: mostKeys + 1))
        return IndexProbe(
            estimate: keys.count,
            isExact: true,
            description: { "scan of \(target.reader.count) objects of \(target.className)" }
        ) { () throws(StorageError) in keys }
    }

    // MARK: values

    private static func values(
        _ table: any QueryTable,
        _ column: Int,
        _ type: ValueType,
        _ condition: BoundCondition
    ) throws(StorageError) -> IndexProbe? {
        let reader = table.reader
        if case .words(let search) = condition { return try words(search, table, column) }
        // Other indexes are of links, or of words.
        guard reader.index(column) != nil, reader.definition.columns[column].entersIndex else {
            return nil
        }
        let images: [ClosedRange<UInt64>]
        var isExact = !type.isBytes && type.type != .uuid && type.type != .objectId
        switch condition {
        case .order(.equal, let value):
            guard let image = image(value, type, reader) else { return nil }
            images = [image...image]
        case .text(let match) where match.operation == .equal && match.options.isEmpty:
            let value = match.original.map { QueryValue.bytes($0) } ?? .null
            guard let image = image(value, type, reader) else { return nil }
            images = [image...image]
        case .isIn(let values):
            var found: Set<UInt64> = []
            for value in values {
                guard let image = image(value, type, reader) else { return nil }
                found.insert(image)
            }
            images = found.sorted().map { $0...$0 }
        case .order(let comparison, let value):
            guard isExact, value != .null else { return nil }
            guard let range = range(comparison, value, type) else { return nil }
            images = [range]
        case .between(let low, let high):
            guard isExact, low != .null, high != .null,
                let from = range(.greaterOrEqual, low, type),
                let to = range(.lessOrEqual, high, type), from.lowerBound <= to.upperBound
            else { return nil }
            images = [from.lowerBound...to.upperBound]
        default: return nil
        }
        // nil shares its image with the least value, and may be asked for where there is none.
        if images.contains(where: { $0.lowerBound == IndexValue.null }) {
            isExact = false
        }
        var estimate = 0
        for image in images {
            estimate += try reader.index(column)?.count(in: image, from: reader) ?? 0
        }
        return IndexProbe(
            estimate: estimate,
            isExact: isExact,
            description: { "index on \(table.className).\(table.propertyName(ofColumn: column))" }
        ) { () throws(StorageError) in
            var keys: [ObjectKey] = []
            for image in images {
                keys += try reader.index(column)?.keys(in: image, from: reader) ?? []
            }
            return keys
        }
    }

    /// nil for what no entry of that column can equal, or where equality is not equality of images.
    static func image(
        _ value: QueryValue,
        _ type: ValueType,
        _ table: TableReader
    ) -> UInt64? {
        switch value {
        case .null: return IndexValue.null
        case .int(let number):
            if type.type == .int || type.type == .bool { return IndexValue.int(number) }
            let near = Double(number)
            return NumberOrder.compare(number, near) == 0 ? IndexValue.double(near) : nil
        case .double(let number):
            if type.type == .int || type.type == .bool {
                return NumberOrder.range(.equal, value).range.map { IndexValue.int($0.lowerBound) }
            }
            return number.isNaN ? nil : IndexValue.double(number)
        case .bytes(let bytes):
            return bytes.withUnsafeBytes { IndexValue.bytes($0, seed: table.reader.store.seed) }
        case .key, .decimal, .mixed: return nil
        }
    }

    /// The images of the values that compare so.
    private static func range(
        _ comparison: BoundOrder,
        _ value: QueryValue,
        _ type: ValueType
    ) -> ClosedRange<UInt64>? {
        if type.type == .int || type.type == .bool {
            let (range, isInverted) = NumberOrder.range(comparison, value)
            guard let range, !isInverted else { return nil }
            return IndexValue.int(range.lowerBound)...IndexValue.int(range.upperBound)
        }
        guard let (comparison, number) = DoubleOrder.exact(comparison, value), !number.isNaN else {
            return nil
        }
        let image = IndexValue.double(number)
        // NaN stands above all numbers, nil below.
        let least = IndexValue.double(-.infinity)
        let greatest = IndexValue.double(.infinity)
        switch comparison {
        case .equal: return image...image
        case .notEqual: return nil
        case .less: return image > least ? least...(image - 1) : nil
        case .lessOrEqual: return least...image
        case .greater: return image < greatest ? (image + 1)...greatest : nil
        case .greaterOrEqual: return image...greatest
        }
    }

    // MARK: links

    /// Beyond this a scan is cheaper than asking about each.
    private static let mostKeys = 4096

    /// The objects whose link is one of some objects.
    private static func objects(
        _ hop: BoundHop,
        _ source: any QueryTable,
        _ condition: BoundCondition
    ) throws(StorageError) -> IndexProbe? {
        var targets: [ObjectKey] = []
        switch condition {
        case .order(.equal, .key(let key)): targets = [key]
        case .isIn(let values):
            for value in values {
                guard case .key(let key) = value else { return nil }
                targets.append(key)
            }
        default: return nil
        }
        let keys = targets
        let known = IndexProbe(
            estimate: keys.count,
            isExact: true,
            description: { "\(hop.target.className) given" }
        ) { () throws(StorageError) in keys }
        return try back(through: hop, from: known, to: source)
    }

    /// The objects from which a path's hops lead to what `inner` finds at its end.
    static func back(
        along path: BoundPath,
        from inner: IndexProbe
    ) throws(StorageError) -> IndexProbe? {
        var probe = inner
        for (index, hop) in path.hops.enumerated().reversed() {
            let source = index == 0 ? path.root : path.hops[index - 1].target
            guard let outer = try back(through: hop, from: probe, to: source) else { return nil }
            probe = outer
        }
        return probe
    }

    /// The objects of `source` from which a hop leads to what `inner` finds.
    private static func back(
        through hop: BoundHop,
        from inner: IndexProbe,
        to source: any QueryTable
    ) throws(StorageError) -> IndexProbe? {
        guard inner.estimate <= mostKeys else { return nil }
        let reader = source.reader
        let target = hop.target.reader
        switch hop {
        case .link(let column, _), .links(let column, _):
            let targets = Set(try inner.keys())
            var estimate = 0
            for key in targets { estimate += try reader.sourceCount(of: key, through: column) }
            var isExact = false
            if case .link = hop { isExact = inner.isExact }
            let name = source.propertyName(ofColumn: column)
            return IndexProbe(
                estimate: estimate,
                isExact: isExact,
                description: { "links \(source.className).\(name) to \(inner.description())" }
            ) { () throws(StorageError) in
                var keys: [ObjectKey] = []
                for key in targets { keys += try reader.sources(of: key, through: column) }
                return keys
            }
        case .backlinks(let origin, let column):
            let isMany = target.definition.columns[column].shape != .none
            var keys: Set<ObjectKey> = []
            for key in try inner.keys() {
                guard let place = try target.locate(key) else { continue }
                let hop: BoundHop =
                    isMany ? .links(column: column, source) : .link(column: column, source)
                keys.formUnion(
                    try target.keys(through: hop, reader, ClusterView(place.cluster), place.row)
                        .filter { $0 != 0 }
                )
            }
            let found = keys
            let name = origin.propertyName(ofColumn: column)
            return IndexProbe(
                estimate: found.count,
                isExact: false,
                description: { "targets of \(origin.className).\(name) of \(inner.description())" }
            ) { () throws(StorageError) in Array(found) }
        // Who links there need not do so at that place.
        case .entry: return nil
        }
    }
}
