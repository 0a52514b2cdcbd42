import Foundation
import PredicateLanguage

// What stands on which side of a comparison decides what it becomes.

extension Binder {
    /// One side of a comparison.
    enum Side {
        case constant(Any?)
        case path(BoundPath)
        /// At least one is no constant.
        case list([Side])
        case calculation(BoundExpression)
    }

    func bind(_ comparison: Comparison) throws(QueryError) -> BoundNode {
        var comparison = comparison
        comparison.quantifier = comparison.impliedQuantifier
        if let node = try bindTypes(comparison) { return node }
        if let node = try bindObjects(comparison) { return node }
        let left = try side(comparison.left, comparison)
        return try bind(left, try side(comparison.right, comparison), comparison)
    }

    private func bind(
        _ left: Side,
        _ right: Side,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundNode {
        switch (left, right) {
        case (.path(let path), .constant(let shape as any GeoShaped)):
            return try within(path, shape.geoShape, comparison)
        case (.path(let path), .constant(let constant)):
            return try quantified(path, comparison) { path throws(QueryError) in
                try condition(path, constant, comparison)
            }
        case (.constant(let constant), .path(let path)):
            if let elements = try quantifiedElements(constant, comparison) {
                return try bind(elements.map { .constant($0) }, right, comparison)
            }
            return try mirrored(constant, path, comparison)
        case (.path(let left), .path(let right)):
            return try compare(left, right, comparison)
        case (.path(let path), .list(let elements)):
            return try quantified(path, comparison) { path throws(QueryError) in
                try condition(path, elements, comparison)
            }
        case (.list(let elements), _):
            guard comparison.quantifier != nil else { throw misplacedList(comparison) }
            return try bind(elements, right, comparison)
        case (.path(let path), .calculation(let expression)):
            return try quantified(path, comparison) { path throws(QueryError) in
                .expression(try order(comparison), try number(expression, path, comparison))
            }
        case (.calculation(let expression), _):
            return try calculate(expression, right, comparison)
        case (_, .calculation(let expression)):
            return try calculate(expression, left, try turned(comparison))
        case (.constant(let left), .constant(let right)):
            if let elements = try quantifiedElements(left, comparison) {
                return try bind(elements.map { .constant($0) }, .constant(right), comparison)
            }
            return try evaluate(left, right, comparison)
        case (.constant(let constant), .list(let elements)):
            guard comparison.op == .in else { throw misplacedList(comparison) }
            var turned = comparison
            (turned.op, turned.quantifier) = (.equal, .any)
            return try bind(elements, .constant(constant), turned)
        }
    }

    func side(
        _ expression: PredicateLanguage.Expression,
        _ comparison: Comparison
    ) throws(QueryError) -> Side {
        switch expression {
        case .value(let value): return .constant(value)
        case .keyPath(let path):
            if let link = link(named: path) { return .constant(link) }
            return .path(try bind(path))
        case .subquery(let collection, let name, let predicate, let trailing):
            return .path(try bind(subquery: collection, name, predicate, trailing))
        case .variable(let name):
            guard let scope = scope(of: name) else {
                throw QueryError(
                    "No value was given for the variable '$\(name)'",
                    at: comparison.utf8Offset
                )
            }
            return .path(BoundPath(root: scope.table, level: scope.level, text: "$\(name)"))
        case .list(let elements):
            var sides: [Side] = []
            for element in elements { sides.append(try side(element, comparison)) }
            return .list(sides)
        case .arithmetic: return .calculation(try self.expression(expression, comparison))
        }
    }

    // MARK: - Lists

    func misplacedList(_ comparison: Comparison) -> QueryError {
        QueryError(
            "A list stands on the right side of IN and BETWEEN only, or after ANY, ALL or NONE",
            at: comparison.utf8Offset
        )
    }

    /// The elements of a constant list that a quantifier is about.
    private func quantifiedElements(
        _ constant: Any?,
        _ comparison: Comparison
    ) throws(QueryError) -> [Any?]? {
        guard comparison.op != .in, comparison.quantifier != nil else { return nil }
        return DynamicConstant.elements(constant)
    }

    /// `ANY {a, b} == x`: one comparison for each element.
    private func bind(
        _ elements: [Side],
        _ right: Side,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundNode {
        var single = comparison
        single.quantifier = nil
        var nodes: [BoundNode] = []
        for element in elements { nodes.append(try bind(element, right, single)) }
        switch comparison.quantifier ?? .any {
        case .any: return .or(nodes)
        case .all: return .and(nodes)
        case .none: return .not(.or(nodes))
        }
    }

    /// A list of which not every element is a constant, on the right side.
    private func condition(
        _ path: BoundPath,
        _ elements: [Side],
        _ comparison: Comparison
    ) throws(QueryError) -> BoundCondition {
        switch comparison.op {
        case .in:
            var alternatives: [BoundCondition] = []
            var equal = comparison
            equal.op = .equal
            for element in elements {
                alternatives.append(try condition(path, element, equal))
            }
            return .anyOf(alternatives)
        case .between:
            guard elements.count == 2 else { throw wrongBounds(comparison) }
            var least = comparison
            least.op = .greaterOrEqual
            var greatest = comparison
            greatest.op = .lessOrEqual
            return .allOf([
                try condition(path, elements[0], least),
                try condition(path, elements[1], greatest),
            ])
        default: throw misplacedList(comparison)
        }
    }

    private func condition(
        _ path: BoundPath,
        _ side: Side,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundCondition {
        switch side {
        case .constant(let constant): return try condition(path, constant, comparison)
        case .path(let other):
            guard !other.isToMany else { throw twoCollections(other, comparison) }
            return try condition(path, other, comparison)
        case .calculation(let expression):
            return .expression(try order(comparison), try number(expression, path, comparison))
        case .list: throw misplacedList(comparison)
        }
    }

    // MARK: - A constant before the operator

    private func turned(_ comparison: Comparison) throws(QueryError) -> Comparison {
        guard let mirrored = comparison.op.mirrored else {
            throw QueryError(
                "Operator '\(comparison.op.symbol)' needs its key path on the left side",
                at: comparison.utf8Offset
            )
        }
        var turned = comparison
        turned.op = mirrored
        return turned
    }

    private func mirrored(
        _ constant: Any?,
        _ path: BoundPath,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundNode {
        if let node = try part(of: constant, path, comparison) { return node }
        var turned = comparison
        if comparison.op == .in {
            guard path.isToMany else {
                throw QueryError(
                    "The right side of IN must be a list of values or a collection property, and "
                        + "'\(path.text)' is none",
                    at: comparison.utf8Offset
                )
            }
            turned.op = .equal
            turned.quantifier = comparison.quantifier ?? .any
        } else {
            turned = try self.turned(comparison)
        }
        return try quantified(path, turned) { path throws(QueryError) in
            try condition(path, constant, turned)
        }
    }

    // MARK: - Paths on both sides

    private func twoCollections(_ right: BoundPath, _ comparison: Comparison) -> QueryError {
        QueryError(
            "Comparing two collection columns is not permitted, nor one on the right side: "
                + "'\(right.text)'",
            at: comparison.utf8Offset
        )
    }

    private func compare(
        _ left: BoundPath,
        _ right: BoundPath,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundNode {
        if right.isToMany {
            if comparison.op == .in, !left.isToMany {
                var turned = comparison
                turned.op = .equal
                turned.quantifier = comparison.quantifier ?? .any
                return try compare(right, left, turned)
            }
            throw twoCollections(right, comparison)
        }
        return try quantified(left, comparison) { left throws(QueryError) in
            try condition(left, right, comparison)
        }
    }

    // MARK: - Constants on both sides

    /// A comparison that no object has a part in.
    private func evaluate(
        _ left: Any?,
        _ right: Any?,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundNode {
        if let operation = TextOperator(rawValue: comparison.op.symbol),
            let a = Self.text(left), let b = Self.text(right)
        {
            let match = TextMatch(operation, b, comparison.options)
            return .constant(a.withUnsafeBytes { match.matches($0) })
        }
        guard let order = BoundOrder(rawValue: comparison.op.symbol), comparison.options.isEmpty,
            let a = Self.plainValue(left), let b = Self.plainValue(right)
        else {
            throw QueryError(
                "Predicate expressions must compare a key path, and these are two constants",
                at: comparison.utf8Offset
            )
        }
        return .constant(a.satisfies(order, b))
    }

    /// `'text' BEGINSWITH path`; nil if the operator is none of text.
    private func part(
        of constant: Any?,
        _ path: BoundPath,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundNode? {
        switch comparison.op {
        case .beginsWith, .endsWith, .contains, .like: break
        default: return nil
        }
        guard let operation = TextOperator(rawValue: comparison.op.symbol),
            let text = Self.text(constant), let type = path.end.valueType, type.isBytes,
            Self.convert(constant as Any, type) != nil
        else { throw unsupported(comparison, path) }
        return try quantified(path, comparison) { _ throws(QueryError) in
            .isPart(operation, comparison.options, of: text)
        }
    }

    private static func text(_ constant: Any?) -> [UInt8]? {
        switch DynamicConstant.plain(constant) {
        case let text as String: Array(text.utf8)
        case let data as Data: Array(data)
        default: nil
        }
    }

    private static func plainValue(_ constant: Any?) -> QueryValue? {
        guard let constant = DynamicConstant.plain(constant) else { return .null }
        for type in [ColumnType.int, .string, .date, .data, .uuid] {
            if let value = convert(constant, ValueType(type: type, isOptional: true)) {
                return value
            }
        }
        return nil
    }
}
