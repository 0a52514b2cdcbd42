import PredicateLanguage

/// A property, if any, and the subscripts behind it: `map['a'][0]`, `any[*]`, `map.@allKeys`.
struct Subscripts {
    private(set) var property: String?
    private var steps: [PathStep] = []

    /// The first steps of some; nil if there is no subscript among them.
    init?(_ path: ArraySlice<PathStep>) {
        var rest = path
        if case .property(let name)? = rest.first {
            property = name
            rest = rest.dropFirst()
        }
        steps = Array(rest.prefix { $0.isSubscript })
        if steps.isEmpty { return nil }
    }

    var stepCount: Int { steps.count + (property == nil ? 0 : 1) }

    /// Whether they lead to several values.
    var areToMany: Bool {
        steps.contains {
            $0 == .anyElement || $0 == .operation("@allKeys") || $0 == .operation("@allValues")
        }
    }

    /// What they lead to; nothing where something is not there.
    func values(in property: EvaluatedProperty) -> [Any?] {
        steps.reduce([property]) { found, step in found.flatMap { step.follow($0) } }
            .flatMap { property -> [Any?] in
                switch property {
                case .one(let value): [value]
                case .many(let values): values
                case .keyed(let entries): entries.map(\.value)
                }
            }
    }
}

extension PathStep {
    fileprivate var isSubscript: Bool {
        switch self {
        case .property: false
        case .operation(let name): name == "@allKeys" || name == "@allValues"
        case .index, .anyElement, .firstElement, .lastElement, .elementCount: true
        }
    }

    fileprivate func follow(_ property: EvaluatedProperty) -> [EvaluatedProperty] {
        switch property {
        case .one(let value):
            guard let contents = (value as? any EvaluatedContainer)?.evaluatedContents else {
                return []
            }
            return follow(contents)
        case .many(let values):
            switch self {
            case .index(.value(let index as Int64)):
                return values.indices.contains(Int(index)) ? [.one(values[Int(index)])] : []
            case .firstElement: return values.prefix(1).map { .one($0) }
            case .lastElement: return values.suffix(1).map { .one($0) }
            case .anyElement, .operation("@allValues"): return values.map { .one($0) }
            case .elementCount: return [.one(values.count)]
            default: return []
            }
        case .keyed(let entries):
            switch self {
            case .index(.value(let key as String)):
                return entries.filter { $0.key.utf8.elementsEqual(key.utf8) }.map { .one($0.value) }
            case .anyElement, .operation("@allValues"): return entries.map { .one($0.value) }
            case .operation("@allKeys"): return entries.map { .one($0.key) }
            case .elementCount: return [.one(entries.count)]
            default: return []
            }
        }
    }
}

/// A value of any type, which may hold a collection.
protocol EvaluatedContainer {
    /// What `@type` says of it.
    var evaluatedType: ValueTypes { get }
    /// The collection; nil if it holds none.
    var evaluatedContents: EvaluatedProperty? { get }
}
