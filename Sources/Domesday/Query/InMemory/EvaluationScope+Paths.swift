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
        case .arithmetic(let operation, let left, let right):
            let numbers = (try side(left).single, try side(right).single)
            return .one(
                ComparedValue(
                    operation.result(
                        try numbers.0.arithmeticOperand(),
                        try numbers.1.arithmeticOperand()
                    )
                )
            )
        case .list(let expressions):
            var values: [ComparedValue] = []
            for expression in expressions { values.append(try side(expression).single) }
            return .many(values)
        case .subquery(let collection, let variable, let predicate, let trailing):
            guard [[.operation("@count")], [.elementCount]].contains(trailing) else {
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
    struct Reached {
        var values: [Any?]
        var isMany = false
        var isLost = false
    }

    private func side(_ path: PredicateLanguage.KeyPath) throws(EvaluationError) -> Side {
        var path = path
        for index in path.steps.indices
        where path.steps[index] == .operation("@size") {
            path.steps[index] = .operation("@count")
        }
        guard let index = path.steps.firstIndex(where: { $0.isOperation && !$0.isLinks }) else {
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

    func reach(_ path: PredicateLanguage.KeyPath) throws(EvaluationError) -> Reached {
        let start = if let name = path.variable { try variable(name) } else { root }
        var reached = Reached(values: [start])
        var index = 0
        while index < path.steps.count {
            let rest = path.steps[index...]
            if path.steps[index].isLinks {
                reached = try links(at: &index, from: reached, in: path)
            } else if let subscripts = Subscripts(rest) {
                reached = try step(subscripts, from: reached, in: path)
                index += subscripts.stepCount
            } else {
                reached = try step(path.steps[index], from: reached, in: path)
                index += 1
            }
        }
        return reached
    }

    /// Follows `@links.Class.property`, or `@links` alone before `@count`.
    private func links(
        at index: inout Int,
        from current: Reached,
        in path: PredicateLanguage.KeyPath
    ) throws(EvaluationError) -> Reached {
        var origin: (className: String, property: String)?
        if index + 2 < path.steps.count, case .property(let name) = path.steps[index + 1],
            case .property(let property) = path.steps[index + 2]
        {
            origin = (name, property)
        }
        index += origin == nil ? 1 : 3
        var next = Reached(values: [], isMany: true, isLost: current.isLost)
        for value in current.values {
            guard let object = value as? any EvaluatedObject else { continue }
            guard let sources = object.evaluatedLinks(from: origin) else {
                throw invalid(path, "@links does not lead to objects.")
            }
            next.values += sources
        }
        return next
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
            case .keyed(let entries):
                next.values += entries.map(\.value)
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

    /// Follows subscripts, of a property or of the values reached so far.
    private func step(
        _ subscripts: Subscripts,
        from current: Reached,
        in path: PredicateLanguage.KeyPath
    ) throws(EvaluationError) -> Reached {
        var next = Reached(values: [], isMany: current.isMany, isLost: current.isLost)
        if subscripts.areToMany { next.isMany = true }
        for value in current.values {
            guard let name = subscripts.property else {
                next.values += subscripts.values(in: .one(value))
                continue
            }
            guard let value else {
                if !current.isMany { next.isLost = true }
                continue
            }
            guard let object = value as? any EvaluatedObject,
                let found = object.evaluatedProperty(named: name)
            else { throw invalid(path, "there is no property '\(name)' to take a subscript of.") }
            let values = subscripts.values(in: found)
            // To one of this object's that is not there: nil.
            next.values += values.isEmpty && !subscripts.areToMany ? [nil] : values
        }
        // To one that is not there: nil.
        if !next.isMany, !next.isLost, next.values.isEmpty { next.values = [nil] }
        return next
    }

    private func invalid(
        _ path: PredicateLanguage.KeyPath,
        _ reason: String
    ) -> EvaluationError {
        EvaluationError("Invalid keypath '\(path)': \(reason)")
    }
}

extension PathStep {
    fileprivate var isLinks: Bool { self == .operation("@links") }
    fileprivate var isOperation: Bool {
        if case .operation(let name) = self {
            name != "@allKeys" && name != "@allValues"
        } else {
            false
        }
    }
}
