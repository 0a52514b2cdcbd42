import Foundation
import PredicateLanguage

extension EvaluationScope {
    /// One side of a comparison, evaluated.
    enum Side {
        case one(ComparedValue)
        /// A path through at least one collection, or a list of values.
        case many([ComparedValue])
        /// A path that ended early at a nil link: nil, or nothing where elements are wanted.
        case lost

        /// As one value.
        var single: ComparedValue {
            get throws(EvaluationError) {
                switch self {
                case .one(let value): value
                case .lost: .null
                case .many:
                    throw EvaluationError(
                        "Key paths that include a collection property must use aggregate "
                            + "operations"
                    )
                }
            }
        }

        /// As elements; nil if it is one value.
        var elements: [ComparedValue]? {
            switch self {
            case .one: nil
            case .many(let values): values
            case .lost: []
            }
        }
    }

    /// Evaluates one side of a comparison.
    func side(_ expression: PredicateLanguage.Expression) throws(EvaluationError) -> Side {
        switch expression {
        case .value(let value): return try constant(value)
        case .variable(let name): return .one(try ComparedValue(try variable(name)))
        case .keyPath(let path): return try side(path)
        case .list(let expressions):
            var values: [ComparedValue] = []
            for expression in expressions { values.append(try side(expression).single) }
            return .many(values)
        case .subquery(let collection, let variable, let predicate, let trailing):
            guard trailing == [.operation("@count")] else {
                throw EvaluationError(
                    "SUBQUERY is only supported when immediately followed by .@count that is "
                        + "compared with a constant number."
                )
            }
            var count: Int64 = 0
            for element in try reach(collection).values {
                var scope = self
                scope.variables[variable] = .some(element)
                if try scope.matches(predicate) { count += 1 }
            }
            return .one(.int(count))
        }
    }

    private func constant(_ value: Any?) throws(EvaluationError) -> Side {
        guard let value, let elements = DynamicConstant.elements(value) else {
            return .one(try ComparedValue(constant: value))
        }
        var values: [ComparedValue] = []
        for element in elements { values.append(try ComparedValue(constant: element)) }
        return .many(values)
    }

    private static func compared(_ values: [Any?]) throws(EvaluationError) -> [ComparedValue] {
        var result: [ComparedValue] = []
        for value in values { result.append(try ComparedValue(value)) }
        return result
    }

    private func variable(_ name: String) throws(EvaluationError) -> Any? {
        guard let value = variables[name] else {
            throw EvaluationError("The predicate's variable '$\(name)' has no value.")
        }
        return value
    }
}

// Paths.
extension EvaluationScope {
    /// What a path leads to.
    private struct Reached {
        var values: [Any?]
        var isMany = false
        var isLost = false
    }

    private func side(_ path: PredicateLanguage.KeyPath) throws(EvaluationError) -> Side {
        guard let index = path.steps.firstIndex(where: \.isOperation) else {
            let reached = try reach(path)
            if reached.isLost { return .lost }
            let values = try Self.compared(reached.values)
            return reached.isMany ? .many(values) : .one(values.first ?? .null)
        }
        guard case .operation(let operation) = path.steps[index] else { return .lost }
        var collection = path
        collection.steps = Array(path.steps[..<index])
        let rest = path.steps[(index + 1)...]
        try check(operation, before: rest, of: path)
        var reached = try reach(collection)
        guard reached.isMany || reached.isLost else {
            throw invalid(path, "'\(operation)' is only valid on a collection.")
        }
        if reached.isLost { reached.values = [] }
        for step in rest { reached = try self.step(step, from: reached, in: path) }
        return .one(try Self.aggregate(operation, try Self.compared(reached.values)))
    }

    private func check(
        _ operation: String,
        before rest: ArraySlice<PathStep>,
        of path: PredicateLanguage.KeyPath
    ) throws(EvaluationError) {
        if operation == "@count", !rest.isEmpty {
            throw invalid(path, "@count must appear at the end of a keypath.")
        }
        if rest.contains(where: \.isOperation) {
            throw invalid(path, "at most one collection operation per keypath is supported.")
        }
    }

    private func reach(_ path: PredicateLanguage.KeyPath) throws(EvaluationError) -> Reached {
        let start = if let name = path.variable { try variable(name) } else { root }
        var reached = Reached(values: [start])
        for step in path.steps { reached = try self.step(step, from: reached, in: path) }
        return reached
    }

    private func step(
        _ step: PathStep,
        from current: Reached,
        in path: PredicateLanguage.KeyPath
    ) throws(EvaluationError) -> Reached {
        guard case .property(let name) = step else {
            throw invalid(path, "this kind of step is not supported.")
        }
        var next = Reached(values: [], isMany: current.isMany, isLost: current.isLost)
        for value in current.values {
            guard let value else {
                // A nil link: the path ends here.
                if !current.isMany { next.isLost = true }
                continue
            }
            guard let object = value as? any EvaluatedObject else {
                throw invalid(
                    path,
                    "the step before '\(name)' is not a link or collection and can only appear "
                        + "at the end of a keypath."
                )
            }
            switch object.evaluatedProperty(named: name) {
            case .one(let value): next.values.append(value)
            case .many(let values):
                next.values += values
                next.isMany = true
            case nil:
                throw invalid(
                    path,
                    "Property '\(name)' not found in object of type '\(object.evaluatedClassName)'"
                )
            }
        }
        return next
    }

    private func invalid(
        _ path: PredicateLanguage.KeyPath,
        _ reason: String
    ) -> EvaluationError {
        EvaluationError("Invalid keypath '\(path)': \(reason)")
    }
}

// Operations on collections.
extension EvaluationScope {
    private static func aggregate(
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

extension PathStep {
    fileprivate var isOperation: Bool { if case .operation = self { true } else { false } }
}
