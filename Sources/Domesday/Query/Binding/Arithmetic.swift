import PredicateLanguage

extension ArithmeticOperator {
    /// The result for two numbers; nil of anything that is none, and for a division of integers by
    /// zero.
    ///
    /// Integers give an integer, a quotient without its remainder; beyond the range of Int64 they
    /// are calculated as floating-point numbers. Any other two numbers are floating-point numbers.
    func result(_ left: QueryValue, _ right: QueryValue) -> QueryValue {
        switch (left, right) {
        case (.int(let a), .int(let b)):
            if self == .divide, b == 0 { return .null }
            let (value, overflows) = integers(a, b)
            return overflows ? .double(doubles(Double(a), Double(b))) : .int(value)
        case (.int(let a), .double(let b)): return .double(doubles(Double(a), b))
        case (.double(let a), .int(let b)): return .double(doubles(a, Double(b)))
        case (.double(let a), .double(let b)): return .double(doubles(a, b))
        default: return .null
        }
    }

    private func integers(_ a: Int64, _ b: Int64) -> (Int64, Bool) {
        switch self {
        case .add: a.addingReportingOverflow(b)
        case .subtract: a.subtractingReportingOverflow(b)
        case .multiply: a.multipliedReportingOverflow(by: b)
        case .divide: a.dividedReportingOverflow(by: b)
        }
    }

    private func doubles(_ a: Double, _ b: Double) -> Double {
        switch self {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
    }
}
