// Decimals and values of any type in the evaluator of predicates.

extension ComparedValue {
    /// As `ordering(to:)`, where one of both is a decimal or a value of any type; nil elsewhere.
    func unusualOrdering(to other: ComparedValue) -> Ordering? {
        switch (self, other) {
        case (.any(let value), _): return value.anyOrdering(to: other)
        case (_, .any(let value)): return anyOrdering(to: value)
        case (.decimal, _), (_, .decimal):
            guard let left = decimal, let right = other.decimal else { return nil }
            guard let order = left.order(to: right) else { return .unordered }
            return order < 0 ? .less : order == 0 ? .equal : .greater
        default: return nil
        }
    }

    /// Values of other types have no order, and truth values are no numbers.
    private func anyOrdering(to other: ComparedValue) -> Ordering {
        guard isBool == other.isBool, isText == other.isText else { return .unordered }
        do throws(EvaluationError) { return try ordering(to: other) } catch { return .unordered }
    }

    /// Values of other types differ.
    func isAnyEqual(to other: ComparedValue, _ text: TextComparison) -> Bool {
        if case .any(let other) = other { return isAnyEqual(to: other, text) }
        guard isBool == other.isBool, isText == other.isText else { return false }
        do throws(EvaluationError) { return try isEqual(to: other, text) } catch { return false }
    }

    private var isBool: Bool {
        switch self {
        case .bool: true
        case .any(let value): value.isBool
        default: false
        }
    }

    private var isText: Bool {
        switch self {
        case .string: true
        case .any(let value): value.isText
        default: false
        }
    }

    /// The number as a decimal; nil for what is none.
    var decimal: DecimalNumber? {
        switch self {
        case .decimal(let value): value
        case .int(let value): DecimalNumber(value)
        case .float(let value): DecimalNumber(value)
        case .double(let value), .literal(let value): DecimalNumber(value)
        case .any(let value): value.decimal
        // A text that writes a number stands for it beside a decimal.
        case .string(let text): DecimalNumber(text)
        default: nil
        }
    }
}

extension EvaluationScope {
    /// The numbers among the values as decimals, if any of them is one or is of any type.
    static func decimals(_ values: [ComparedValue]) -> [DecimalNumber]? {
        let areDecimals = values.contains {
            switch $0 {
            case .decimal, .any: true
            default: false
            }
        }
        guard areDecimals else { return nil }
        return values.compactMap { value in
            if case .any(.string) = value { return nil }
            return value.decimal
        }
    }
}
