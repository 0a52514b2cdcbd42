/// A property to sort by, and the direction.
///
/// ```swift
/// let byAge = [SortDescriptor(keyPath: \Person.age, ascending: false), "name"]
/// ```
///
/// Foundation has a generic type of this name. Code that imports only this module sees only this
/// one. Code that also says `import Foundation` can still call `SortDescriptor(keyPath: "age")`; as
/// the type of something it writes `RealmSwift.SortDescriptor` or `Domesday.SortDescriptor`.
///
/// **Shape.** The key path is dotted Swift names; it may go through to-one links. Whether its
/// properties exist and can be sorted by is checked when it is used.
/// **Threads.** A value; any thread.
public struct SortDescriptor: Hashable, Sendable {
    /// What to sort by: `"name"`, `"owner.name"`, or `"self"` for collections of scalars.
    public let keyPath: String
    /// Whether smaller values come first.
    public let ascending: Bool

    /// Sorts by a property given by name.
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// Sorts by a property given as a Swift key path.
    ///
    /// - Precondition: it goes through `@Persisted` properties only.
    public init<Root: ObjectBase>(keyPath: PartialKeyPath<Root>, ascending: Bool = true) {
        guard let name = KeyPathName.name(of: keyPath) else {
            fatalError(
                "Cannot sort on key path '\(keyPath)': it leads to no @Persisted property of "
                    + "'\(Root.className())'."
            )
        }
        self.init(keyPath: name, ascending: ascending)
    }

    /// The same key path in the other direction.
    public func reversed() -> SortDescriptor {
        SortDescriptor(keyPath: keyPath, ascending: !ascending)
    }
}

extension SortDescriptor: ExpressibleByStringLiteral {
    /// Sorts ascending by the property of that name.
    public init(stringLiteral value: String) { self.init(keyPath: value) }
}

extension SortDescriptor: CustomStringConvertible {
    /// The key path and the direction, in words.
    public var description: String {
        let direction = ascending ? "ascending" : "descending"
        return "SortDescriptor(keyPath: \(keyPath), direction: \(direction))"
    }
}
