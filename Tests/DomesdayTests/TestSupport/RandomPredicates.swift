import Foundation
import PredicateLanguage

@testable import Domesday

private typealias Expression = PredicateLanguage.Expression
private typealias KeyPath = PredicateLanguage.KeyPath

/// Where paths begin.
private struct Scope {
    let type: ObjectBase.Type
    var variable: String?
    var level = 0
    /// The scopes of the subqueries outside.
    var outer: [Scope] = []
}

/// A path and what it leads to.
private struct Path {
    var path: KeyPath
    var type: ObjectBase.Type
    var isMany = false
    /// The property at the end; nil for an object.
    var shape: PropertyShape?

    init(_ scope: Scope) {
        path = KeyPath(variable: scope.variable, steps: [])
        type = scope.type
    }

    mutating func append(_ property: PropertySchema?) {
        guard let property else { return }
        path.steps.append(.property(property.name))
        if property.isCollection { isMany = true }
        if let target = property.shape.objectClass { type = target } else { shape = property.shape }
    }

    /// The persons whose property leads here.
    mutating func appendLinks(through property: String) {
        path.steps += [.operation("@links"), .property("QueryPerson"), .property(property)]
        isMany = true
    }

    var expression: Expression {
        if let variable = path.variable, path.steps.isEmpty { return .variable(variable) }
        return .keyPath(path)
    }
}

/// Makes random predicates about `QueryPerson` that are valid: names exist, types fit, and nothing
/// is asked that RealmSwift refuses.
struct RandomPredicates {
    var random: SplitMix64
    /// What links are compared with.
    let people: [QueryPerson]

    /// A predicate whose tree is at most `depth` levels high.
    mutating func predicate(depth: Int = 4) -> PredicateLanguage.Predicate {
        PredicateLanguage.Predicate(root: node(depth, Scope(type: QueryPerson.self)))
    }

    private mutating func node(_ depth: Int, _ scope: Scope) -> PredicateNode {
        switch depth <= 1 ? 9 : number(below: 10) {
        case 0, 1: .and(nodes(depth - 1, scope))
        case 2, 3: .or(nodes(depth - 1, scope))
        case 4: .not(node(depth - 1, scope))
        case 5 where number(below: 10) == 0: .constant(number(below: 2) == 0)
        default: .comparison(comparison(depth, scope))
        }
    }

    private mutating func nodes(_ depth: Int, _ scope: Scope) -> [PredicateNode] {
        (0..<2 + number(below: 2)).map { _ in node(depth, scope) }
    }

    private mutating func comparison(_ depth: Int, _ scope: Scope) -> Comparison {
        switch scope.type == QueryPerson.self ? number(below: 13) : 13 {
        case 0, 1: return operation(scope)
        case 2 where depth > 1 && scope.level < 2: return subquery(depth, scope)
        case 3: return calculation(scope)
        default: break
        }
        let path = path(number(below: 6) == 0 ? pick(scope.outer + [scope]) : scope)
        guard let shape = path.shape else { return objects(path, scope) }
        return scalars(path, shape, scope)
    }
}

// Paths.
extension RandomPredicates {
    private mutating func path(_ scope: Scope, isMany: Bool? = nil) -> Path {
        while true {
            var path = Path(scope)
            while number(below: 3) == 0, path.path.steps.count < 3 {
                if path.type == QueryPerson.self, number(below: 12) == 0 {
                    path.appendLinks(through: pick(["boss", "friends"]))
                } else {
                    path.append(pick(links(path.type) + [nil]))
                }
            }
            if number(below: 12) > 0 { path.append(pick(properties(path.type))) }
            // An embedded object is only compared with nil, which needs a property.
            if path.shape == nil, path.type == QueryAddress.self, path.path.steps.isEmpty {
                continue
            }
            if isMany.map({ $0 == path.isMany }) ?? true { return path }
        }
    }

    private func properties(_ type: ObjectBase.Type) -> [PropertySchema] {
        ClassSchema.of(type).properties
    }

    private func links(_ type: ObjectBase.Type) -> [PropertySchema?] {
        properties(type).filter { $0.shape.objectClass != nil }
    }

    /// A path to a collection of objects.
    private mutating func collection(_ scope: Scope) -> Path {
        var path = Path(scope)
        if scope.type == QueryPerson.self, number(below: 3) == 0 {
            path.append(properties(scope.type).first { $0.name == "boss" })
        }
        path.append(pick(properties(path.type).filter { $0.isCollection && $0.leadsToObjects }))
        return path
    }
}

extension PropertySchema {
    fileprivate var isCollection: Bool {
        shape.collection != .none || shape.type == .linkingObjects
    }

    fileprivate var leadsToObjects: Bool { shape.objectClass != nil }
}

// Comparisons.
extension RandomPredicates {
    private mutating func quantifier(_ path: Path) -> Quantifier? {
        path.isMany ? pick([.any, .any, .all, .some(Quantifier.none)]) : nil
    }

    /// A link, or the object itself.
    private mutating func objects(_ path: Path, _ scope: Scope) -> Comparison {
        let isEmbedded = path.type == QueryAddress.self
        let person: Any? =
            isEmbedded || number(below: 3) == 0 ? nil : people.isEmpty ? nil : pick(people)
        if !isEmbedded, path.isMany, number(below: 4) == 0 {
            return Comparison(left: .value(person), op: .in, right: path.expression)
        }
        if !isEmbedded, number(below: 3) == 0 {
            let several = people.prefix(number(below: 4)).map { $0 as Any? }
            return Comparison(
                left: path.expression,
                op: .in,
                right: .value(several),
                quantifier: quantifier(path)
            )
        }
        return Comparison(
            left: path.expression,
            op: pick([.equal, .notEqual]),
            right: .value(person),
            quantifier: quantifier(path)
        )
    }

    private mutating func scalars(_ path: Path, _ shape: PropertyShape, _ scope: Scope)
        -> Comparison
    {
        let value = value(shape)
        if path.isMany, number(below: 6) == 0 {
            return number(below: 2) == 0
                ? Comparison(left: .value(value), op: .in, right: path.expression)
                : Comparison(left: path.expression, op: .contains, right: .value(value))
        }
        let op = pick(operators(shape))
        var comparison = Comparison(
            left: path.expression,
            op: op,
            right: right(op, shape),
            quantifier: quantifier(path)
        )
        if shape.type == .string { comparison.options = options(op, comparison.quantifier) }
        if op == .in || op == .between, comparison.options.isEmpty, number(below: 5) == 0,
            case .value(let values as [Any?]) = comparison.right, !values.isEmpty,
            let other = other(shape, scope)
        {
            var elements = values.map { Expression.value($0) }
            elements[number(below: elements.count)] = other
            comparison.right = .list(elements)
        } else if op != .in, op != .between, number(below: 5) == 0, let other = other(shape, scope)
        {
            comparison.right = other
        } else if Self.orders.contains(op), comparison.options.isEmpty, !path.isMany,
            number(below: 8) == 0
        {
            swap(&comparison.left, &comparison.right)
        }
        return comparison
    }

    private static let orders: [ComparisonOperator] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]

    private func operators(_ shape: PropertyShape) -> [ComparisonOperator] {
        let parts: [ComparisonOperator] = [.beginsWith, .endsWith, .contains]
        return switch shape.type {
        case .string: Self.orders + parts + [.like, .in, .between]
        case .data: Self.orders + parts + [.in, .between]
        case .int, .float, .double, .date: Self.orders + [.in, .between]
        default: [.equal, .notEqual, .in]
        }
    }

    private mutating func right(_ op: ComparisonOperator, _ shape: PropertyShape) -> Expression {
        switch op {
        case .in: .value((0..<number(below: 4)).map { _ in value(shape) } as [Any?])
        case .between: .value([value(shape), value(shape)] as [Any?])
        case .like: .value(pick(OddValues.patterns))
        default: .value(value(shape))
        }
    }

    private mutating func options(
        _ op: ComparisonOperator,
        _ quantifier: Quantifier?
    ) -> PredicateLanguage.StringOptions {
        let options = PredicateLanguage.StringOptions(rawValue: pick([0, 0, 0, 1, 2, 3]))
        return op.refusal(of: options) == nil ? options : []
    }

    /// Another path to one value of the same type.
    private mutating func other(_ shape: PropertyShape, _ scope: Scope) -> Expression? {
        for _ in 0..<20 {
            let path = path(pick(scope.outer + [scope]), isMany: false)
            if path.shape?.type == shape.type { return path.expression }
        }
        return nil
    }

    private mutating func value(_ shape: PropertyShape) -> Any? {
        if number(below: 7) == 0 { return nil }
        switch shape.type {
        case .int: return number(below: 8) == 0 ? pick([0.5, 2.0, -1.5]) : integer()
        case .float, .double: return number(below: 4) == 0 ? integer() : pick(OddValues.doubles)
        case .bool: return number(below: 2) == 0
        case .string: return pick(OddValues.strings)
        case .data: return pick(OddValues.data)
        case .date: return pick(OddValues.dates)
        case .UUID: return pick(OddValues.tokens)
        case .objectId: return pick(OddValues.identifiers)
        default: return nil
        }
    }

    private mutating func integer() -> Int64 { Int64(pick(OddValues.integers)) }
}

// Operations, calculations and subqueries.
extension RandomPredicates {
    /// A calculation compared with a number or another one.
    private mutating func calculation(_ scope: Scope) -> Comparison {
        let op = pick(Self.orders + [.in, .between])
        let number = PropertyShape(.double)
        let left = Expression.arithmetic(pick(Self.operations), term(scope), term(scope))
        if op == .in || op == .between {
            return Comparison(left: left, op: op, right: right(op, number))
        }
        let right = self.number(below: 3) == 0 ? term(scope, depth: 1) : .value(value(number))
        return self.number(below: 4) == 0
            ? Comparison(left: right, op: op, right: left)
            : Comparison(left: left, op: op, right: right)
    }

    private static let operations: [ArithmeticOperator] = [.add, .subtract, .multiply, .divide]

    private mutating func term(_ scope: Scope, depth: Int = 0) -> Expression {
        switch number(below: depth > 2 ? 3 : 4) {
        case 0:
            return .value(
                number(below: 3) == 0 ? pick([0.5, -2, Double.nan] as [Any?]) : integer()
            )
        case 3:
            return .arithmetic(
                pick(Self.operations),
                term(scope, depth: depth + 1),
                term(scope, depth: depth + 1)
            )
        default:
            let shape = PropertyShape(pick([.int, .int, .double, .float]))
            return other(shape, scope) ?? .value(1 as Int64)
        }
    }

    /// `@count`, `@sum` and so on of a collection, compared with a number.
    private mutating func operation(_ scope: Scope) -> Comparison {
        var path = path(scope)
        var shape = PropertyShape(.int)
        if scope.type == QueryPerson.self, number(below: 10) == 0 {
            path = Path(scope)
            path.path.steps += [.operation("@links"), .operation("@count")]
        } else if path.isMany, let scalar = path.shape, path.path.steps.count <= 2,
            Self.last(path.path, is: ["numbers", "ratios"]), number(below: 2) == 0
        {
            shape = append(operationFor: scalar, to: &path)
        } else {
            path = collection(scope)
            if number(below: 2) == 0 {
                path.path.steps.append(.operation("@count"))
            } else {
                let property = pick(properties(path.type).filter { Self.isMeasured($0) })
                shape = append(operationFor: property.shape, to: &path)
                path.path.steps.append(.property(property.name))
            }
        }
        let op = pick(Self.orders + [.between, .in])
        return Comparison(left: .keyPath(path.path), op: op, right: right(op, shape))
    }

    /// Appends an operation that the type has, and tells the type of its result.
    private mutating func append(
        operationFor shape: PropertyShape,
        to path: inout Path
    ) -> PropertyShape {
        let all = ["@min", "@max"] + (shape.type == .date ? [] : ["@sum", "@avg"])
        let name = pick(all)
        path.path.steps.append(.operation(name))
        return name == "@avg" ? PropertyShape(.double) : shape
    }

    private static func isMeasured(_ property: PropertySchema) -> Bool {
        !property.isCollection && [.int, .float, .double, .date].contains(property.shape.type)
    }

    private static func last(_ path: KeyPath, is names: [String]) -> Bool {
        guard case .property(let name) = path.steps.last else { return false }
        // Not behind another collection.
        let before = path.steps.dropLast().allSatisfy { $0 == .property("boss") }
        return before && names.contains(name)
    }

    private mutating func subquery(_ depth: Int, _ scope: Scope) -> Comparison {
        let collection = collection(scope)
        let variable = "x\(scope.level)"
        let inner = Scope(
            type: collection.type,
            variable: variable,
            level: scope.level + 1,
            outer: scope.outer + [scope]
        )
        return Comparison(
            left: .subquery(
                collection: collection.path,
                variable: variable,
                predicate: node(min(depth - 1, 2), inner),
                trailing: [.operation("@count")]
            ),
            op: pick(Self.orders),
            right: .value(Int64(number(below: 3)))
        )
    }

    private mutating func number(below bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &random)
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }
}
