/// An open-addressing hash table of entry numbers. It stores no values: callers say what is equal.
///
/// **Shape.** A slot is 0 (free) or 32 bits of hash above an entry number plus one. At most half of
/// the slots are used; nothing is ever removed.
struct PendingSlots {
    private var slots: [UInt64] = []
    private var usedCount = 0

    /// The bits of a number spread over 32 bits, for any pattern of numbers.
    @inline(__always)
    static func hash(_ number: UInt64) -> UInt32 {
        let product = (number ^ 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(
            by: 0xa076_1d64_78bd_642f
        )
        let folded = product.high ^ product.low
        return UInt32(truncatingIfNeeded: folded ^ folded >> 32)
    }

    @inline(__always)
    static func hash(_ value: UInt64, _ key: UInt64) -> UInt32 {
        hash(value ^ UInt64(hash(key)) << 17 ^ key)
    }

    /// The entry number stored under this hash for which `isEqual` holds.
    @inline(__always)
    func find(_ hash: UInt32, _ isEqual: (Int) -> Bool) -> Int? {
        if slots.isEmpty { return nil }
        let mask = slots.count &- 1
        var position = Int(hash) & mask
        while slots[position] != 0 {
            let slot = slots[position]
            if slot >> 32 == UInt64(hash) {
                let number = Int(slot & 0xffff_ffff) &- 1
                if isEqual(number) { return number }
            }
            position = (position &+ 1) & mask
        }
        return nil
    }

    /// Stores an entry number that is not there yet.
    ///
    /// - Precondition: Numbers are below 2^32 - 1.
    @inline(__always)
    mutating func insert(_ hash: UInt32, _ number: Int) {
        precondition(number < Int(UInt32.max), "too many pending index changes in one write")
        if usedCount &* 2 >= slots.count { grow() }
        place(UInt64(hash) << 32 | UInt64(number &+ 1))
        usedCount &+= 1
    }

    @inline(__always)
    private mutating func place(_ slot: UInt64) {
        let mask = slots.count &- 1
        var position = Int(slot >> 32) & mask
        while slots[position] != 0 { position = (position &+ 1) & mask }
        slots[position] = slot
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: max(64, old.count * 4))
        for slot in old where slot != 0 { place(slot) }
    }
}
