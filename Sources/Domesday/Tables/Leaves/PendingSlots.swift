import Foundation

/// An open-addressing hash table of entry numbers. It stores no values: callers say what is equal.
///
/// **Shape.** A slot is 0 (free) or 32 bits of hash above an entry number plus one. At most half of
/// the slots are used; nothing is ever removed. A copy shares the slots until one of both changes.
struct PendingSlots {
    private var slots = Slots(count: 0)
    private var usedCount = 0

    /// The slots' memory.
    private final class Slots {
        let start: UnsafeMutablePointer<UInt64>
        let count: Int

        private static let hugePage = 2 << 20

        /// Zeroed slots. A large table asks for large pages: each look-up goes to a random place,
        /// and with small ones it would wait for the address as long as for the data.
        init(count: Int) {
            self.count = count
            let byteCount = count * 8
            let isLarge = byteCount >= Self.hugePage
            let memory = UnsafeMutableRawPointer.allocate(
                byteCount: byteCount,
                alignment: isLarge ? Self.hugePage : 16
            )
            // A hint: it does not matter if it is refused.
            if isLarge { madvise(memory, byteCount, MADV_HUGEPAGE) }
            memset(memory, 0, byteCount)
            start = memory.bindMemory(to: UInt64.self, capacity: count)
        }

        convenience init(copying other: Slots) {
            self.init(count: other.count)
            start.update(from: other.start, count: count)
        }

        deinit { start.deallocate() }
    }

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
        if slots.count == 0 { return nil }
        let start = slots.start
        let mask = slots.count &- 1
        var position = Int(hash) & mask
        // SAFETY: the mask keeps positions below the count, which is a power of two.
        while start[position] != 0 {
            let slot = start[position]
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
        if usedCount &* 2 >= slots.count {
            grow()
        } else if !isKnownUniquelyReferenced(&slots) {
            slots = Slots(copying: slots)
        }
        Self.place(UInt64(hash) << 32 | UInt64(number &+ 1), in: slots)
        usedCount &+= 1
    }

    @inline(__always)
    private static func place(_ slot: UInt64, in slots: Slots) {
        let start = slots.start
        let mask = slots.count &- 1
        var position = Int(slot >> 32) & mask
        // SAFETY: as in `find`; half of the slots are free, so the loop ends.
        while start[position] != 0 { position = (position &+ 1) & mask }
        start[position] = slot
    }

    @inline(never)
    private mutating func grow() {
        let old = slots
        slots = Slots(count: max(64, old.count * 2))
        for index in 0..<old.count where old.start[index] != 0 {
            Self.place(old.start[index], in: slots)
        }
    }
}
