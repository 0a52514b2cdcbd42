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
