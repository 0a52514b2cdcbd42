import PredicateLanguage

/// A step into a collection that a column holds, or into one inside a value of any type.
enum BoundStep: Hashable {
    case index(Int)
    case first
    case last
    case key([UInt8])
    /// To each element, or each value of a dictionary.
    case any
    /// To each key of a dictionary, as text.
    case keys
    /// To how many elements there are.
    case count

    var isToMany: Bool { self == .any || self == .keys }
}

extension Comparison {
    /// The quantifier; ANY where there is none and the left side says `[*]`.
    var impliedQuantifier: Quantifier? {
        if quantifier == nil, case .keyPath(let path) = left, path.steps.contains(.anyElement) {
            return .any
        }
        return quantifier
    }
}

extension MixedValue {
    /// What some steps lead to inside this value.
    ///
    /// - Complexity: O(elements on the way).
    func values(along steps: ArraySlice<BoundStep>) -> [QueryValue] {
        guard let step = steps.first else { return [QueryValue(mixed: self)] }
        let rest = steps.dropFirst()
        switch (self, step) {
        case (.list(let values), .index(let index)):
            return index < values.count ? values[index].values(along: rest) : []
        case (.list(let values), .first): return values.first?.values(along: rest) ?? []
        case (.list(let values), .last): return values.last?.values(along: rest) ?? []
        case (.list(let values), .any): return values.flatMap { $0.values(along: rest) }
        case (.list(let values), .count): return [.mixed(.int(Int64(values.count)))]
        case (.dictionary(let entries), .key(let key)):
            return entries.first { $0.key == key }?.value.values(along: rest) ?? []
        case (.dictionary(let entries), .any):
            return entries.flatMap { $0.value.values(along: rest) }
        case (.dictionary(let entries), .keys):
            return entries.flatMap { MixedValue.string($0.key).values(along: rest) }
        case (.dictionary(let entries), .count): return [.mixed(.int(Int64(entries.count)))]
        default: return []
        }
    }
}

extension StoredSequence {
    /// The element that a step to one leads to; nil if there is none.
    func element(at step: BoundStep) -> UnsafeRawBufferPointer? {
        guard let count, count > 0 else { return nil }
        switch step {
        case .index(let index): return index < count ? element(index) : nil
        case .first: return element(0)
        case .last: return element(count - 1)
        case .key(let key):
            let probe = EncodedElements(probing: String(decoding: key, as: UTF8.self), layout)
            guard let found = probe.withElement(0, { search($0) }), found.isFound else {
                return nil
            }
            return element(found.position)
        case .any, .keys, .count: return nil
        }
    }
}

extension TableReader {
    /// What some steps lead to from a column of a row.
    func values(
        _ view: ClusterView,
        _ column: Int,
        _ row: Int,
        _ type: ValueType,
        along steps: [BoundStep]
    ) throws(StorageError) -> [QueryValue] {
        let definition = definition.columns[column]
        guard definition.shape != .none else {
            guard case .mixed(let value) = try mixedValue(view, column, row) else { return [] }
            return value.values(along: steps[...])
        }
        if steps == [.keys] { return try elements(view, column, row, type, areKeys: true) }
        let own = ValueType(type: definition.type, isOptional: true)
        let values: [QueryValue]
        if steps[0] == .any {
            values = try elements(view, column, row, own)
        } else {
            let sequence = try sequence(column, view, row)
            values =
                sequence.element(at: steps[0])
                .map { [QueryValue(sequence.layout.value(of: $0), own.type)] } ?? []
        }
        if steps.count == 1 { return values }
        return values.flatMap { value -> [QueryValue] in
            guard case .mixed(let value) = value else { return [] }
            return value.values(along: steps.dropFirst())
        }
    }

    /// Where an element of a list or map of objects leads that a step leads to; 0 for nowhere.
    func link(
        _ view: ClusterView,
        _ column: Int,
        _ row: Int,
        at step: BoundStep
    ) throws(StorageError) -> ObjectKey {
        let sequence = try sequence(column, view, row)
        return sequence.element(at: step).map { sequence.layout.link(of: $0) } ?? 0
    }
}
