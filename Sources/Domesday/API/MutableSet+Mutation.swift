// All changes to a managed set need a write transaction: "Cannot modify managed RLMSet outside of a
// write transaction." Unmanaged objects put into a managed set become managed.
extension MutableSet {
    /// Adds an element, if it is not there already.
    ///
    /// - Complexity: O(log *n*) to find its place, and what the store moves to make room.
    public func insert(_ object: Element) { insert(objectsIn: CollectionOfOne(object)) }

    /// Adds elements that are not there already.
    ///
    /// - Complexity: O(*n* + *m* log *m*) for many, *m* = new elements.
    public func insert<S: Sequence>(objectsIn objects: S) where S.Element == Element {
        if isManaged {
            insertStored(Array(objects))
        } else {
            for object in objects { members.insert(object) }
        }
    }

    /// Removes an element, if it is there.
    ///
    /// - Complexity: as `insert`.
    public func remove(_ object: Element) {
        if isManaged { removeStored(object) } else { members.remove(object) }
    }

    /// Removes all elements.
    public func removeAll() {
        if isManaged { replaceStored(with: []) } else { members = UnmanagedMembers() }
    }

    /// Whether all elements are in another set too.
    ///
    /// - Complexity: O(*n* log *m*), *m* = elements of the other.
    public func isSubset(of possibleSuperset: MutableSet<Element>) -> Bool {
        count <= possibleSuperset.count && allSatisfy { possibleSuperset.contains($0) }
    }

    /// Whether at least one element is in another set too.
    ///
    /// - Complexity: O(*n* log *m*), *n* = elements of the smaller set.
    public func intersects(_ otherSet: MutableSet<Element>) -> Bool {
        count <= otherSet.count
            ? contains { otherSet.contains($0) } : otherSet.contains { self.contains($0) }
    }

    /// Removes the elements that are not in another set.
    public func formIntersection(_ other: MutableSet<Element>) {
        keep { other.contains($0) }
    }

    /// Removes the elements that are in another set.
    public func subtract(_ other: MutableSet<Element>) {
        if self === other || (isManaged && self == other) { return removeAll() }
        keep { !other.contains($0) }
    }

    /// Adds the elements of another set.
    public func formUnion(_ other: MutableSet<Element>) { insert(objectsIn: other) }

    private func keep(where body: (Element) -> Bool) {
        if isManaged { return keepStored(where: body) }
        for element in members.elements where !body(element) { members.remove(element) }
    }
}

extension MutableSet {
    /// Gives the set the elements of another; nothing if they are the same.
    func replaceContents(with other: MutableSet) {
        if self === other || (isManaged && self == other) { return }
        let elements = Array(other)
        if isManaged {
            replaceStored(with: elements)
        } else {
            members = UnmanagedMembers()
            for element in elements { members.insert(element) }
        }
    }
}
