/// The running figures of an aggregate; nil is left out, NaN has no place in an order.
struct AggregateSums {
    let type: ValueType
    private(set) var count = 0
    private var intSum: Int64 = 0
    /// Whether the sum of integers left the range of Int.
    private(set) var hasOverflown = false
    private var doubleSum = 0.0
    private var decimalSum = DecimalNumber.zero
    private var least = QueryValue.null
    private var greatest = QueryValue.null

    init(_ type: ValueType) { self.type = type }

    mutating func add(_ value: QueryValue) {
        switch value {
        case .decimal, .mixed: addUnusual(value)
        case .int(let number):
            add(count: 1, base: number, offsets: 0, least: 0, greatest: 0)
        case .double(let number):
            add(count: 1, sum: number, bounds: number.isNaN ? nil : (number, number))
        default: return
        }
    }

    /// Adds some integers, given as offsets from a base.
    mutating func add(count: Int, base: Int64, offsets: Int64, least: Int64, greatest: Int64) {
        self.count += count
        let (bases, a) = base.multipliedReportingOverflow(by: Int64(count))
        let (sum, b) = bases.addingReportingOverflow(offsets)
        let (total, c) = intSum.addingReportingOverflow(sum)
        intSum = total
        hasOverflown = hasOverflown || a || b || c
        doubleSum += Double(base) * Double(count) + Double(offsets)
        order(.int(base &+ least), .int(base &+ greatest))
    }

    /// Adds some floating-point numbers.
    mutating func add(count: Int, sum: Double, bounds: (Double, Double)?) {
        self.count += count
        doubleSum += sum
        if let (least, greatest) = bounds { order(.double(least), .double(greatest)) }
    }

    /// Adds a decimal or a value of any type, of which only numbers are summed up.
    private mutating func addUnusual(_ value: QueryValue) {
        if let number = value.decimal {
            count += 1
            decimalSum = decimalSum + number
            if number.isNaN { return }
        }
        order(value, value)
    }

    private mutating func order(_ low: QueryValue, _ high: QueryValue) {
        if least == .null || low.isBelow(least) { least = low }
        if greatest == .null || greatest.isBelow(high) { greatest = high }
    }

    /// The sum of nothing is 0, all else of nothing is nil. An average of integers is taken of
    /// their exact sum while that is in range.
    func result(_ operation: Aggregate) -> QueryValue {
        switch operation {
        case .min: return least
        case .max: return greatest
        case .sum where isDecimal: return .decimal(decimalSum)
        case .average where isDecimal:
            return count == 0 ? .null : .decimal(decimalSum / DecimalNumber(count))
        case .sum: return isInteger && !hasOverflown ? .int(intSum) : .double(doubleSum)
        case .average:
            if count == 0 { return .null }
            let sum = isInteger && !hasOverflown ? Double(intSum) : doubleSum
            return .double(sum / Double(count))
        }
    }

    private var isDecimal: Bool { type.type == .decimal || type.type == .mixed }

    private var isInteger: Bool { type.type == .int || type.type == .bool }
}
