/// Integers to be looked up again and again: bits where they lie close together, else slots found
/// by a hash.
///
/// **Threads.** Immutable once made.
struct IntegerSet {
    private let base: Int64
    /// Bits from `base` on, or none.
    private let bits: [UInt64]
    private let bitCount: UInt64
    /// A power of two of them, at most a quarter in use.
    private let slots: [Int64]
    private let shift: UInt64
    /// What an empty slot holds: no member.
    private let nobody: Int64

    init(_ values: Set<Int64>) {
        let least = values.min() ?? 0
        let greatest = values.max() ?? 0
        let span = UInt64(bitPattern: greatest &- least)
        base = least
        if span < UInt64(1 << 16 + 64 * values.count) {
            var bits = [UInt64](repeating: 0, count: Int(span >> 6) + 1)
            for value in values {
                let bit = UInt64(bitPattern: value &- least)
                bits[Int(bit >> 6)] |= 1 << (bit & 63)
            }
            self.bits = bits
            bitCount = values.isEmpty ? 0 : span + 1
            (slots, shift, nobody) = ([], 0, 0)
            return
        }
        (bits, bitCount) = ([], 0)
        var nobody: Int64 = 0
        while values.contains(nobody) { nobody += 1 }
        self.nobody = nobody
        let width = UInt64(64 - (values.count * 4 - 1).leadingZeroBitCount)
        shift = 64 - width
        var slots = [Int64](repeating: nobody, count: 1 << width)
        for value in values {
            var slot = Self.slot(value, 64 - width)
            while slots[slot] != nobody { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = value
        }
        self.slots = slots
    }

    @inline(__always)
    private static func slot(_ value: Int64, _ shift: UInt64) -> Int {
        Int((UInt64(bitPattern: value) &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }

    func contains(_ value: Int64) -> Bool {
        if slots.isEmpty {
            let bit = UInt64(bitPattern: value &- base)
            return bit < bitCount && bits[Int(bit >> 6)] >> (bit & 63) & 1 != 0
        }
        if value == nobody { return false }
        var slot = Self.slot(value, shift)
        while slots[slot] != nobody {
            if slots[slot] == value { return true }
            slot = (slot + 1) & (slots.count - 1)
        }
        return false
    }

    /// Takes away the wanted rows whose number is no member.
    @inline(__always)
    func narrow(_ mask: RowMask, _ number: (Int) -> Int64) {
        let bytes = mask.bytes
        if slots.isEmpty {
            let (base, bitCount) = (base, bitCount)
            bits.withUnsafeBufferPointer { bits in
                for row in 0..<mask.count {
                    let bit = UInt64(bitPattern: number(row) &- base)
                    var found: UInt8 = 0
                    if bit < bitCount {
                        found = UInt8(truncatingIfNeeded: bits[Int(bit >> 6)] >> (bit & 63) & 1)
                    }
                    bytes[row] &= found
                }
            }
            return
        }
        let (shift, nobody, last) = (shift, nobody, slots.count - 1)
        slots.withUnsafeBufferPointer { slots in
            for row in 0..<mask.count {
                let value = number(row)
                var slot = Self.slot(value, shift)
                while slots[slot] != nobody, slots[slot] != value { slot = (slot + 1) & last }
                bytes[row] &= slots[slot] == value && value != nobody ? 1 : 0
            }
        }
    }
}

/// Rows whose integer is one of many.
final class IntSetFilter: NumberFilter {
    let values: IntegerSet

    init(_ table: TableReader, _ column: Int, _ values: Set<Int64>, nilMatches: Bool) {
        self.values = IntegerSet(values)
        super.init(table, column, nilMatches: nilMatches)
    }

    override var cost: Double { 4 }

    override func valueMatches(_ view: ClusterView, _ row: Int) -> Bool {
        values.contains(view.int(column, row))
    }

    override func narrowValues(_ mask: RowMask, _ view: ClusterView) {
        let base = view.base(column)
        let data = view.data(column)
        // SAFETY: the column's section holds a number of its width for each row.
        switch view.width(column) {
        case 0: values.narrow(mask) { _ in base }
        case 1:
            let numbers = data.assumingMemoryBound(to: UInt8.self)
            values.narrow(mask) { base &+ Int64(numbers[$0]) }
        case 2:
            let numbers = data.assumingMemoryBound(to: UInt16.self)
            values.narrow(mask) { base &+ Int64(numbers[$0]) }
        case 4:
            let numbers = data.assumingMemoryBound(to: UInt32.self)
            values.narrow(mask) { base &+ Int64(numbers[$0]) }
        default: values.narrow(mask) { view.int(column, $0) }
        }
    }
}

/// Rows whose text, data, UUID or ObjectId is one of many.
final class BytesSetFilter: RowFilter {
    let column: Int
    let nilMatches: Bool
    private let values: BytesSet

    init(_ table: TableReader, _ column: Int, _ values: PackedBytes, nilMatches: Bool) {
        self.column = column
        self.nilMatches = nilMatches
        self.values = BytesSet(values, seed: table.reader.store.seed)
        super.init(table)
    }

    override var cost: Double { 12 }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        if view.state(column, row) == 1 { return nilMatches }
        return values.contains(try table.storedBytes(view, column, row))
    }

    override func narrow(_ mask: RowMask, _ view: ClusterView) throws(StorageError) {
        guard view.kind(column) == .bytes else { return try super.narrow(mask, view) }
        let text = HeapColumn(try table.heap(view), column)
        try narrow(mask, view, byHeapOf: column, nilMatches: nilMatches) {
            values.narrow(mask, text)
        }
    }
}
