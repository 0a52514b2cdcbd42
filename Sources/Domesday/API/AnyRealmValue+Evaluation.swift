// How collections inside values of any type answer the evaluator of predicates.
extension AnyRealmValue: EvaluatedContainer {
    var evaluatedType: ValueTypes {
        switch self {
        case .none: .null
        case .int: .int
        case .bool: .bool
        case .float: .float
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .object: .object
        case .objectId: .objectId
        case .decimal128: .decimal
        case .uuid: .uuid
        case .dictionary: .dictionary
        case .list: .list
        }
    }

    var evaluatedContents: EvaluatedProperty? {
        switch self {
        case .list(let list): .many(list.map { $0 })
        case .dictionary(let map): .keyed(map.entries.map { ($0.key, $0.value) })
        default: nil
        }
    }
}
