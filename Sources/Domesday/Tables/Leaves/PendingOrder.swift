/// The numbers of pending entries in the order of their pairs, brought up to date when asked for.
///
/// **Shape.** Two sorted runs: a long one, and a short one of later entries that joins it when it
/// has grown to an eighth. So a loop that inserts and reads ranges by turns sorts little each time.
struct PendingOrder {
    private(set) var long: [UInt32] = []
    private(set) var short: [UInt32] = []

    /// Takes in entries that came since the last call.
    ///
    /// - Complexity: O(*new* log *new*), plus the short run; now and then plus the long one.
    mutating func update(_ entries: ContiguousArray<PendingChanges.Entry>) {
        let knownCount = long.count + short.count
        if knownCount == entries.count { return }
        func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
            entries[Int(a)].entry < entries[Int(b)].entry
        }
        let new = (UInt32(knownCount)..<UInt32(entries.count)).sorted(by: precedes)
        short = Self.merged(short, new, precedes)
        if short.count > 256 + long.count / 8 {
            long = Self.merged(long, short, precedes)
            short = []
        }
    }

    private static func merged(
        _ a: [UInt32],
        _ b: [UInt32],
        _ precedes: (UInt32, UInt32) -> Bool
    ) -> [UInt32] {
        guard let lastOfA = a.last, let firstOfB = b.first else { return a.isEmpty ? b : a }
        if precedes(lastOfA, firstOfB) { return a + b }
        var result: [UInt32] = []
        result.reserveCapacity(a.count + b.count)
        var i = 0
        for number in b {
            // Bisects, because a few new entries among many known ones are the common case.
            var low = i
            var high = a.count
            while low < high {
                let middle = (low + high) >> 1
                if precedes(a[middle], number) { low = middle + 1 } else { high = middle }
            }
            result.append(contentsOf: a[i..<low])
            i = low
            result.append(number)
        }
        result.append(contentsOf: a[i...])
        return result
    }
}

/// Walks the pending entries of a range of values, up or down, both runs as one.
struct PendingCursor {
    private let entries: ContiguousArray<PendingChanges.Entry>
    private var long: ArraySlice<UInt32>
    private var short: ArraySlice<UInt32>
    private let isReversed: Bool

    /// - Precondition: `order` is up to date with `entries`.
    init(
        _ entries: ContiguousArray<PendingChanges.Entry>,
        _ order: PendingOrder,
        _ range: ClosedRange<UInt64>,
        reversed isReversed: Bool
    ) {
        self.entries = entries
        self.isReversed = isReversed
        func slice(_ numbers: [UInt32]) -> ArraySlice<UInt32> {
            func bound(_ isBefore: (UInt64) -> Bool) -> Int {
                var low = 0
                var high = numbers.count
                while low < high {
                    let middle = (low + high) >> 1
                    if isBefore(entries[Int(numbers[middle])].value) {
                        low = middle + 1
                    } else {
                        high = middle
                    }
                }
                return low
            }
            return numbers[bound { $0 < range.lowerBound }..<bound { $0 <= range.upperBound }]
        }
        long = slice(order.long)
        short = slice(order.short)
    }

    /// The next entry, which stays next.
    var peek: PendingChanges.Entry? {
        let a = (isReversed ? long.last : long.first).map { entries[Int($0)] }
        let b = (isReversed ? short.last : short.first).map { entries[Int($0)] }
        guard let a, let b else { return a ?? b }
        return (a.entry < b.entry) != isReversed ? a : b
    }

    /// Steps behind the entry that `peek` has returned.
    mutating func advance() {
        guard let next = peek else { return }
        let inLong = (isReversed ? long.last : long.first).map { entries[Int($0)].entry }
        if inLong == next.entry {
            long = isReversed ? long.dropLast() : long.dropFirst()
        } else {
            short = isReversed ? short.dropLast() : short.dropFirst()
        }
    }
}
