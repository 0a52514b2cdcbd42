import Foundation
import PredicateLanguage

/// A query of values whose type is not known.
///
/// **Threads.** The Realm's.
protocol ElementQuerying: AnyObject {
    var state: RealmState { get }
    /// The collection whose values they are.
    var source: any StoredCollection { get }
    var isInvalidated: Bool { get }
    var count: Int { get }
    /// How it would be evaluated, for people.
    var explanation: String { get }
    /// What the values are, in messages.
    var typeName: String { get }

    /// - Throws: ``QueryError`` if the predicate makes no sense for such values.
    func filtered(_ tree: PredicateLanguage.Predicate) throws(QueryError) -> any ElementQuerying
    func sorted(ascending: Bool) -> any ElementQuerying
    func distinct() -> any ElementQuerying
    /// The figures of the values.
    func sums() -> AggregateSums

    /// The same in another Realm of the store; nil if the collection's object is not there.
    func moved(to realm: RealmState) throws(StorageError) -> (any ElementQuerying)?
    /// The values in stored form, each behind a byte that is 0 for nil.
    func storedElements() -> ContiguousArray<[UInt8]>
}

/// The values of a managed collection: some of them, in some order, each once; live.
///
/// **Shape.** The steps are taken one after the other, from the collection as it is.
/// **Threads.** The Realm's.
final class ElementQuery<Element: RealmCollectionValue>: ElementQuerying {
    private enum Step {
        case filter(PredicateLanguage.Predicate)
        case sort(ascending: Bool)
        case distinct
    }

    /// A value, how queries compare it, and where it is in the collection.
    private typealias Item = (element: Element, value: QueryValue, index: Int)

    let state: RealmState
    let source: any StoredCollection
    private let load: () -> [Item]
    private let dependencies: QueryDependencies
    private let type: ColumnType
    private let steps: [Step]
    private let relocate: (RealmState, [Step]) throws(StorageError) -> ElementQuery?
    /// Behind a lock because several threads may ask a frozen one.
    private let cached = Lock<(stamp: QueryStamp, items: [Item])?>(nil)

    /// All values of a managed collection.
    convenience init<Base: StoredCollection>(_ collection: Base) where Base.Stored == Element {
        self.init(collection, [])
    }

    private init<Base: StoredCollection>(_ collection: Base, _ steps: [Step])
    where Base.Stored == Element {
        let place = collection.place()
        state = place.realm
        source = collection
        type = place.layout.type
        dependencies = QueryDependencies(place.table.id, column: collection.column)
        self.steps = steps
        let type = type
        load = {
            var items: [Item] = []
            collection.forEachStored {
                items.append((collection.decode($0), QueryValue($0.value, type), items.count))
            }
            return items
        }
        relocate = { (realm, steps) throws(StorageError) in
            guard let moved = try collection.relocated(to: realm) else { return nil }
            return ElementQuery(moved, steps)
        }
    }

    private init(_ other: ElementQuery, _ step: Step) {
        state = other.state
        source = other.source
        load = other.load
        relocate = other.relocate
        dependencies = other.dependencies
        type = other.type
        steps = other.steps + [step]
    }

    var isInvalidated: Bool { source.binding.isInvalidated(nil) }
    var count: Int { items().count }
    var typeName: String { Element._shape.text }

    var explanation: String {
        (["values of \(source.place().subject)"]
            + steps.map {
                switch $0 {
                case .filter: "filter value by value"
                case .sort(let ascending): "sort \(ascending ? "ascending" : "descending")"
                case .distinct: "first of each value"
                }
            }).joined(separator: "\n")
    }

    func filtered(_ tree: PredicateLanguage.Predicate) throws(QueryError) -> any ElementQuerying {
        if let sample = Element._shape.type.sampleValue {
            do throws(EvaluationError) {
                _ = try ObjectEvaluator(tree).matches(element: sample)
            } catch { throw QueryError(error.description) }
        }
        return ElementQuery(self, .filter(tree))
    }

    func sorted(ascending: Bool) -> any ElementQuerying {
        ElementQuery(self, .sort(ascending: ascending))
    }

    func distinct() -> any ElementQuerying { ElementQuery(self, .distinct) }

    /// All values, found once for each change of the collection.
    func values() -> [Element] { items().map(\.element) }

    func sums() -> AggregateSums {
        var sums = AggregateSums(ValueType(type: type, isOptional: Element._shape.isOptional))
        for item in items() { sums.add(item.value) }
        return sums
    }

    func moved(to realm: RealmState) throws(StorageError) -> (any ElementQuerying)? {
        try relocate(realm, steps)
    }

    func storedElements() -> ContiguousArray<[UInt8]> {
        var stored: [[UInt8]] = []
        // Without a map's key: only the values are here.
        source.forEachStored { stored.append($0.value.map { [1] + $0 } ?? [0]) }
        return ContiguousArray(items().map { stored[$0.index] })
    }

    private func items() -> [Item] {
        state.checkConfinement()
        // Traps if the collection's object is gone.
        _ = source.place()
        let stamp = state.isFrozen ? QueryStamp() : QueryStamp(state.reader, dependencies)
        if let cached = cached.withLock({ $0 }), cached.stamp == stamp { return cached.items }
        var items = load()
        for step in steps {
            switch step {
            case .filter(let tree): items.removeAll { !matches($0.element, tree) }
            case .sort(let ascending): sort(&items, ascending)
            case .distinct:
                var seen: Set<AnyHashable> = []
                items.removeAll { !seen.insert(Self.identity(of: $0)).inserted }
            }
        }
        let found = items
        cached.withLock { $0 = (stamp, found) }
        return found
    }

    private func matches(_ element: Element, _ tree: PredicateLanguage.Predicate) -> Bool {
        do throws(EvaluationError) {
            return try ObjectEvaluator(tree).matches(element: DynamicValue.unwrapped(element))
        } catch { fatalError("\(error.description). \(source.place().subject).") }
    }

    /// nil before NaN before all other values; equals stay in the order they have.
    private func sort(_ items: inout [Item], _ ascending: Bool) {
        items.sort { a, b in
            let (low, high) = ascending ? (a.value, b.value) : (b.value, a.value)
            return low.sortOrder(to: high) < 0
        }
    }

    private static func identity(of item: Item) -> AnyHashable {
        switch item.value {
        case .null: return Optional<Int>.none
        case .int(let value), .key(let value): return value
        case .double(let value): return value.isNaN ? Double.nan.bitPattern : value
        case .bytes(let value): return value
        case .decimal(let value): return MixedIdentity(value: .decimal(value))
        case .mixed(let value): return MixedIdentity(value: value)
        }
    }
}

/// A value of any type as sets tell it apart.
private struct MixedIdentity: Hashable {
    let value: MixedValue

    static func == (a: MixedIdentity, b: MixedIdentity) -> Bool {
        a.value.totalOrder(to: b.value) == 0
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(value.rank)
        switch value {
        case .int(let value): hasher.combine(value)
        case .decimal(let value): hasher.combine(value)
        case .float(let value):
            hasher.combine(value.isNaN ? Float.nan.bitPattern : (value + 0.0).bitPattern)
        case .double(let value), .date(let value):
            hasher.combine(value.isNaN ? Double.nan.bitPattern : (value + 0.0).bitPattern)
        case .none, .bool, .link, .list, .dictionary: break
        case .string(let bytes), .data(let bytes), .objectId(let bytes), .uuid(let bytes):
            hasher.combine(bytes)
        }
    }
}

extension PropertyType {
    /// A value of the type, against which a predicate shows whether it makes sense.
    fileprivate var sampleValue: Any? {
        switch self {
        case .int: 0
        case .bool: false
        case .string: ""
        case .data: Data()
        case .date: Date(timeIntervalSinceReferenceDate: 0)
        case .float: Float(0)
        case .double: 0.0
        case .objectId: ObjectId()
        case .UUID: Foundation.UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        case .decimal128: Decimal128()
        case .object, .linkingObjects, .any: nil
        }
    }
}
