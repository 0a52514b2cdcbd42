/// How one sequence becomes another.
///
/// **Shape.** `deletions` are positions in the old sequence, `insertions` in the new one, ascending:
/// the old one without its deletions is the new one without its insertions, but for `replacements`. An
/// element that moved is deleted and inserted; as few as possible are, unless elements occur very often.
/// **Threads.** A value.
struct SequenceDifference: Equatable {
    var deletions: [Int] = []
    var insertions: [Int] = []
    /// Positions at which another element stands, old and new.
    var replacements: [(old: Int, new: Int)] = []

    static func == (a: SequenceDifference, b: SequenceDifference) -> Bool {
        a.deletions == b.deletions && a.insertions == b.insertions
            && a.replacements.elementsEqual(b.replacements) { $0 == $1 }
    }

    /// - Parameter pairsReplacements: Whether elements deleted and inserted at one place are taken for
    ///   replaced, as in a list whose elements can be set.
    /// - Complexity: O(*n* log *n*) in what lies between the common beginning and the common end.
    init<Element: Hashable>(
        from old: some RandomAccessCollection<Element>,
        to new: some RandomAccessCollection<Element>,
        pairsReplacements: Bool = false
    ) {
        let old = ContiguousArray(old)
        let new = ContiguousArray(new)
        var start = 0
        let shorter = min(old.count, new.count)
        while start < shorter, old[start] == new[start] { start += 1 }
        var tail = 0
        while tail < shorter - start, old[old.count - 1 - tail] == new[new.count - 1 - tail] {
            tail += 1
        }
        let oldEnd = old.count - tail
        let newEnd = new.count - tail
        let kept = Self.kept(old, start..<oldEnd, new, start..<newEnd)
        var (oldPosition, newPosition) = (start, start)
        for (oldKept, newKept) in kept + [(oldEnd, newEnd)] {
            if pairsReplacements {
                while oldPosition < oldKept, newPosition < newKept {
                    // The same element may have been matched elsewhere, and stands here again.
                    if old[oldPosition] != new[newPosition] {
                        replacements.append((oldPosition, newPosition))
                    }
                    oldPosition += 1
                    newPosition += 1
                }
            }
            deletions.append(contentsOf: oldPosition..<oldKept)
            insertions.append(contentsOf: newPosition..<newKept)
            (oldPosition, newPosition) = (oldKept + 1, newKept + 1)
        }
    }

    /// The pairs of positions whose elements stay, ascending in both.
    private static func kept<Element: Hashable>(
        _ old: ContiguousArray<Element>,
        _ oldRange: Range<Int>,
        _ new: ContiguousArray<Element>,
        _ newRange: Range<Int>
    ) -> [(Int, Int)] {
        if oldRange.isEmpty || newRange.isEmpty { return [] }
        var places: [Element: [Int]] = [:]
        for position in newRange.reversed() { places[new[position], default: []].append(position) }
        let pairCount = oldRange.reduce(0) { $0 + (places[old[$1]]?.count ?? 0) }
        var pairs: [(old: Int, new: Int)] = []
        if pairCount <= pairLimit * (oldRange.count + newRange.count) {
            // Any occurrence may stay as any. The later come first, so that one stays as one only.
            for position in oldRange {
                for place in places[old[position]] ?? [] { pairs.append((position, place)) }
            }
        } else {
            // Too many: the k-th occurrence in one is the k-th in the other.
            for position in oldRange {
                guard let place = places[old[position]]?.popLast() else { continue }
                pairs.append((position, place))
            }
        }
        return longestAscending(pairs)
    }

    /// So many pairs are looked at for each element.
    private static let pairLimit = 4

    /// The longest part of pairs, ascending in their first, that ascends in their second; of those
    /// with the same first one at most, if they descend in their second.
    private static func longestAscending(_ pairs: [(old: Int, new: Int)]) -> [(Int, Int)] {
        var isAscending = true
        for index in pairs.indices.dropFirst() where pairs[index].new <= pairs[index - 1].new {
            isAscending = false
            break
        }
        if isAscending { return pairs.map { ($0.old, $0.new) } }
        /// By length - 1: the index of the pair with the least end.
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: pairs.count)
        for index in pairs.indices {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) >> 1
                if pairs[ends[middle]].new < pairs[index].new {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            if low > 0 { before[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var result: [(Int, Int)] = []
        var index = ends.last ?? -1
        while index >= 0 {
            result.append((pairs[index].old, pairs[index].new))
            index = before[index]
        }
        return result.reversed()
    }
}
