public import Foundation

// All changes to a managed list need a write transaction: "Cannot modify managed RLMArray outside
// of a write transaction." Unmanaged objects put into a managed list become managed.
extension List {
    /// Adds an element at the end.
    public func append(_ object: Element) {
        let count = count
        replaceSubrange(count..<count, with: CollectionOfOne(object))
    }

    /// Adds elements at the end, in order.
    public func append<S: Sequence>(objectsIn objects: S) where S.Element == Element {
        let count = count
        replaceSubrange(count..<count, with: Array(objects))
    }

    /// - Precondition: `0 <= i <= count`.
    public func insert(_ object: Element, at i: Int) {
        checkInsertion(i)
        replaceSubrange(i..<i, with: CollectionOfOne(object))
    }

    /// - Precondition: `0 <= i <= count`.
    public func insert<C: Collection>(contentsOf objects: C, at i: Int)
    where C.Element == Element {
        checkInsertion(i)
        replaceSubrange(i..<i, with: objects)
    }

    /// - Precondition: `0 <= i < count`.
    public func remove(at i: Int) {
        checkIndex(i)
        replaceSubrange(i..<(i + 1), with: EmptyCollection())
    }

    /// - Precondition: all offsets are below `count`; else nothing is removed.
    public func remove(atOffsets offsets: IndexSet) {
        if let last = offsets.last { checkIndex(last) }
        for range in offsets.rangeView.reversed() { removeSubrange(range) }
    }

    /// Removes the first element; traps if the list is empty.
    public func removeFirst() { removeFirst(1) }
    /// Removes the last element; traps if the list is empty.
    public func removeLast() { removeLast(1) }

    /// - Precondition: `0 <= n <= count`.
    public func removeFirst(_ n: Int) {
        checkRemoval(n)
        replaceSubrange(0..<n, with: EmptyCollection())
    }

    /// - Precondition: `0 <= n <= count`.
    public func removeLast(_ n: Int) {
        checkRemoval(n)
        let count = count
        replaceSubrange((count - n)..<count, with: EmptyCollection())
    }

    /// Removes all elements; embedded ones are deleted.
    public func removeAll() { replaceSubrange(0..<count, with: EmptyCollection()) }

    /// - Precondition: the range lies within `0..<count`.
    public func removeSubrange<R: RangeExpression>(_ range: R) where R.Bound == Int {
        replaceSubrange(range.relative(to: self), with: EmptyCollection())
    }

    /// - Precondition: `0 <= index < count`.
    public func replace(index: Int, object: Element) { self[index] = object }

    /// Moves one element; `to` is its position afterwards.
    ///
    /// - Precondition: both are below `count`.
    /// - Complexity: O(elements between), in a long managed list O(log *n* + elements of two leaves).
    public func move(from: Int, to: Int) {
        checkIndex(from)
        checkIndex(to)
        if from != to { moveElement(from: from, to: to) }
    }

    /// Moves the elements at `offsets` in front of the one that is at `destination` now.
    public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
        for offset in offsets { checkIndex(offset) }
        checkInsertion(destination)
        reorder { order in
            let moved = offsets.map { order[$0] }
            let before = destination - offsets.count(in: 0..<destination)
            for offset in offsets.reversed() { order.remove(at: offset) }
            order.insert(contentsOf: moved, at: before)
        }
    }

    /// Exchanges two elements.
    ///
    /// - Precondition: both are below `count`.
    /// - Complexity: as ``move(from:to:)``.
    public func swapAt(_ i: Int, _ j: Int) {
        checkIndex(i)
        checkIndex(j)
        if i != j { swapElements(i, j) }
    }

    /// Replaces a range by any number of elements.
    ///
    /// - Precondition: the range lies within `0...count`.
    public func replaceSubrange<C: Collection>(_ range: Range<Int>, with objects: C)
    where C.Element == Element {
        checkRange(range)
        if isManaged {
            replaceStored(range, with: objects)
        } else {
            elements.replaceSubrange(range, with: objects)
        }
    }

    /// Replaces a range by any number of elements.
    ///
    /// - Precondition: the range lies within `0...count`.
    public func replaceSubrange<C: Collection, R: RangeExpression>(_ range: R, with objects: C)
    where C.Element == Element, R.Bound == Int {
        replaceSubrange(range.relative(to: self), with: objects)
    }
}

extension List {
    /// Gives the list the elements of another; nothing if they are the same.
    func replaceContents(with other: List) {
        if self === other || (isManaged && self == other) { return }
        replaceSubrange(0..<count, with: Array(other))
    }

    func checkIndex(_ index: Int) { checkIndex(index, below: count) }

    private func checkInsertion(_ index: Int) { checkIndex(index, below: count + 1) }

    private func checkIndex(_ index: Int, below limit: Int) {
        if index < 0 { refuse("Cannot pass a negative value for 'index'.") }
        if index >= limit {
            refuse("Index \(index) is out of bounds (must be less than \(limit)).")
        }
    }

    private func checkRemoval(_ number: Int) {
        let count = count
        if number < 0 { refuse("Cannot pass a negative value for 'index'.") }
        if number > count {
            refuse(
                "It is not possible to remove more objects (\(number)) from a list of size \(count)."
            )
        }
    }

    private func checkRange(_ range: Range<Int>) {
        let count = count
        if range.lowerBound < 0 { refuse("Cannot pass a negative value for 'index'.") }
        if range.upperBound > count {
            refuse("Index \(range.upperBound) is out of bounds (must be less than \(count + 1)).")
        }
    }

    /// Traps with the sentence, and the property if the list belongs to one; nothing was changed.
    @inline(never)
    private func refuse(_ sentence: String) -> Never {
        fatalError(
            "\(sentence) \(isManaged ? place().subject : "List<\(Element.self)>, unmanaged")."
        )
    }
}
