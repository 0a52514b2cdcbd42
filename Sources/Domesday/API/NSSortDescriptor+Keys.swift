public import Foundation

// On Linux Foundation's sort descriptors have key paths of Swift and no names. Ours have a key path
// that begins at a type of ours and captures the name.

extension NSSortDescriptor {
    /// Sorts by a property given by name; use it with `sorted(by:)`.
    ///
    /// - Parameter key: As ``SortDescriptor/keyPath``.
    /// - Precondition: `key` is not nil: there is nothing else to sort by.
    public convenience init(key: String?, ascending: Bool) {
        guard let key else { fatalError("NSSortDescriptor needs a key.") }
        self.init(keyPath: \NamedKey[key], ascending: ascending)
    }

    /// The name given to `init(key:ascending:)`; nil for a descriptor made otherwise.
    fileprivate var domesdayKey: String? {
        (keyPath as? Swift.KeyPath<NamedKey, String>).map { NamedKey()[keyPath: $0] }
    }
}

/// Answers with the name that a key path asks for.
private struct NamedKey {
    subscript(name: String) -> String { name }
}

extension RealmCollection where Element: ObjectBase {
    /// The objects sorted by Foundation's descriptors, made with `NSSortDescriptor(key:ascending:)`.
    ///
    /// - Precondition: they were made so; a descriptor with a key path of Swift has no name.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Element == NSSortDescriptor {
        sorted(
            by: sortDescriptors.map { descriptor in
                guard let key = descriptor.domesdayKey else {
                    fatalError(
                        "Only an NSSortDescriptor made with init(key:ascending:) can sort objects."
                    )
                }
                return SortDescriptor(keyPath: key, ascending: descriptor.ascending)
            }
        )
    }
}
