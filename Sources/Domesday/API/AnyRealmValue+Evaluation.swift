// How collections inside values of any type answer the evaluator of predicates.
extension AnyRealmValue: EvaluatedContainer {
    var evaluatedContents: EvaluatedProperty? {
        switch self {
        case .list(let list): .many(list.map { $0 })
        case .dictionary(let map): .keyed(map.entries.map { ($0.key, $0.value) })
        default: nil
        }
    }
}
