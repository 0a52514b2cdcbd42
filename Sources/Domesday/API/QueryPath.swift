import PredicateLanguage

/// A path of properties, each known to be a collection or not.
struct QueryPath {
    /// The variable it starts from; nil for the object that is tested.
    var variable: String?
    /// Swift names, subscripts, and at most one operation.
    var steps: [PathStep] = []
    /// Which of `steps` are collections: positions, ascending.
    var collections: [Int] = []
    /// Whether an operation or `IN` makes one value of the collection.
    var isWhole = false

    /// Whether a comparison is about each element of a collection.
    var requiresAny: Bool { !collections.isEmpty && !isWhole }

    func appending(_ step: PathStep, isCollection: Bool = false) -> QueryPath {
        var path = self
        if isCollection { path.collections.append(steps.count) }
        path.steps.append(step)
        return path
    }

    /// The collection itself and not its elements.
    var whole: QueryPath {
        var path = self
        path.isWhole = true
        return path
    }

    /// An operation on a collection: `dogs.@count`.
    func appending(operation: String) -> QueryPath { whole.appending(.operation(operation)) }

    /// An operation on a property of a collection's elements: `dogs.@min.age`.
    func inserting(operation: String) -> QueryPath {
        guard let last = collections.last, last + 1 < steps.count,
            case .property = steps[last + 1]
        else { return appending(operation: operation) }
        var path = whole
        path.steps.insert(.operation(operation), at: last + 1)
        return path
    }

    /// One entry of a map, or one element or entry inside a value of any type.
    func appending(subscript step: PathStep) -> QueryPath {
        var path = self
        // Of the map itself there is one value.
        if path.collections.last == path.steps.count - 1 { path.collections.removeLast() }
        path.steps.append(step)
        return path
    }

    /// The path in the language's tree.
    var keyPath: PredicateLanguage.KeyPath {
        PredicateLanguage.KeyPath(variable: variable, steps: steps)
    }

    /// The path as text: `dogs.age`, `$col1.age`, `map[%@]`, `self`.
    var text: String {
        var text = variable.map { "$" + $0 } ?? ""
        for step in steps {
            switch step {
            case .property(let name), .operation(let name):
                text += (text.isEmpty ? "" : ".") + name
            case .index: text += "[%@]"
            case .anyElement: text += "[#any]"
            case .firstElement: text += "[FIRST]"
            case .lastElement: text += "[LAST]"
            case .elementCount: text += "[SIZE]"
            }
        }
        return text.isEmpty ? "self" : text
    }

    /// What stands for each `%@` in `text`.
    var arguments: [Any?] {
        steps.compactMap { step -> Any?? in
            switch step {
            case .index(.value(let value as Int64)): Int(value)
            case .index(.value(let value)): value
            default: nil
            }
        }
    }
}
