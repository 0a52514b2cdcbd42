import PredicateLanguage

/// The object that is tested while the condition of a subquery about it is evaluated.
///
/// **Threads.** Its reader's.
final class OuterRow {
    private(set) var place: (view: ClusterView, row: Int)?

    /// The pointer in `view` is valid as long as the caller's: until the subquery is answered.
    func enter(_ view: ClusterView, _ row: Int) { place = (view, row) }
}

/// Rows of which a test holds, found by reading value by value.
final class PathFilter: RowFilter {
    private let test: BoundTest
    private let reader: PathReader
    private let condition: ConditionReader

    init(
        _ table: TableReader,
        _ test: BoundTest,
        _ frames: [OuterRow],
        compile: (BoundNode, any QueryTable, [OuterRow]) -> RowFilter
    ) {
        self.test = test
        reader = PathReader(test.path, frames: frames, compile: compile)
        condition = ConditionReader(test.condition, frames, compile)
        super.init(table)
    }

    override var cost: Double { 100 }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        let condition = try condition.value(view, row)
        switch test.quantifier {
        case .any:
            return try reader.contains(view, row) { value throws(StorageError) in
                condition.holds(value)
            }
        case .none:
            return try !reader.contains(view, row) { value throws(StorageError) in
                condition.holds(value)
            }
        case .all:
            return try !reader.contains(view, row) { value throws(StorageError) in
                !condition.holds(value)
            }
        }
    }
}

/// Rows for which one calculation compares so to another.
final class CalculationFilter: RowFilter {
    private let left: ExpressionReader
    private let comparison: BoundOrder
    private let right: ExpressionReader

    init(
        _ table: TableReader,
        _ left: ExpressionReader,
        _ comparison: BoundOrder,
        _ right: ExpressionReader
    ) {
        self.left = left
        self.comparison = comparison
        self.right = right
        super.init(table)
    }

    override var cost: Double { 100 }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        try left.value(view, row).satisfies(comparison, try right.value(view, row))
    }
}

/// Reads what an expression gives for each row.
indirect enum ExpressionReader {
    case constant(QueryValue)
    case path(PathReader)
    case object(KeyedObjectReader)
    case arithmetic(ArithmeticOperator, ExpressionReader, ExpressionReader)

    init(
        _ expression: BoundExpression,
        _ frames: [OuterRow],
        _ compile: (BoundNode, any QueryTable, [OuterRow]) -> RowFilter
    ) {
        switch expression {
        case .constant(let value): self = .constant(value)
        case .path(let path): self = .path(PathReader(path, frames: frames, compile: compile))
        case .object(let object): self = .object(KeyedObjectReader(object))
        case .arithmetic(let operation, let left, let right):
            self = .arithmetic(
                operation,
                ExpressionReader(left, frames, compile),
                ExpressionReader(right, frames, compile)
            )
        }
    }

    func value(_ view: ClusterView, _ row: Int) throws(StorageError) -> QueryValue {
        switch self {
        case .constant(let value): value
        case .path(let reader): try reader.value(view, row)
        case .object(let reader): try reader.link()
        case .arithmetic(let operation, let left, let right):
            operation.result(try left.value(view, row), try right.value(view, row))
        }
    }
}

/// Looks an object up by its primary key, once for an evaluation.
///
/// **Threads.** Its reader's.
final class KeyedObjectReader {
    private let object: KeyedObject
    private var known: QueryValue?

    init(_ object: KeyedObject) { self.object = object }

    /// The link to the object; to the key of none, which nothing links to, if there is no such object.
    func link() throws(StorageError) -> QueryValue {
        if let known { return known }
        let table = object.table
        let path = BoundPath(root: table, end: .value(column: object.column, object.type))
        let test = BoundTest(path: path, condition: .order(.equal, object.key))
        let key = try QueryRun(table, source: nil, condition: .test(test)).firstKey() ?? 0
        let link = QueryValue.mixed(.link(MixedLink(table: table.tableID, key: key)))
        known = link
        return link
    }
}

/// Makes a condition constant, row by row.
indirect enum ConditionReader {
    case constant(BoundCondition)
    case expression(BoundOrder, ExpressionReader)
    case text(TextOperator, TextOptions, PathReader)
    case anyOf([ConditionReader])
    case allOf([ConditionReader])

    init(
        _ condition: BoundCondition,
        _ frames: [OuterRow],
        _ compile: (BoundNode, any QueryTable, [OuterRow]) -> RowFilter
    ) {
        switch condition {
        case .order, .between, .isIn, .text, .words, .within, .isOfType, .isPart:
            self = .constant(condition.searchable)
        case .expression(let order, let expression):
            self = .expression(order, ExpressionReader(expression, frames, compile))
        case .textPath(let operation, let options, let path):
            self = .text(operation, options, PathReader(path, frames: frames, compile: compile))
        case .anyOf(let parts):
            self = .anyOf(parts.map { ConditionReader($0, frames, compile) })
        case .allOf(let parts):
            self = .allOf(parts.map { ConditionReader($0, frames, compile) })
        }
    }

    /// The condition with what stands in this row.
    func value(_ view: ClusterView, _ row: Int) throws(StorageError) -> BoundCondition {
        switch self {
        case .constant(let condition): return condition
        case .expression(let order, let expression):
            return .order(order, try expression.value(view, row))
        case .text(let operation, let options, let reader):
            guard let needle = try reader.value(view, row).text else {
                return .text(TextMatch(operation, nil, options))
            }
            return .text(TextMatch(operation, needle, options))
        case .anyOf(let parts):
            var values: [BoundCondition] = []
            for part in parts { values.append(try part.value(view, row)) }
            return .anyOf(values)
        case .allOf(let parts):
            var values: [BoundCondition] = []
            for part in parts { values.append(try part.value(view, row)) }
            return .allOf(values)
        }
    }
}

extension BoundCondition {
    /// The same condition, made ready to be asked of many values.
    var searchable: BoundCondition {
        if case .isIn(let values) = self { .isIn(values.searchable()) } else { self }
    }

    /// Whether a constant condition holds for one value.
    func holds(_ value: QueryValue) -> Bool {
        switch self {
        case .order(let comparison, let constant): value.satisfies(comparison, constant)
        case .between(let low, let high):
            value.satisfies(.greaterOrEqual, low) && value.satisfies(.lessOrEqual, high)
        case .isIn(let values): values.contains(value)
        case .text(let match): match.matches(value)
        case .words(let search):
            value.text?.withUnsafeBytes { search.matches($0) } ?? search.matchesNothing
        case .within(let region): region.contains(value)
        case .isOfType(let types): types.contains(ValueTypes(of: value))
        case .isPart(let operation, let options, let text):
            text.withUnsafeBytes { TextMatch(operation, value.text, options).matches($0) }
        case .anyOf(let parts): parts.contains { $0.holds(value) }
        case .allOf(let parts): parts.allSatisfy { $0.holds(value) }
        case .expression, .textPath: false
        }
    }
}

extension TextMatch {
    func matches(_ value: QueryValue) -> Bool {
        guard let bytes = value.text else { return matches(nil) }
        return bytes.withUnsafeBytes { matches($0) }
    }
}
