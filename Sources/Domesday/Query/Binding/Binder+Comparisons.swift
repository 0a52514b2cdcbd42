import PredicateLanguage

extension Binder {
    /// One side of a comparison.
    private enum Side {
        case constant(Any?)
        case path(BoundPath)
    }

    func bind(_ comparison: Comparison) throws(QueryError) -> BoundNode {
        let left = try side(comparison.left, comparison)
        let right = try side(comparison.right, comparison)
        switch (left, right) {
        case (.path(let path), .constant(let constant)):
            return try quantified(path, comparison) { path throws(QueryError) in
                try condition(path, constant, comparison)
            }
        case (.constant(let constant), .path(let path)):
            return try mirrored(constant, path, comparison)
        case (.path(let left), .path(let right)):
            return try compare(left, right, comparison)
        case (.constant(let left), .constant(let right)):
            return try evaluate(left, right, comparison)
        }
    }

    private func side(
        _ expression: PredicateLanguage.Expression,
        _ comparison: Comparison
    ) throws(QueryError) -> Side {
        switch expression {
        case .value(let value): return .constant(value)
        case .keyPath(let path): return .path(try bind(path))
        case .subquery(let collection, let name, let predicate, let trailing):
            return .path(try bind(subquery: collection, name, predicate, trailing))
        case .variable(let name):
            if name == variable {
                return .path(BoundPath(root: table, text: "$\(name)"))
            }
            throw QueryError(
                "No value was given for the variable '$\(name)'",
                at: offset(comparison)
            )
        case .list:
            throw QueryError(
                "A list may hold constants only, no key paths",
                at: offset(comparison)
            )
        }
    }

    private func offset(_ comparison: Comparison) -> Int { comparison.utf8Offset }

    private func unsupported(_ comparison: Comparison, _ path: BoundPath) -> QueryError {
        QueryError(
            "Operator '\(comparison.op.symbol)' not supported for type "
                + "'\(path.end.valueType?.description ?? path.target.className)' of property "
                + "'\(path.text)'",
            at: offset(comparison)
        )
    }

    /// Checks the quantifier against the path and builds the test.
    private func quantified(
        _ path: BoundPath,
        _ comparison: Comparison,
        _ condition: (BoundPath) throws(QueryError) -> [BoundCondition]
    ) throws(QueryError) -> BoundNode {
        var quantifier = comparison.quantifier
        if path.isToMany, quantifier == nil {
            // A collection contains what one of its elements equals.
            guard comparison.op == .contains else {
                throw QueryError(
                    "Key paths that include a collection property must use aggregate operations: "
                        + "write ANY, ALL or NONE before '\(path.text)', or end it in @count",
                    at: offset(comparison)
                )
            }
            quantifier = .any
        } else if !path.isToMany, quantifier != nil {
            throw QueryError(
                "Aggregate operations can only be used on key paths that include an collection "
                    + "property, and '\(path.text)' includes none",
                at: offset(comparison)
            )
        }
        let tests = try condition(path)
        let quantifierToUse = quantifier ?? .any
        if tests.count == 1 {
            return .test(
                BoundTest(path: path, quantifier: quantifierToUse, condition: tests[0])
            )
        }
        // A disjunction about each end. ANY distributes over it, and ALL and NONE by way of ANY.
        let any = BoundNode.or(
            tests.map { .test(BoundTest(path: path, quantifier: .any, condition: $0)) }
        )
        switch quantifierToUse {
        case .any: return any
        case .none: return .not(any)
        case .all:
            throw QueryError(
                "ALL is not supported with IN and [c] or [d]: write one ALL for each value",
                at: offset(comparison)
            )
        }
    }

    /// What is asked of each end of a path; several conditions are alternatives.
    private func condition(
        _ path: BoundPath,
        _ constant: Any?,
        _ comparison: Comparison
    ) throws(QueryError) -> [BoundCondition] {
        let place = offset(comparison)
        let isText = path.end.valueType?.hasText == true
        switch comparison.op {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            let value = try value(constant, for: path, at: place)
            guard let order = BoundOrder(rawValue: comparison.op.symbol) else { return [] }
            if !comparison.options.isEmpty {
                guard isText, value.canBeText else { throw unsupportedOptions(comparison, path) }
                return [.text(textMatch(comparison, value))]
            }
            try checkOrder(order, path, comparison)
            return [.order(order, value)]
        case .between:
            guard let bounds = constant as? [Any?], bounds.count == 2 else {
                throw QueryError(
                    "NSArray object must contain exactly two objects for BETWEEN operations",
                    at: place
                )
            }
            try checkOrder(.less, path, comparison)
            return [
                .between(
                    try value(bounds[0], for: path, at: place),
                    try value(bounds[1], for: path, at: place)
                )
            ]
        case .in:
            guard let elements = DynamicConstant.elements(constant) else {
                throw QueryError(
                    "The right side of IN must be a list of values or a collection property",
                    at: place
                )
            }
            var values: [QueryValue] = []
            for element in elements { values.append(try value(element, for: path, at: place)) }
            if comparison.options.isEmpty { return [.isIn(values)] }
            guard isText else { throw unsupportedOptions(comparison, path) }
            return values.isEmpty
                ? [.isIn([])] : values.map { .text(textMatch(.equal, $0, comparison.options)) }
        case .contains where path.isToMany && comparison.quantifier == nil:
            let value = try value(constant, for: path, at: place)
            if comparison.options.isEmpty { return [.order(.equal, value)] }
            guard isText else { throw unsupportedOptions(comparison, path) }
            return [.text(textMatch(.equal, value, comparison.options))]
        case .beginsWith, .endsWith, .contains, .like:
            let value = try value(constant, for: path, at: place)
            guard isText, value.canBeText else { throw unsupported(comparison, path) }
            return [.text(textMatch(comparison, value))]
        }
    }

    private func unsupportedOptions(_ comparison: Comparison, _ path: BoundPath) -> QueryError {
        QueryError(
            "\(comparison.options.symbol) is about text, and '\(path.text)' is none",
            at: offset(comparison)
        )
    }

    /// Links and truth values have no order.
    private func checkOrder(
        _ order: BoundOrder,
        _ path: BoundPath,
        _ comparison: Comparison
    ) throws(QueryError) {
        if order == .equal || order == .notEqual { return }
        guard let type = path.end.valueType, type.type != .bool else {
            throw unsupported(comparison, path)
        }
    }

    private func textMatch(_ comparison: Comparison, _ value: QueryValue) -> TextMatch {
        textMatch(
            TextOperator(rawValue: comparison.op.symbol) ?? .equal,
            value,
            comparison.options
        )
    }

    private func textMatch(
        _ operation: TextOperator,
        _ value: QueryValue,
        _ options: TextOptions
    ) -> TextMatch {
        TextMatch(operation, value.text, options)
    }

    /// A constant before the operator.
    private func mirrored(
        _ constant: Any?,
        _ path: BoundPath,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundNode {
        var turned = comparison
        if comparison.op == .in {
            guard path.isToMany else {
                throw QueryError(
                    "The right side of IN must be a list of values or a collection property, and "
                        + "'\(path.text)' is none",
                    at: offset(comparison)
                )
            }
            turned.op = .equal
            turned.quantifier = comparison.quantifier ?? .any
        } else if let order = BoundOrder(rawValue: comparison.op.symbol),
            let op = ComparisonOperator(rawValue: order.mirrored.rawValue)
        {
            turned.op = op
        } else {
            throw QueryError(
                "Operator '\(comparison.op.symbol)' needs its key path on the left side",
                at: offset(comparison)
            )
        }
        return try quantified(path, turned) { path throws(QueryError) in
            try condition(path, constant, turned)
        }
    }

    // MARK: paths on both sides

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
            throw QueryError(
                "Comparing two collection columns is not permitted, nor one on the right side: "
                    + "'\(right.text)'",
                at: offset(comparison)
            )
        }
        try checkComparable(left, right, comparison)
        return try quantified(left, comparison) { left throws(QueryError) in
            if let operation = TextOperator(rawValue: comparison.op.symbol),
                left.end.valueType?.isBytes == true
            {
                return [.textPath(operation, comparison.options, right)]
            }
            guard let order = BoundOrder(rawValue: comparison.op.symbol) else {
                throw unsupported(comparison, left)
            }
            guard comparison.options.isEmpty else { throw unsupportedOptions(comparison, left) }
            try checkOrder(order, left, comparison)
            return [.path(order, right)]
        }
    }

    private func checkComparable(
        _ left: BoundPath,
        _ right: BoundPath,
        _ comparison: Comparison
    ) throws(QueryError) {
        let comparable: Bool
        switch (left.end.valueType, right.end.valueType) {
        case (nil, nil): comparable = left.target.tableID == right.target.tableID
        case (let a?, let b?): comparable = a.type == b.type || (a.isNumeric && b.isNumeric)
        default: comparable = false
        }
        if comparable { return }
        throw QueryError(
            "Property type mismatch between '\(left.text)' of type "
                + "'\(left.end.valueType?.description ?? left.target.className)' and "
                + "'\(right.text)' of type "
                + "'\(right.end.valueType?.description ?? right.target.className)'",
            at: offset(comparison)
        )
    }

    // MARK: constants on both sides

    /// A comparison that no object has a part in.
    private func evaluate(
        _ left: Any?,
        _ right: Any?,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundNode {
        guard let order = BoundOrder(rawValue: comparison.op.symbol), comparison.options.isEmpty,
            let a = Self.plainValue(left), let b = Self.plainValue(right)
        else {
            throw QueryError(
                "Predicate expressions must compare a key path, and these are two constants",
                at: offset(comparison)
            )
        }
        return .constant(a.satisfies(order, b))
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
