import PredicateLanguage

/// Makes the filter of a bound node: loops over columns where there are some for it, else reading
/// value by value.
///
/// **Threads.** Its reader's.
enum FilterCompiler {
    static func filter(_ node: BoundNode, _ table: any QueryTable) -> RowFilter {
        let reader = table.reader
        switch node {
        case .constant(let value): return ConstantFilter(reader, value)
        case .and(let nodes): return AndFilter(reader, nodes.map { filter($0, table) })
        case .or(let nodes): return OrFilter(reader, nodes.map { filter($0, table) })
        case .not(let node): return NotFilter(filter(node, table))
        case .test(let test): return filter(test, table)
        }
    }

    private static func filter(_ test: BoundTest, _ table: any QueryTable) -> RowFilter {
        let path = test.path
        switch test.condition {
        case .path, .textPath: return general(test, table)
        default: break
        }
        // NONE is the opposite of ANY, ALL that none is otherwise.
        switch test.quantifier {
        case .any: break
        case .none:
            var any = test
            any.quantifier = .any
            return NotFilter(filter(any, table))
        case .all: return general(test, table)
        }
        guard let leaf = leaf(path, test.condition) else { return general(test, table) }
        var inner = leaf
        // Behind a collection what a link does not lead to drops out.
        let nilMatches = !path.isToMany && test.condition.holds(path.end.valueOfNothing)
        for (index, hop) in hops(path).enumerated().reversed() {
            let source = index == 0 ? path.root : path.hops[index - 1].target
            inner = HopFilter(source.reader, hop, inner, nilMatches: nilMatches)
        }
        return inner
    }

    private static func general(_ test: BoundTest, _ table: any QueryTable) -> RowFilter {
        PathFilter(table.reader, test) { filter($0, $1) }
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
        case .elements, .aggregate: return nil
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
            let texts = values.compactMap { value -> [UInt8]? in
                if case .bytes(let bytes) = value { return bytes }
                return nil
            }
            return BytesSetFilter(table, column, texts, nilMatches: nilMatches)
        default: return nil
        }
    }
}

extension BoundCollection {
    /// The one hop of a collection of objects.
    fileprivate var singleHop: BoundHop? {
        guard case .object = member, hops.count == 1 else { return nil }
        return hops[0]
    }
}

/// Comparison of floating-point columns with numbers that need not be floating-point numbers.
enum DoubleOrder {
    /// The same comparison with a Double. An integer that no Double equals lies between two of
    /// them; nil where that makes the comparison constant.
    static func exact(_ comparison: BoundOrder, _ value: QueryValue) -> (BoundOrder, Double)? {
        switch value {
        case .double(let number): return (comparison, number)
        case .int(let number):
            let near = Double(number)
            guard let order = NumberOrder.compare(number, near), order != 0 else {
                return (comparison, near)
            }
            // `near` is the Double next above (order < 0) or below the integer.
            switch comparison {
            case .equal, .notEqual: return nil
            case .less, .lessOrEqual: return (order < 0 ? .less : .lessOrEqual, near)
            case .greater, .greaterOrEqual: return (order < 0 ? .greaterOrEqual : .greater, near)
            }
        default: return nil
        }
    }
}
