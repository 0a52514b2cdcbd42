/// Finds the first objects with each combination of values.
///
/// nil is a value like any other, and so is NaN; 0 and -0 are one.
///
/// **Threads.** Its reader's.
struct DistinctKeys {
    private let readers: [PathReader]

    init(_ paths: [BoundPath]) {
        readers = paths.map { path in PathReader(path) { FilterCompiler.filter($0, $1, $2) } }
    }

    /// The keys of the first `count`, or all, in the order of the run.
    ///
    /// - Complexity: O(objects visited); memory for each combination.
    func keys(
        of run: QueryRun,
        first count: Int?
    ) throws(StorageError) -> ContiguousArray<ObjectKey> {
        var keys: ContiguousArray<ObjectKey> = []
        if count == 0 { return keys }
        func note(_ key: ObjectKey, isNew: Bool) -> Bool {
            if isNew { keys.append(key) }
            return count.map { keys.count < $0 } ?? true
        }
        if readers.count == 1, let reader = readers.first {
            var known: Set<DistinctValue> = []
            try run.forEach { key, view, row throws(StorageError) in
                let value = DistinctValue(try reader.value(view, row))
                return note(key, isNew: known.insert(value).inserted)
            }
            return keys
        }
        var known: Set<[DistinctValue]> = []
        try run.forEach { key, view, row throws(StorageError) in
            var values: [DistinctValue] = []
            for reader in readers { values.append(DistinctValue(try reader.value(view, row))) }
            return note(key, isNew: known.insert(values).inserted)
        }
        return keys
    }
}

/// A value as the key of a set: NaN equals itself.
indirect enum DistinctValue: Hashable {
    case null
    case int(Int64)
    case double(UInt64)
    case bytes([UInt8])
    case decimal(DecimalNumber)
    case notANumber
    /// A value of any type: what it is, and its parts.
    case mixed(MixedTag, [DistinctValue])

    init(_ value: QueryValue) {
        switch value {
        case .null: self = .null
        case .int(let number): self = .int(number)
        case .key(let key): self = .int(key)
        case .double(let number):
            self = .double(
                number == 0 ? 0 : number.isNaN ? Double.nan.bitPattern : number.bitPattern
            )
        case .bytes(let bytes): self = .bytes(bytes)
        case .decimal(let number): self = Self.number(number)
        case .mixed(let value): self = DistinctValue(value)
        }
    }

    private static func number(_ number: DecimalNumber) -> DistinctValue {
        number.isNaN ? .notANumber : .decimal(number)
    }

    /// All numbers are decimals, which are equal as the numbers are.
    private init(_ value: MixedValue) {
        switch value {
        case .none: self = .null
        case .bool(let flag): self = .mixed(flag ? .yes : .no, [])
        case .int(let number): self = .mixed(.decimal, [.decimal(DecimalNumber(number))])
        case .float(let number): self = DistinctValue(.double(Double(number)) as MixedValue)
        case .double(let number):
            self = .mixed(.decimal, [Self.number(DecimalNumber(number))])
        case .decimal(let number): self = .mixed(.decimal, [Self.number(number)])
        case .string(let bytes): self = .mixed(.string, [.bytes(bytes)])
        case .data(let bytes): self = .mixed(.data, [.bytes(bytes)])
        case .date(let seconds):
            self = .mixed(.date, [DistinctValue(.double(seconds) as QueryValue)])
        case .objectId(let bytes): self = .mixed(.objectId, [.bytes(bytes)])
        case .uuid(let bytes): self = .mixed(.uuid, [.bytes(bytes)])
        case .link(let link): self = .mixed(.link, [.int(Int64(link.table)), .int(link.key)])
        case .list(let values): self = .mixed(.list, values.map { DistinctValue($0) })
        case .dictionary(let entries):
            self = .mixed(
                .dictionary,
                entries.flatMap { [.bytes($0.key), DistinctValue($0.value)] }
            )
        }
    }
}
