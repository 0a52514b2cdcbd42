// Decimals and values of any type among the values that queries compare.

/// A constant that compares as a decimal; the type of the layer above conforms.
protocol QueryConstant {
    var queryConstant: DecimalNumber { get }
}

/// A constant or property whose type is known only at run time.
protocol DynamicallyTyped {
    /// The value itself; nil for none.
    var plainValue: Any? { get }
}

extension QueryValue {
    /// A value of any type; none is `null`.
    init(mixed value: MixedValue) { self = value == .none ? .null : .mixed(value) }

    /// Whether it equals values of other forms than its own.
    var isOfManyForms: Bool {
        switch self {
        case .decimal, .mixed: true
        default: false
        }
    }

    /// The bytes that text operators look at; nil for what is no text.
    var text: [UInt8]? {
        switch self {
        case .bytes(let bytes), .mixed(.string(let bytes)), .mixed(.data(let bytes)): bytes
        default: nil
        }
    }

    /// Whether it may stand beside a text operator: nil may.
    var canBeText: Bool { self == .null || text != nil }

    /// The number as a decimal; nil for what is none.
    var decimal: DecimalNumber? {
        switch self {
        case .int(let value), .mixed(.int(let value)): DecimalNumber(value)
        case .double(let value), .mixed(.double(let value)): DecimalNumber(value)
        case .mixed(.float(let value)): DecimalNumber(value)
        case .decimal(let value), .mixed(.decimal(let value)): value
        default: nil
        }
    }

    /// As `order(to:)`, where one of both is a decimal or a value of any type.
    func unusualOrder(to other: QueryValue) -> Int? {
        switch (self, other) {
        case (.decimal(let a), .decimal(let b)): return a.order(to: b)
        case (.decimal(let a), .int), (.decimal(let a), .double):
            return other.decimal.flatMap { a.order(to: $0) }
        case (.int, .decimal(let b)), (.double, .decimal(let b)):
            return decimal.flatMap { $0.order(to: b) }
        case (.mixed(let a), .mixed(let b)): return a.order(to: b)
        default: return nil
        }
    }

    /// Whether it comes before another where the least is sought.
    func isBelow(_ other: QueryValue) -> Bool {
        if case .mixed = self { return sortOrder(to: other) < 0 }
        return satisfies(.less, other)
    }

    /// A word that is never greater than that of a value that sorts behind.
    var sortImage: UInt64 {
        switch self {
        case .decimal(let value): NumberImage.double(value.isNaN ? .nan : value.double)
        case .mixed(let value): value.sortImage
        default: 0
        }
    }
}

extension MixedValue {
    /// A number as typed columns hold it; nil for what is none.
    private var number: QueryValue? {
        switch self {
        case .int(let value): .int(value)
        case .float(let value): .double(Double(value))
        case .double(let value): .double(value)
        case .decimal(let value): .decimal(value)
        default: nil
        }
    }

    private var bytes: [UInt8]? {
        switch self {
        case .string(let bytes), .data(let bytes), .objectId(let bytes), .uuid(let bytes): bytes
        default: nil
        }
    }

    /// How it stands to another of the same type, numbers being one type; nil if they have no
    /// order: other types, NaN, collections that differ.
    func order(to other: MixedValue) -> Int? {
        guard rank == other.rank else { return nil }
        if let number, let other = other.number { return number.order(to: other) }
        if let bytes, let other = other.bytes {
            return QueryValue.bytes(bytes).order(to: .bytes(other))
        }
        switch (self, other) {
        case (.none, .none): return 0
        case (.bool(let a), .bool(let b)): return a == b ? 0 : b ? -1 : 1
        case (.date(let a), .date(let b)): return QueryValue.double(a).order(to: .double(b))
        case (.link(let a), .link(let b)):
            if a == b { return 0 }
            return (a.table, a.key) < (b.table, b.key) ? -1 : 1
        default: return self == other ? 0 : nil
        }
    }

    /// The order of sorting: by type, then by value, NaN before all numbers; collections by their
    /// elements.
    func sortOrder(to other: MixedValue) -> Int {
        if rank != other.rank { return rank < other.rank ? -1 : 1 }
        switch (self, other) {
        case (.list(let a), .list(let b)): return Self.sortOrder(a, b)
        case (.dictionary(let a), .dictionary(let b)):
            return Self.sortOrder(a.flatMap(\.parts), b.flatMap(\.parts))
        default: break
        }
        if let number, let other = other.number { return number.sortOrder(to: other) }
        return order(to: other) ?? 0
    }

    private static func sortOrder(_ a: [MixedValue], _ b: [MixedValue]) -> Int {
        for (x, y) in zip(a, b) {
            let order = x.sortOrder(to: y)
            if order != 0 { return order }
        }
        return a.count < b.count ? -1 : a.count == b.count ? 0 : 1
    }

    fileprivate var sortImage: UInt64 {
        let image: UInt64
        switch self {
        case .bool(let value): image = value ? 1 << 8 : 0
        case .int, .float, .double, .decimal: image = numberImage
        case .date(let value): image = NumberImage.double(value)
        case .link(let link): image = UInt64(link.table) << 32
        case .string, .data, .objectId, .uuid:
            image = (bytes ?? []).prefix(8).enumerated().reduce(0) {
                $0 | UInt64($1.element) << UInt64(56 - 8 * $1.offset)
            }
        case .none, .list, .dictionary: image = 0
        }
        return rank << 60 | image >> 4
    }

    private var numberImage: UInt64 {
        switch self {
        case .int(let value): NumberImage.double(Double(value))
        case .float(let value): NumberImage.double(Double(value))
        case .double(let value): NumberImage.double(value)
        case .decimal(let value): NumberImage.double(value.isNaN ? .nan : value.double)
        default: 0
        }
    }
}

extension MixedValue.Entry {
    fileprivate var parts: [MixedValue] { [.string(key), value] }
}
