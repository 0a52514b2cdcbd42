// An order in which any two values that differ have a place: what sets are sorted by.

extension MixedValue {
    /// Types in the order in which their values sort; all numbers are one type.
    var rank: UInt64 {
        switch self {
        case .none: 0
        case .bool: 1
        case .int, .float, .double, .decimal: 2
        case .string: 3
        case .data: 4
        case .date: 5
        case .objectId: 6
        case .uuid: 7
        case .link: 8
        case .list: 9
        case .dictionary: 10
        }
    }

    /// Below 0, 0 or above: by type, then by value; equal numbers of different types by the type.
    ///
    /// All NaNs of one type are one value, above all numbers; -0 is 0; text, data and identifiers
    /// stand by their bytes, links by table and key.
    func totalOrder(to other: MixedValue) -> Int {
        if rank != other.rank { return rank < other.rank ? -1 : 1 }
        if let number = decimal, let otherNumber = other.decimal {
            let order = number.totalOrder(to: otherNumber)
            return order != 0 ? order : numberType - other.numberType
        }
        switch (self, other) {
        case (.bool(let a), .bool(let b)): return a == b ? 0 : b ? -1 : 1
        case (.date(let a), .date(let b)):
            let (a, b) = (IndexValue.double(a), IndexValue.double(b))
            return a < b ? -1 : a == b ? 0 : 1
        case (.link(let a), .link(let b)):
            if a == b { return 0 }
            return (a.table, a.key) < (b.table, b.key) ? -1 : 1
        default:
            return encoded.withUnsafeBytes { a in
                other.encoded.withUnsafeBytes { b in ElementOrder.bytes(a, b) }
            }
        }
    }

    private var decimal: DecimalNumber? {
        switch self {
        case .int(let value): DecimalNumber(value)
        case .float(let value): DecimalNumber(value)
        case .double(let value): DecimalNumber(value)
        case .decimal(let value): value
        default: nil
        }
    }

    private var numberType: Int {
        switch self {
        case .int: 0
        case .float: 1
        case .double: 2
        default: 3
        }
    }
}

extension DecimalNumber {
    /// Below 0, 0 or above: by value, 1.0 is 1.00, and NaN comes last.
    func totalOrder(to other: DecimalNumber) -> Int {
        order(to: other) ?? (isNaN ? (other.isNaN ? 0 : 1) : -1)
    }
}
