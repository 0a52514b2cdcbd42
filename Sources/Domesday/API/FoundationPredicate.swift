public import Foundation
import PredicateLanguage

// Foundation's `#Predicate` is a tree of generic types, one for each operation. Those that a
// database can be asked have a meaning here; the first that has none is refused by its name.

extension RealmCollection where Element: ObjectBase {
    /// The objects that a predicate made by Foundation's macro holds for.
    ///
    /// ```swift
    /// people.filter(#Predicate<Person> { $0.age > 28 && $0.name.starts(with: "A") })
    /// people.filter(#Predicate<Person> { $0.dogs.contains { $0.age > 3 } })
    /// ```
    ///
    /// It is asked of the store as any other condition; no object is made for it. Known are
    /// comparisons, logic, arithmetic without remainder, `contains`, `starts(with:)`, ranges,
    /// `contains(where:)`, `allSatisfy`, `filter(...).count`, `count`, `isEmpty`, `min()`, `max()`,
    /// `?.`, `??`, `!`, and `if` between conditions. A forced unwrap of nil is nil, and does not
    /// trap.
    ///
    /// - Precondition: it has no other parts, and asks only for persisted properties; a trap names
    ///   the part. `tryFilter` throws.
    public func filter(_ predicate: Foundation.Predicate<Element>) -> Results<Element> {
        QueryTrap.trapping { () throws(Realm.Error) in
            try filter(try QueryTrap.tree(of: predicate))
        }
    }

    /// As `filter`, for a predicate that comes from outside.
    ///
    /// - Throws: ``Realm/Error`` `.invalidInput` that names the part which cannot be asked.
    public func tryFilter(_ predicate: Foundation.Predicate<Element>) throws -> Results<Element> {
        try loadStart()
        return try filter(try QueryTrap.tree(of: predicate))
    }
}

extension QueryTrap {
    static func tree<Element: ObjectBase>(
        of predicate: Foundation.Predicate<Element>
    ) throws(Realm.Error) -> PredicateLanguage.Predicate {
        let scope = PartScope(predicate.variable.key)
        do throws(UnknownPart) {
            let part = try PredicatePart(of: predicate.expression, scope)
            return PredicateLanguage.Predicate(root: try part.condition())
        } catch { throw Realm.Error(.invalidInput, error.description) }
    }
}

/// Thrown for a part of a `#Predicate` that a database cannot be asked.
struct UnknownPart: Error, CustomStringConvertible {
    let description: String

    init(_ name: String, _ reason: String) {
        description = "#Predicate: '\(name)' cannot be queried: \(reason)."
    }
}

/// What the variables of a predicate stand for.
struct PartScope {
    private var parts: [PredicateExpressions.VariableID: PredicatePart]
    private var depth = 0

    /// The variable stands for the object that is tested.
    init(_ id: PredicateExpressions.VariableID) {
        parts = [id: .value(.keyPath(PredicateLanguage.KeyPath(steps: [])))]
    }

    subscript(id: PredicateExpressions.VariableID) -> PredicatePart? { parts[id] }

    func with(_ id: PredicateExpressions.VariableID, _ part: PredicatePart) -> PartScope {
        var scope = self
        scope.parts[id] = part
        return scope
    }

    /// The name of the next subquery's variable, and the scope inside it.
    func entering(_ id: PredicateExpressions.VariableID) -> (name: String, scope: PartScope) {
        let name = "x\(depth + 1)"
        var scope = with(id, .value(.variable(name)))
        scope.depth += 1
        return (name, scope)
    }
}

/// What a part of a predicate means.
indirect enum PredicatePart {
    case condition(PredicateNode)
    case value(PredicateLanguage.Expression)
    /// A condition behind `?.`: whether there is nothing to ask, and else the condition.
    case optionalCondition(isNil: PredicateNode, PredicateNode)
    /// The first value, or the second where that is nil.
    case coalesced(PredicateLanguage.Expression, PredicateLanguage.Expression)
    /// The objects of a collection that satisfy a condition.
    case filtered(PredicateLanguage.KeyPath, variable: String, PredicateNode)
    case range(
        lower: PredicateLanguage.Expression,
        upper: PredicateLanguage.Expression,
        isClosed: Bool
    )

    init(of expression: Any, _ scope: PartScope) throws(UnknownPart) {
        guard let known = expression as? any QueryablePart else {
            throw UnknownPart(Self.name(of: expression), "there is no such operation")
        }
        self = try known.part(scope)
    }

    /// The part's type without its parameters.
    static func name(of expression: Any) -> String {
        let full = "\(type(of: expression))"
        return full.split(separator: "<").first.map(String.init) ?? full
    }

    /// As a condition: a bare truth value is one.
    func condition() throws(UnknownPart) -> PredicateNode {
        switch self {
        case .condition(let node): return node
        case .value(.value(let constant as Bool)): return .constant(constant)
        case .value(let expression): return Self.compare(expression, .equal, .value(true))
        case .optionalCondition(_, let node): return node
        case .coalesced(let first, let second):
            return .or([
                Self.compare(first, .equal, .value(true)),
                .and([
                    Self.compare(first, .equal, .value(nil)),
                    try PredicatePart.value(second).condition(),
                ]),
            ])
        case .filtered, .range:
            throw UnknownPart(Self.word(self), "it is no condition")
        }
    }

    /// As one side of a comparison.
    func operand() throws(UnknownPart) -> PredicateLanguage.Expression {
        guard case .value(let expression) = self else {
            throw UnknownPart(Self.word(self), "it is no value that can be compared")
        }
        return expression
    }

    /// As a path.
    func keyPath() throws(UnknownPart) -> PredicateLanguage.KeyPath {
        switch self {
        case .value(.keyPath(let path)): return path
        case .value(.variable(let name)):
            return PredicateLanguage.KeyPath(variable: name, steps: [])
        default: throw UnknownPart(Self.word(self), "a property must stand there")
        }
    }

    private static func word(_ part: PredicatePart) -> String {
        switch part {
        case .condition, .optionalCondition: "a condition"
        case .value: "a value"
        case .coalesced: "??"
        case .filtered: "filter"
        case .range: "a range"
        }
    }

    static func compare(
        _ left: PredicateLanguage.Expression,
        _ op: ComparisonOperator,
        _ right: PredicateLanguage.Expression
    ) -> PredicateNode {
        .comparison(Comparison(left: left, op: op, right: right))
    }

    /// Compares two parts, of which one may be `a ?? b`.
    static func compare(
        _ left: PredicatePart,
        _ op: ComparisonOperator,
        _ right: PredicatePart
    ) throws(UnknownPart) -> PredicateNode {
        switch (left, right) {
        case (.coalesced(let first, let second), _):
            let other = try right.operand()
            return .or([
                .and([
                    compare(first, .notEqual, .value(nil)), compare(first, op, other),
                ]),
                .and([compare(first, .equal, .value(nil)), compare(second, op, other)]),
            ])
        case (_, .coalesced):
            guard let mirrored = op.mirrored else {
                throw UnknownPart("??", "it cannot stand on the right of '\(op)'")
            }
            return try compare(right, mirrored, left)
        default: return compare(try left.operand(), op, try right.operand())
        }
    }
}

/// A part of Foundation's predicates that a database can be asked.
protocol QueryablePart {
    func part(_ scope: PartScope) throws(UnknownPart) -> PredicatePart
}
