import PredicateLanguage

/// Makes the filter of a bound node: loops over columns where there are some for it, else reading
/// value by value.
///
/// **Threads.** Its reader's.
enum FilterCompiler {
    /// - Parameter frames: In a subquery's condition the objects outside, the outermost first.
    static func filter(
        _ node: BoundNode,
        _ table: any QueryTable,
        _ frames: [OuterRow] = []
    ) -> RowFilter {
        let reader = table.reader
        switch node {
        case .constant(let value): return ConstantFilter(reader, value)
        case .and(let nodes): return AndFilter(reader, nodes.map { filter($0, table, frames) })
        case .or(let nodes): return OrFilter(reader, nodes.map { filter($0, table, frames) })
        case .not(let node): return NotFilter(filter(node, table, frames))
        case .test(let test): return filter(test, table, frames)
        case .calculation(let left, let comparison, let right):
            return CalculationFilter(
                reader,
                ExpressionReader(left, frames, Self.filter),
                comparison,
                ExpressionReader(right, frames, Self.filter)
            )
        }
    }

    private static func filter(
        _ test: BoundTest,
        _ table: any QueryTable,
        _ frames: [OuterRow]
    ) -> RowFilter {
        let path = test.path
        if path.level > 0 || path.endsInCorrelatedSubquery || path.hasEntry {
            return general(test, table, frames)
        }
        switch test.condition {
        case .expression, .textPath: return general(test, table, frames)
        case .anyOf(let parts) where test.quantifier == .any:
            return OrFilter(table.reader, split(test, parts).map { filter($0, table, frames) })
        case .allOf(let parts) where !path.isToMany && test.quantifier == .any:
            return AndFilter(table.reader, split(test, parts).map { filter($0, table, frames) })
        case .anyOf, .allOf: return general(test, table, frames)
        case .order, .between, .isIn, .text, .words, .within, .isOfType, .isPart: break
        }
        // NONE is the opposite of ANY, ALL that none is otherwise.
        switch test.quantifier {
        case .any: break
        case .none:
            var any = test
            any.quantifier = .any
            return NotFilter(filter(any, table, frames))
        case .all: return general(test, table, frames)
        }
        guard let leaf = leaf(path, test.condition) else { return general(test, table, frames) }
        var inner = leaf
        // Behind a collection what a link does not lead to drops out.
        let nilMatches = !path.isToMany && test.condition.holds(path.end.valueOfNothing)
        for (index, hop) in hops(path).enumerated().reversed() {
            let source = index == 0 ? path.root : path.hops[index - 1].target
            inner = HopFilter(source.reader, hop, inner, nilMatches: nilMatches)
        }
        return inner
    }

    private static func general(
        _ test: BoundTest,
        _ table: any QueryTable,
        _ frames: [OuterRow]
    ) -> RowFilter {
        PathFilter(table.reader, test, frames, compile: Self.filter)
    }

    /// One test for each part of a condition.
    private static func split(_ test: BoundTest, _ parts: [BoundCondition]) -> [BoundTest] {
        parts.map { part in
            var single = test
            single.condition = part
            return single
        }
    }

    /// The hops before the leaf; a last link to an object is compared where it stands.
    private static func hops(_ path: BoundPath) -> ArraySlice<BoundHop> {
        if case .object = path.end { return path.hops.dropLast() }
        return path.hops[...]
    }

    /// The filter at the end of the path, over the table it stands in; nil if there is no loop for
    /// it.
    private static func leaf(_ path: BoundPath, _ condition: BoundCondition) -> RowFilter? {
        switch path.end {
        case .object:
            let source = path.hops.dropLast().last?.target ?? path.root
            guard case .link(let column, _)? = path.hops.last else { return nil }
            return link(source.reader, column, condition)
        case .value(let column, let type):
            return value(path.target.reader, column, type, condition)
        case .place(let columns):
            guard case .within(let region) = condition else { return nil }
            return GeoFilter(path.target.reader, columns, region)
        case .count(let collection):
            guard let (range, isInverted) = integers(condition),
                let hop = collection.singleHop
            else { return nil }
            return CountFilter(
                path.target.reader,
                hop,
                hop.target.reader,
                nil,
                range,
                isInverted: isInverted
            )
        case .subqueryCount(let collection, let node):
            guard let (range, isInverted) = integers(condition),
                let hop = collection.singleHop
            else { return nil }
            return CountFilter(
                path.target.reader,
                hop,
                hop.target.reader,
                filter(node, hop.target),
                range,
                isInverted: isInverted
            )
        case .elements, .nested, .aggregate, .incomingCount: return nil
        }
    }

    /// A link compared with objects: keys, 0 for none.
    private static func link(
        _ table: TableReader,
        _ column: Int,
        _ condition: BoundCondition
    ) -> RowFilter? {
        func key(_ value: QueryValue) -> Int64 {
            if case .key(let key) = value { return key }
            return 0
        }
        switch condition {
        case .order(let comparison, let value):
            return IntRangeFilter(
                table,
                column,
                key(value)...key(value),
                isInverted: comparison == .notEqual,
                nilMatches: false
            )
        case .isIn(let values):
            return IntSetFilter(table, column, Set(values.map(key)), nilMatches: false)
        default: return nil
        }
    }

    /// The integers that satisfy a condition, as a range or its complement.
    private static func integers(
        _ condition: BoundCondition
    ) -> (ClosedRange<Int64>?, isInverted: Bool)? {
        switch condition {
        case .order(let comparison, let value): return NumberOrder.range(comparison, value)
        case .between(let low, let high):
            guard let from = NumberOrder.range(.greaterOrEqual, low).range,
                let to = NumberOrder.range(.lessOrEqual, high).range,
                from.lowerBound <= to.upperBound
            else { return (nil, false) }
            return (from.lowerBound...to.upperBound, false)
        default: return nil
        }
    }

    private static func value(
        _ table: TableReader,
        _ column: Int,
        _ type: ValueType,
        _ condition: BoundCondition
    ) -> RowFilter? {
        if type.type == .decimal || type.type == .mixed {
            return ValueFilter(table, column, type, condition)
        }
        if case .order(let comparison, .null) = condition {
            // nil is equal to nil alone, and in no other relation to anything.
            switch comparison {
            case .equal, .lessOrEqual, .greaterOrEqual:
                return NilFilter(table, column, wantsNil: true)
            case .notEqual: return NilFilter(table, column, wantsNil: false)
            case .less, .greater: return ConstantFilter(table, false)
            }
        }
        let nilMatches = condition.holds(.null)
        switch type.type {
        case .bool, .int, .link: return int(table, column, condition, nilMatches)
        case .float, .double, .date: return double(table, column, condition, nilMatches)
        case .string, .data, .uuid, .objectId: return bytes(table, column, condition, nilMatches)
        case .decimal, .mixed: return nil
        }
    }

    private static func int(
        _ table: TableReader,
        _ column: Int,
        _ condition: BoundCondition,
        _ nilMatches: Bool
    ) -> RowFilter? {
        if case .isIn(let values) = condition {
            var numbers: Set<Int64> = []
            for value in values {
                if let range = NumberOrder.range(.equal, value).range {
                    numbers.insert(range.lowerBound)
                }
            }
            if numbers.count == 1, let number = numbers.first {
                return IntRangeFilter(table, column, number...number, nilMatches: nilMatches)
            }
            return IntSetFilter(table, column, numbers, nilMatches: nilMatches)
        }
        guard let (range, isInverted) = integers(condition) else { return nil }
        return IntRangeFilter(
            table,
            column,
            range,
            isInverted: isInverted,
            nilMatches: nilMatches
        )
    }

    private static func double(
        _ table: TableReader,
        _ column: Int,
        _ condition: BoundCondition,
        _ nilMatches: Bool
    ) -> RowFilter? {
        switch condition {
        case .order(let comparison, let value):
            guard let (comparison, number) = DoubleOrder.exact(comparison, value) else {
                return nil
            }
            return DoubleFilter(table, column, comparison, number, nilMatches: nilMatches)
        case .between(let low, let high):
            guard let (from, low) = DoubleOrder.exact(.greaterOrEqual, low),
                let (to, high) = DoubleOrder.exact(.lessOrEqual, high)
            else { return nil }
            return AndFilter(
                table,
                [
                    DoubleFilter(table, column, from, low, nilMatches: nilMatches),
                    DoubleFilter(table, column, to, high, nilMatches: nilMatches),
                ]
            )
        default: return nil
        }
    }

    private static func bytes(
        _ table: TableReader,
        _ column: Int,
        _ condition: BoundCondition,
        _ nilMatches: Bool
    ) -> RowFilter? {
        let isHeap = table.definition.columns[column].kind == .bytes
        switch condition {
        case .text(let match): return isHeap ? TextFilter(table, column, match) : nil
        case .words(let search): return WordFilter(table, column, search)
        case .order(let comparison, .bytes(let value)):
            if isHeap, comparison == .equal || comparison == .notEqual {
                let operation: TextOperator = comparison == .equal ? .equal : .notEqual
                return TextFilter(table, column, TextMatch(operation, value))
            }
            return BytesOrderFilter(table, column, comparison, value)
        case .between(.bytes(let low), .bytes(let high)):
            return AndFilter(
                table,
                [
                    BytesOrderFilter(table, column, .greaterOrEqual, low),
                    BytesOrderFilter(table, column, .lessOrEqual, high),
                ]
            )
        case .isIn(let values):
            return BytesSetFilter(table, column, values.packedBytes, nilMatches: nilMatches)
        default: return nil
        }
    }
}

extension BoundPath {
    /// Whether it leads through one place of a collection.
    fileprivate var hasEntry: Bool {
        hops.contains { if case .entry = $0 { true } else { false } }
    }

    /// Whether a subquery at its end asks for anything outside of it.
    fileprivate var endsInCorrelatedSubquery: Bool {
        guard case .subqueryCount(_, let node) = end else { return false }
        return node.isCorrelated
    }
}

extension BoundCollection {
    /// The one hop of a collection of objects.
    fileprivate var singleHop: BoundHop? {
        guard case .object = member, hops.count == 1 else { return nil }
        return hops[0]
    }
}
