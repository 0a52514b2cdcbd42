extension ObjectBase {
    /// An unmanaged copy of the object and of what it links to.
    ///
    /// An object that is reached twice is copied once, so cycles stay cycles: break them before
    /// letting go of the copies, as with all Swift objects. Stored properties that are not
    /// `@Persisted` have what the class's `init()` gives them; linking objects are empty.
    ///
    /// - Parameter depth: How many links to follow; behind them links are nil and lists of objects
    ///   empty. Embedded objects are always copied with their owner.
    /// - Precondition: the object is not deleted.
    /// - Complexity: O(objects copied).
    public func detached(depth: Int = .max) -> Self {
        if isInvalidated {
            fatalError("Object has been deleted or invalidated: it cannot be copied.")
        }
        var detacher = Detacher()
        // SAFETY: a copy is of the class of what it was made from.
        return unsafeDowncast(detacher.copy(self, depth: depth), to: type(of: self))
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Unmanaged copies of all objects, as `ObjectBase.detached(depth:)`; what several of them link
    /// to is copied once.
    public func detached(depth: Int = .max) -> [Element] {
        var detacher = Detacher()
        return detacher.copies(of: Array(self), depth: depth).map { copy in
            // SAFETY: as above.
            unsafeDowncast(copy, to: Element.self)
        }
    }
}
