import CRuntime

extension IndexLeaf {
    /// The first index whose value is `value` or more; `count` if there is none.
    ///
    /// - Complexity: O(log *count*); O(1) expected for 8-byte values spread evenly (hashes).
    @inline(__always)
    func lowerBound(_ value: UInt64) -> Int {
        if value <= valueBase { return 0 }
        let delta = value &- valueBase
        switch values.width {
        case 8: return interpolatedLowerBound(delta)
        case 4: return bisect(delta, UInt32.self)
        case 2: return bisect(delta, UInt16.self)
        case 1: return bisect(delta, UInt8.self)
        default: return count
        }
    }

    /// Brings near what a search in a leaf of hashes reads first, before its header tells where that
    /// is: entries are guessed to be distinct, values 8 bytes wide and keys 4, as hashes and the keys
    /// of up to four billion objects are. A wrong guess costs some lines of the cache.
    @inline(__always)
    static func prefetch(_ payload: UnsafeRawPointer, share: (before: Int, count: Int)) {
        domesday_prefetch(payload)
        let value = payload + (headerByteCount &+ share.before &* 8)
        // Hashes stray from their even places by about ten.
        domesday_prefetch(value - 64)
        domesday_prefetch(value)
        domesday_prefetch(value + 64)
        let key = payload + (headerByteCount &+ share.count &* 8 &+ share.before &* 4)
        domesday_prefetch(key - 32)
        domesday_prefetch(key + 32)
    }

    /// The first index whose value is more than `value`.
    @inline(__always)
    func upperBound(_ value: UInt64) -> Int {
        value == .max ? count : lowerBound(value &+ 1)
    }

    /// The first index whose pair is `entry` or more.
    func lowerBound(_ entry: IndexEntry) -> Int {
        var low = lowerBound(entry.value)
        var high = upperBound(entry.value)
        while low < high {
            let middle = (low + high) >> 1
            if key(middle) < entry.key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The index of a pair, if the leaf holds it.
    func index(of entry: IndexEntry) -> Int? {
        let index = lowerBound(entry)
        return index < count && self.entry(index) == entry ? index : nil
    }

    @inline(__always)
    private func bisect<T: FixedWidthInteger & UnsignedInteger>(
        _ delta: UInt64,
        _ type: T.Type
    ) -> Int {
        guard let wanted = T(exactly: delta) else { return count }
        // SAFETY: validation put `count` values of this width into the buffer; indexes stay below.
        let start = values.start.assumingMemoryBound(to: T.self)
        var low = 0
        var length = count
        while length > 0 {
            let half = length >> 1
            let isBelow = T(littleEndian: start[low &+ half]) < wanted
            low = isBelow ? low &+ half &+ 1 : low
            length = isBelow ? length &- half &- 1 : half
        }
        return low
    }

    /// Guesses by proportion, gallops outwards from there, then bisects what is left.
    @inline(__always)
    private func interpolatedLowerBound(_ delta: UInt64) -> Int {
        // SAFETY: as in `bisect`; each index is clamped to 0..<count before use.
        let start = values.start.assumingMemoryBound(to: UInt64.self)
        return interpolatedLowerBoundInAscending(
            count: count,
            delta: delta,
            last: start[count &- 1].littleEndian,
            at: { start[$0].littleEndian }
        )
    }
}

/// The first index whose number is `delta` or more, in an ascending sequence that begins near 0 and
/// is spread evenly or not; some index of 0...count if it does not ascend.
///
/// - Complexity: O(1) expected when spread evenly, O(log *count*) otherwise.
@inline(__always)
func interpolatedLowerBoundInAscending(
    count: Int,
    delta: UInt64,
    last: UInt64,
    at: (Int) -> UInt64
) -> Int {
    if delta > last { return count }
    let spacing = (last >> 12) / UInt64(count) &+ 1
    let guess = min(Int(truncatingIfNeeded: (delta >> 12) / spacing), count &- 1)
    var step = 2
    var low: Int
    var length: Int
    if at(guess) < delta {
        low = guess &+ 1
        var high = low
        while high < count && at(high) < delta {
            low = high &+ 1
            high = high &+ step
            step = step &* 2
        }
        length = min(high, count) &- low
    } else {
        var high = guess
        var probe = guess &- 1
        while probe >= 0 && at(probe) >= delta {
            high = probe
            probe = probe &- step
            step = step &* 2
        }
        low = max(probe &+ 1, 0)
        length = high &- low
    }
    while length > 0 {
        let half = length >> 1
        let isBelow = at(low &+ half) < delta
        low = isBelow ? low &+ half &+ 1 : low
        length = isBelow ? length &- half &- 1 : half
    }
    return low
}
