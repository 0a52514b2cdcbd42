import PredicateLanguage

// What is asked of each value at a path's end.

extension Binder {
    /// The operator as one that compares by order.
    func order(_ comparison: Comparison) throws(QueryError) -> BoundOrder {
        guard let order = BoundOrder(rawValue: comparison.op.symbol), comparison.options.isEmpty
        else {
            throw QueryError(
                "Operator '\(comparison.op.symbol)\(comparison.options.symbol)' not supported "
                    + "between numbers",
                at: comparison.utf8Offset
            )
        }
        return order
    }

    func unsupported(_ comparison: Comparison, _ path: BoundPath) -> QueryError {
        QueryError(
            "Operator '\(comparison.op.symbol)' not supported for type "
                + "'\(path.typeDescription)' of property '\(path.text)'",
            at: comparison.utf8Offset
        )
    }

    func wrongBounds(_ comparison: Comparison) -> QueryError {
        QueryError(
            "NSArray object must contain exactly two objects for BETWEEN operations",
            at: comparison.utf8Offset
        )
    }

    func needsList(_ comparison: Comparison) -> QueryError {
        QueryError(
            "The right side of IN must be a list of values or a collection property",
            at: comparison.utf8Offset
        )
    }

    func needsQuantifier(_ path: BoundPath, _ comparison: Comparison) -> QueryError {
        QueryError(
            "Key paths that include a collection property must use aggregate operations: "
                + "write ANY, ALL or NONE before '\(path.text)', or end it in @count",
            at: comparison.utf8Offset
        )
    }

    /// Checks the quantifier against the path and builds the test.
    func quantified(
        _ path: BoundPath,
        _ comparison: Comparison,
        _ condition: (BoundPath) throws(QueryError) -> BoundCondition
    ) throws(QueryError) -> BoundNode {
        var quantifier = comparison.quantifier
        if path.isToMany, quantifier == nil {
            // A collection contains what one of its elements equals.
            guard comparison.op == .contains else { throw needsQuantifier(path, comparison) }
            quantifier = .any
        } else if !path.isToMany, quantifier != nil {
            throw QueryError(
                "Aggregate operations can only be used on key paths that include an collection "
                    + "property, and '\(path.text)' includes none",
                at: comparison.utf8Offset
            )
        }
        return .test(
            BoundTest(
                path: path,
                quantifier: quantifier ?? .any,
                condition: try condition(path)
            )
        )
    }

    // MARK: - With a constant

    /// What a comparison with a constant asks of each end of a path.
    func condition(
        _ path: BoundPath,
        _ constant: Any?,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundCondition {
        let place = comparison.utf8Offset
        let isText = path.end.valueType?.hasText == true
        switch comparison.op {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            let value = try value(constant, for: path, at: place)
            guard let order = BoundOrder(rawValue: comparison.op.symbol) else {
                throw unsupported(comparison, path)
            }
            if !comparison.options.isEmpty {
                guard isText, value.canBeText else { throw unsupportedOptions(comparison, path) }
                return .text(textMatch(comparison, value))
            }
            try checkOrder(order, path, comparison)
            return .order(order, value)
        case .between:
            guard let bounds = DynamicConstant.elements(constant), bounds.count == 2 else {
                throw wrongBounds(comparison)
            }
            try checkOrder(.less, path, comparison)
            return .between(
                try value(bounds[0], for: path, at: place),
                try value(bounds[1], for: path, at: place)
            )
        case .in: return try oneOf(constant, path, comparison)
        case .contains where path.isToMany && comparison.quantifier == nil:
            let value = try value(constant, for: path, at: place)
            if comparison.options.isEmpty { return .order(.equal, value) }
            guard isText else { throw unsupportedOptions(comparison, path) }
            return .text(textMatch(.equal, value, comparison.options))
        case .text: return .words(try search(constant, path, comparison))
        case .geoWithin: throw unsupported(comparison, path)
        case .beginsWith, .endsWith, .contains, .like:
            let value = try value(constant, for: path, at: place)
            guard isText, value.canBeText else { throw unsupported(comparison, path) }
            return .text(textMatch(comparison, value))
        }
    }

    private func oneOf(
        _ constant: Any?,
        _ path: BoundPath,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundCondition {
        if let list = constant as? TextList, comparison.options.isEmpty,
            path.end.valueType?.type == .string
        {
            return .isIn(QueryValueSet(list))
        }
        guard let elements = DynamicConstant.elements(constant) else {
            throw needsList(comparison)
        }
        var values: [QueryValue] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            values.append(try value(element, for: path, at: comparison.utf8Offset))
        }
        if comparison.options.isEmpty { return .isIn(QueryValueSet(values)) }
        guard path.end.valueType?.hasText == true else {
            throw unsupportedOptions(comparison, path)
        }
        return .anyOf(values.map { .text(textMatch(.equal, $0, comparison.options)) })
    }

    private func unsupportedOptions(_ comparison: Comparison, _ path: BoundPath) -> QueryError {
        QueryError(
            "\(comparison.options.symbol) is about text, and '\(path.text)' is none",
            at: comparison.utf8Offset
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

    // MARK: - With another path

    /// What a comparison with another path, which leads to one, asks of each end of a path.
    func condition(
        _ left: BoundPath,
        _ right: BoundPath,
        _ comparison: Comparison
    ) throws(QueryError) -> BoundCondition {
        try checkComparable(left, right, comparison)
        let isElement = left.isToMany && comparison.quantifier == nil
        if !isElement, let operation = TextOperator(rawValue: comparison.op.symbol),
            left.end.valueType?.isBytes == true
        {
            return .textPath(operation, comparison.options, right)
        }
        if isElement, comparison.op == .contains {
            guard comparison.options.isEmpty else {
                return .textPath(.equal, comparison.options, right)
            }
            return .expression(.equal, .path(right))
        }
        guard let order = BoundOrder(rawValue: comparison.op.symbol) else {
            throw unsupported(comparison, left)
        }
        guard comparison.options.isEmpty else { throw unsupportedOptions(comparison, left) }
        try checkOrder(order, left, comparison)
        return .expression(order, .path(right))
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
            "Property type mismatch between '\(left.text)' of type '\(left.typeDescription)' and "
                + "'\(right.text)' of type '\(right.typeDescription)'",
            at: comparison.utf8Offset
        )
    }
}

extension BoundPath {
    /// The type of its end, or the class.
    var typeDescription: String { end.valueType?.description ?? target.className }
}
