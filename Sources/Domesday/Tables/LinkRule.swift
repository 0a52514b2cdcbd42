/// What becomes of the objects at the other end of a link when the object at one end is deleted.
///
/// Raw values are part of the file format.
enum LinkRule: UInt8, Hashable, Sendable {
    /// They stay; links to what is deleted end.
    case nullify = 0
    /// They are deleted as well.
    case cascade = 1
    /// Nothing is deleted while there are any that would stay.
    case deny = 2
}
