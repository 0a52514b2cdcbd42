import PredicateLanguage

// Operations on collections, and calculations.

extension EvaluationScope {
    static func aggregate(
        _ operation: String,
        _ all: [ComparedValue]
    ) throws(EvaluationError) -> ComparedValue {
        if operation == "@count" { return .int(Int64(all.count)) }
        let values = all.filter { !$0.isNull }
        switch operation {
        case "@min": return try extreme(values, .less)
        case "@max": return try extreme(values, .greater)
        case "@sum": return try sum(values)
        case "@avg":
            if values.isEmpty { return .null }
            if let decimals = decimals(values) {
                let sum = decimals.reduce(.zero) { $0 + $1 }
                return .decimal(sum / DecimalNumber(decimals.count))
            }
            return .double(try sum(values).number(for: operation) / Double(values.count))
        default:
            throw EvaluationError("Invalid keypath: unknown collection operation '\(operation)'.")
        }
    }

    private static func extreme(
        _ values: [ComparedValue],
        _ wanted: Ordering
    ) throws(EvaluationError) -> ComparedValue {
        // NaN has no place in an order.
        let values = values.filter { !$0.isNaN }
        guard var best = values.first else { return .null }
        for value in values where try value.ordering(to: best) == wanted { best = value }
        return best
    }

    private static func sum(_ values: [ComparedValue]) throws(EvaluationError) -> ComparedValue {
        if let decimals = decimals(values) {
            return .decimal(decimals.reduce(.zero) { $0 + $1 })
        }
        var integers: Int64 = 0
        var total = 0.0
        var areIntegers = true
        for value in values {
            if case .int(let value) = value {
                integers &+= value
                total += Double(value)
            } else {
                areIntegers = false
                total += try value.number(for: "@sum")
            }
        }
        return areIntegers ? .int(integers) : .double(total)
    }
}

extension ComparedValue {
    fileprivate var isNaN: Bool {
        switch self {
        case .decimal(let value): value.isNaN
        case .any(let value): value.isNaN
        case .float(let value): value.isNaN
        case .double(let value), .literal(let value): value.isNaN
        default: false
        }
    }

    fileprivate func number(for operation: String) throws(EvaluationError) -> Double {
        switch self {
        case .int(let value): return Double(value)
        case .float(let value): return Double(value)
        case .double(let value), .literal(let value): return value
        default:
            throw EvaluationError(
                "\(operation) can only be applied to a numeric property, not to '\(typeName)'."
            )
        }
    }
}

extension ComparedValue {
    /// What a calculation gave.
    init(_ value: QueryValue) {
        switch value {
        case .int(let number): self = .int(number)
        case .double(let number): self = .double(number)
        case .null, .bytes, .key, .decimal, .mixed: self = .null
        }
    }

    /// As one of the two numbers of a calculation.
    func arithmeticOperand() throws(EvaluationError) -> QueryValue {
        switch self {
        case .null: return .null
        case .int(let value): return .int(value)
        case .float(let value): return .double(Double(value))
        case .double(let value), .literal(let value): return .double(value)
        default:
            throw EvaluationError(
                "Arithmetic needs numbers, and a value of type '\(typeName)' is none"
            )
        }
    }
}
