/// A property to sort by, and the direction.
///
/// An alias, so that `RealmSwift.SortDescriptor` can be written where Foundation's generic type of
/// the same name is visible too.
public typealias SortDescriptor = Domesday.SortDescriptor
