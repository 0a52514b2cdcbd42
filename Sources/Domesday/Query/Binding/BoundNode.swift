import PredicateLanguage

/// A condition whose names are columns and whose values have their columns' types.
indirect enum BoundNode {
    case constant(Bool)
    case and([BoundNode])
    case or([BoundNode])
    case not(BoundNode)
    case test(BoundTest)
    /// Compares two calculations, each of which gives one value.
    case calculation(BoundExpression, BoundOrder, BoundExpression)
}

/// Something that gives one value for each object.
indirect enum BoundExpression {
    case constant(QueryValue)
    /// Leads to one.
    case path(BoundPath)
    /// The link to whichever object has a primary key.
    case object(KeyedObject)
    case arithmetic(ArithmeticOperator, BoundExpression, BoundExpression)
}

/// The object of a class that has a primary key, if there is one.
struct KeyedObject {
    let table: any QueryTable
    /// The primary key's.
    let column: Int
    let type: ValueType
    let key: QueryValue
}

/// What is asked of the values at one path.
struct BoundTest {
    var path: BoundPath
    /// Of the ends of a path that leads to many; `any` for one that leads to one.
    var quantifier = Quantifier.any
    var condition: BoundCondition
}

indirect enum BoundCondition {
    case order(BoundOrder, QueryValue)
    /// Both bounds included.
    case between(QueryValue, QueryValue)
    /// Equal to one of them.
    case isIn(QueryValueSet)
    case text(TextMatch)
    /// A text with these words.
    case words(WordSearch)
    /// A place within the region.
    case within(GeoRegion)
    /// Of any type, and of one of these.
    case isOfType(ValueTypes)
    /// What a constant text begins with, contains and so on.
    case isPart(TextOperator, TextOptions, of: [UInt8])
    /// Compared to what another path or a calculation gives for the same object.
    case expression(BoundOrder, BoundExpression)
    /// As `text`, with the needle at another path.
    case textPath(TextOperator, TextOptions, BoundPath)
    /// At least one of them holds.
    case anyOf([BoundCondition])
    /// All of them hold.
    case allOf([BoundCondition])
}

/// A path from the object that is tested to what is compared.
///
/// **Shape.** Hops lead from object to object; the end says what is taken there.
struct BoundPath {
    let root: any QueryTable
    var hops: [BoundHop] = []
    var end = BoundEnd.object
    /// From which object it starts: the one that is tested (0), or the one whose subquery that is
    /// (1), and so on outward.
    var level = 0
    /// As written.
    var text = ""

    /// The class the hops lead to.
    var target: any QueryTable { hops.last?.target ?? root }

    /// Whether it can lead to several values.
    var isToMany: Bool {
        switch end {
        case .elements: return true
        case .nested(_, _, let steps) where steps.contains(where: \.isToMany): return true
        default: return hops.contains(where: \.isToMany)
        }
    }
}

enum BoundHop {
    case link(column: Int, any QueryTable)
    case links(column: Int, any QueryTable)
    case backlinks(origin: any QueryTable, column: Int)
    /// To what stands at one place of a list or map of objects.
    case entry(column: Int, BoundStep, any QueryTable)

    var target: any QueryTable {
        switch self {
        case .link(_, let target), .links(_, let target), .backlinks(let target, _),
            .entry(_, _, let target):
            target
        }
    }

    var isToMany: Bool {
        switch self {
        case .link, .entry: false
        case .links, .backlinks: true
        }
    }
}

/// What is taken where a path ends.
enum BoundEnd {
    /// The object itself; nil where a link leads nowhere.
    case object
    case value(column: Int, ValueType)
    /// The place that an object is: the bytes of its list of coordinates if its type is "Point".
    case place(GeoColumns)
    /// Each element of a list of values.
    case elements(column: Int, ValueType)
    /// What some steps lead to in a collection of values or in a value of any type; nil where there
    /// is nothing.
    case nested(column: Int, ValueType, [BoundStep])
    /// How many members a collection has.
    case count(BoundCollection)
    /// How many links lead here, through all these back-links.
    case incomingCount([BoundHop])
    /// `@min`, `@max`, `@sum` or `@avg` of a collection's values.
    case aggregate(Aggregate, BoundCollection)
    /// How many objects of a collection satisfy a condition.
    case subqueryCount(BoundCollection, BoundNode)
}

/// All objects or values that some hops lead to, the first of which leads to many.
struct BoundCollection {
    var hops: [BoundHop]
    /// What is taken of each object: itself, a value, or the elements of a list of values.
    var member = Member.object

    enum Member {
        case object
        case value(column: Int, ValueType)
        case elements(column: Int, ValueType)

        var valueType: ValueType? {
            switch self {
            case .object: nil
            case .value(_, let type), .elements(_, let type): type
            }
        }
    }
}

extension BoundCollection {
    /// The type that its values sum up to.
    var sumType: ColumnType {
        switch member.valueType?.type {
        case .int: .int
        case .decimal, .mixed: .decimal
        default: .double
        }
    }
}

enum Aggregate: String {
    case min = "@min"
    case max = "@max"
    case sum = "@sum"
    case average = "@avg"

    /// The operation's name in messages.
    var word: String {
        switch self {
        case .min: "min"
        case .max: "max"
        case .sum: "sum"
        case .average: "average"
        }
    }
}

extension BoundEnd {
    /// The type of what is compared; nil for objects.
    var valueType: ValueType? {
        switch self {
        case .object, .place: nil
        case .value(_, let type), .elements(_, let type), .nested(_, let type, _): type
        case .count, .incomingCount, .subqueryCount: ValueType(type: .int, isOptional: false)
        case .aggregate(let operation, let collection):
            switch operation {
            case .min, .max:
                collection.member.valueType.map { ValueType(type: $0.type, isOptional: true) }
            case .average:
                ValueType(
                    type: collection.sumType == .decimal ? .decimal : .double,
                    isOptional: true
                )
            case .sum: ValueType(type: collection.sumType, isOptional: false)
            }
        }
    }

    /// What stands here where a link before it leads nowhere: nil, but nothing counts and sums up
    /// to 0.
    var valueOfNothing: QueryValue {
        switch self {
        case .object, .value, .place, .elements, .nested: return .null
        case .count, .incomingCount, .subqueryCount: return .int(0)
        case .aggregate(let operation, let collection):
            guard operation == .sum else { return .null }
            switch collection.sumType {
            case .int: return .int(0)
            case .decimal: return .decimal(.zero)
            default: return .double(0)
            }
        }
    }
}
