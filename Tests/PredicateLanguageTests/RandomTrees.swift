import Foundation
import PredicateLanguage

/// Makes trees of the shapes that the parser makes.
struct RandomTrees {
    var random: SeededGenerator

    static let names = [
        "a", "name", "in", "ANY", "not", "self", "true", "nil", "subquery", "größe", "two words",
        "or", "matches", "first", "_x", "🐶", "sort", "limit", "nan", "uuid", "T1", "B64", "obj",
        "O7",
    ]

    mutating func node(depth: Int) -> PredicateNode {
        switch depth == 0 ? 5 : number(below: 8) {
        case 0: .constant(Bool.random(using: &random))
        case 1: .and(nodes(depth: depth - 1))
        case 2: .or(nodes(depth: depth - 1))
        case 3: .not(node(depth: depth - 1))
        default: .comparison(comparison(depth: depth))
        }
    }

    /// What may follow a condition.
    mutating func ordering() -> [OrderingClause] {
        (0..<number(below: 3)).map { _ in
            switch number(below: 3) {
            case 0:
                .sort(
                    (0...number(below: 2)).map { _ in
                        SortTerm(path: keyPath(), isAscending: Bool.random(using: &random))
                    }
                )
            case 1: .distinct((0...number(below: 2)).map { _ in keyPath() })
            default: .limit(number(below: 100))
            }
        }
    }

    private mutating func nodes(depth: Int) -> [PredicateNode] {
        (0..<2 + number(below: 3)).map { _ in node(depth: depth) }
    }

    private mutating func comparison(depth: Int) -> Comparison {
        let op = pick(ComparisonOperator.allCases)
        let options = StringOptions(rawValue: number(below: 4))
        return Comparison(
            left: expression(depth: depth),
            op: op,
            right: op == .between
                ? PredicateLanguage.Expression(list: [
                    expression(depth: depth), expression(depth: depth),
                ])
                : expression(depth: depth),
            options: op.refusal(of: options) == nil ? options : [],
            quantifier: pick([nil, nil, .any, .all, .some(Quantifier.none)])
        )
    }

    private mutating func expression(depth: Int) -> PredicateLanguage.Expression {
        switch number(below: depth == 0 ? 6 : 9) {
        case 0, 1, 2: .keyPath(keyPath())
        case 8:
            .arithmetic(
                pick(ArithmeticOperator.allCases),
                expression(depth: depth - 1),
                expression(depth: depth - 1)
            )
        case 3, 4: .value(value(depth: 2))
        case 5: .variable(pick(["x", "0", "in"]))
        case 6:
            PredicateLanguage.Expression(
                list: (0..<number(below: 4)).map { _ in expression(depth: depth - 1) }
            )
        default:
            .subquery(
                collection: keyPath(),
                variable: pick(["x", "dog"]),
                predicate: node(depth: depth - 1),
                trailing: pick([[], [.operation("@count")]])
            )
        }
    }

    private mutating func keyPath() -> PredicateLanguage.KeyPath {
        let steps = (0..<number(below: 4)).map { _ in step() }
        let isFromVariable = !steps.isEmpty && number(below: 4) == 0
        return PredicateLanguage.KeyPath(variable: isFromVariable ? "x" : nil, steps: steps)
    }

    private mutating func step() -> PathStep {
        switch number(below: 12) {
        case 0: .operation(pick(["@count", "@sum", "@links"]))
        case 1: .index(.value(pick(["k" as Any, 5 as Int64, -1 as Int64, "in.\"'\\"])))
        case 2: .index(.variable("i"))
        case 3: pick([.anyElement, .firstElement, .lastElement, .elementCount])
        default: .property(pick(Self.names))
        }
    }

    private mutating func value(depth: Int) -> Any? {
        switch number(below: depth == 0 ? 12 : 13) {
        case 0: nil
        case 7: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        case 8: ObjectIdLiteral("507f1f77bcf86cd799439011")
        case 9: Data([1, 2, 255])
        case 10: LinkLiteral(table: number(below: 9), key: Int64(number(below: 99)))
        case 11: ObjectLiteral(className: string(), key: pick([nil, 5, "k"]) as Any?)
        case 1: Bool.random(using: &random)
        case 2: Int64.random(in: .min ... .max, using: &random) >> pick([0, 56, 60])
        case 3: Double(bitPattern: random.next())
        case 4: pick([0.0, -0.0, 1.5, 1e300, -1e-300, .infinity, 1e16])
        case 5: string()
        case 6: 0...number(below: 5)
        default: (0..<number(below: 4)).map { _ in value(depth: depth - 1) } as [Any?]
        }
    }

    private mutating func string() -> String {
        let scalars = Array("ab \"'\\\n\t\r\0\u{7F}\u{1F}%@K$#é😀\u{301}{}[]".unicodeScalars)
        var string = String.UnicodeScalarView()
        for _ in 0..<number(below: 8) { string.append(pick(scalars)) }
        return String(string)
    }

    private mutating func number(below bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &random)
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }
}
