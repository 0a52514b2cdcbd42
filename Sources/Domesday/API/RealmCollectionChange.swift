/// What happened to an observed collection.
///
/// **Shape.** `deletions` and `modifications` are positions in the collection as it was told last,
/// `insertions` in the present one; ascending, and exact: the old collection without its deletions is
/// the new one without its insertions. An element that moved is deleted and inserted.
/// **Threads.** As the collection.
public enum RealmCollectionChange<CollectionType> {
    /// Told once, at first.
    case initial(CollectionType)
    /// Elements came, went, moved, or were modified.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Never told.
    case error(any Error)

    /// The positions of the modified elements in the present collection.
    ///
    /// - Complexity: O(modifications * log changes).
    public var modificationsInNew: [Int] {
        guard case .update(_, let deletions, let insertions, let modifications) = self else {
            return []
        }
        let map = PositionMap(deletions: deletions, insertions: insertions)
        return modifications.map { map.newPosition(of: $0) }
    }
}

/// What happened to an observed object.
///
/// **Threads.** As the object.
public enum ObjectChange<T: ObjectBase> {
    /// Never told.
    case error(any Error)
    /// Properties have other values, in the order of their declaration.
    case change(T, [PropertyChange])
    /// It was deleted. Nothing is told after that.
    case deleted
}

/// What happened to one property of an observed object.
///
/// **Threads.** As the object.
public struct PropertyChange {
    /// The property's Swift name; for a longer key path the first one.
    public let name: String
    /// The value told last; nil for collections, and where only something linked to changed.
    ///
    /// A linked object is given as it is now, nil if it is gone.
    public let oldValue: Any?
    /// The value now; nil for collections, and where only something linked to changed.
    public let newValue: Any?
}

extension Realm {
    /// What observers of a Realm are told.
    public enum Notification: String, Sendable {
        /// It shows a newer version, by a commit of its own or by a refresh.
        case didChange = "RLMRealmDidChangeNotification"
        /// Somebody else committed, and `autorefresh` is off.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }

    /// Is told what happens to a Realm.
    public typealias NotificationBlock = (_ notification: Notification, _ realm: Realm) -> Void
}
