import PredicateLanguage

/// A condition whose names are columns and whose values have their columns' types.
indirect enum BoundNode {
    case constant(Bool)
    case and([BoundNode])
    case or([BoundNode])
    case not(BoundNode)
    case test(BoundTest)
}

/// What is asked of the values at one path.
struct BoundTest {
    var path: BoundPath
    /// Of the ends of a path that leads to many; `any` for one that leads to one.
    var quantifier = Quantifier.any
    var condition: BoundCondition
}

enum BoundCondition {
    case order(BoundOrder, QueryValue)
    /// Both bounds included.
    case between(QueryValue, QueryValue)
    /// Equal to one of them.
    case isIn([QueryValue])
    case text(TextMatch)
    /// Compared to another path from the same object.
    case path(BoundOrder, BoundPath)
    /// As `text`, with the needle at another path.
    case textPath(TextOperator, TextOptions, BoundPath)
}

/// A path from the object that is tested to what is compared.
///
/// **Shape.** Hops lead from object to object; the end says what is taken there.
struct BoundPath {
    let root: any QueryTable
    var hops: [BoundHop] = []
    var end = BoundEnd.object
    /// As written.
    var text = ""

    /// The class the hops lead to.
    var target: any QueryTable { hops.last?.target ?? root }

    /// Whether it can lead to several values.
    var isToMany: Bool {
        if case .elements = end { return true }
        return hops.contains(where: \.isToMany)
    }
}

enum BoundHop {
    case link(column: Int, any QueryTable)
    case links(column: Int, any QueryTable)
    case backlinks(origin: any QueryTable, column: Int)

    var target: any QueryTable {
        switch self {
        case .link(_, let target), .links(_, let target), .backlinks(let target, _): target
        }
    }

    var isToMany: Bool {
        if case .link = self { return false }
        return true
    }
}

/// What is taken where a path ends.
enum BoundEnd {
    /// The object itself; nil where a link leads nowhere.
    case object
    case value(column: Int, ValueType)
    /// Each element of a list of values.
    case elements(column: Int, ValueType)
    /// How many objects `collection` leads to.
    case count(BoundHop)
    /// How many values a list holds.
    case elementCount(column: Int)
    /// `@min`, `@max`, `@sum` or `@avg` over a list of values.
    case aggregate(Aggregate, column: Int, ValueType)
    /// The same over a property of the objects that a collection leads to.
    case aggregateOf(Aggregate, BoundHop, column: Int, ValueType)
    /// How many objects of a collection satisfy a condition.
    case subqueryCount(BoundHop, BoundNode)
}

enum Aggregate: String {
    case min = "@min"
    case max = "@max"
    case sum = "@sum"
    case average = "@avg"
}

extension BoundEnd {
    /// The type of what is compared; nil for objects.
    var valueType: ValueType? {
        switch self {
        case .object: nil
        case .value(_, let type), .elements(_, let type): type
        case .count, .elementCount, .subqueryCount: ValueType(type: .int, isOptional: false)
        case .aggregate(let operation, _, let type), .aggregateOf(let operation, _, _, let type):
            switch operation {
            case .min, .max: ValueType(type: type.type, isOptional: true)
            case .average: ValueType(type: .double, isOptional: true)
            case .sum:
                ValueType(type: type.type == .int ? .int : .double, isOptional: false)
            }
        }
    }
}
