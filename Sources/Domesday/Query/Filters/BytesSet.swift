/// Texts or other bytes to be looked up again and again: slots found by a hash, and in front of them
/// a sieve that turns most others away after one look at eight of their bytes.
///
/// **Threads.** Immutable once made.
struct BytesSet {
    private let members: PackedBytes
    /// A power of two of them, at most a quarter in use: a member's hash, 0 where there is none, and
    /// its position.
    private let slots: [(hash: UInt64, position: Int)]
    private let seed: UInt64
    private let place: Place
    /// A power of two of bits, at least sixteen a member: each member's word sets two, both in one
    /// word of these.
    private let sieve: [UInt64]
    private let shift: UInt64

    init(_ members: PackedBytes, seed: UInt64) {
        self.seed = seed
        self.members = members
        let width = 64 - (max(members.count, 16) * 4 - 1).leadingZeroBitCount
        var slots = [(hash: UInt64, position: Int)](repeating: (0, 0), count: 1 << width)
        let shift = UInt64(64 - width - 2)
        var sieve = [UInt64](repeating: 0, count: 1 << (width + 2 - 6))
        let place = Place.mostTelling(members)
        members.bytes.withUnsafeBytes { bytes in
            for position in 0..<members.count {
                let member = UnsafeRawBufferPointer(rebasing: bytes[members.range(position)])
                let hash = Self.hash(member, seed)
                var slot = Int(hash >> 1) & (slots.count - 1)
                while slots[slot].hash != 0 { slot = (slot + 1) & (slots.count - 1) }
                slots[slot] = (hash, position)
                let (index, bits) = Self.bits(place.word(of: member), shift)
                sieve[index] |= bits
            }
        }
        (self.slots, self.sieve, self.shift, self.place) = (slots, sieve, shift, place)
    }

    /// Which eight bytes of a value the sieve looks at.
    private struct Place {
        /// From the start; below 0 from the end.
        let offset: Int

        /// The place at which some of the members differ most.
        static func mostTelling(_ members: PackedBytes) -> Place {
            let step = max(1, members.count / 512)
            let sample = stride(from: 0, to: members.count, by: step).map { members[$0] }
            let places = [0, 8, -8, -12, -16, -20, -24].map(Place.init)
            let counts = places.map { place in
                Set(sample.map { $0.withUnsafeBytes(place.word) }).count
            }
            return zip(places, counts).max { $0.1 < $1.1 }?.0 ?? places[0]
        }

        /// Eight bytes at the place, or as near to it as there are; of fewer, all.
        @inline(__always)
        func word(of value: UnsafeRawBufferPointer) -> UInt64 {
            let count = value.count
            guard let start = value.baseAddress, count > 0 else { return 0 }
            guard count >= 8 else { return Checksum.tail(start, count) }
            let first = offset < 0 ? max(0, count &+ offset) : min(offset, count &- 8)
            // SAFETY: `first` is at most `count` - 8.
            return Checksum.word(start + first)
        }
    }

    @inline(__always)
    private static func bits(_ word: UInt64, _ shift: UInt64) -> (index: Int, bits: UInt64) {
        let mixed = word &* 0x9E37_79B9_7F4A_7C15
        let place = mixed >> shift
        return (Int(place >> 6), 1 &<< (place & 63) | 1 &<< (mixed >> 24 & 63))
    }

    /// Never 0.
    @inline(__always)
    private static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
        Hash.hash(bytes, seed: seed) | 1
    }

    /// - Complexity: O(*n*) in the bytes.
    @inline(never)
    func contains(_ value: UnsafeRawBufferPointer) -> Bool {
        let hash = Self.hash(value, seed)
        return slots.withUnsafeBufferPointer { slots in
            var slot = Int(hash >> 1) & (slots.count - 1)
            while slots[slot].hash != 0 {
                if slots[slot].hash == hash, isMember(slots[slot].position, value) { return true }
                slot = (slot + 1) & (slots.count - 1)
            }
            return false
        }
    }

    private func isMember(_ position: Int, _ value: UnsafeRawBufferPointer) -> Bool {
        let range = members.range(position)
        guard range.count == value.count else { return false }
        return members.bytes.withUnsafeBytes {
            Bytes.areEqual(UnsafeRawBufferPointer(rebasing: $0[range]), value, value.count)
        }
    }

    /// Takes away the wanted rows whose value is no member.
    func narrow(_ mask: RowMask, _ text: HeapColumn) {
        let (place, shift) = (place, shift)
        sieve.withUnsafeBufferPointer { sieve in
            for row in 0..<mask.count where mask.isSet(row) {
                let value = text.value(row)
                let (index, bits) = Self.bits(place.word(of: value), shift)
                let isHeld = sieve[index] & bits == bits && contains(value)
                mask.bytes[row] = isHeld ? 1 : 0
            }
        }
    }
}
