/// What a Swift type is as a property: the compile-time half of a `Property`.
///
/// Domesday's own types describe themselves with it; there is nothing in it for users.
///
/// **Threads.** A value; any thread.
public struct PropertyShape: Sendable {
    enum Collection: Sendable { case none, list }

    let type: PropertyType
    /// Whether nil is a value: of the property, or of its elements if it is a collection.
    var isOptional = false
    var collection = Collection.none
    /// Whether the collection itself was declared optional, which the schema refuses.
    var isOptionalCollection = false
    /// The class that links, embedded objects or linking objects lead to.
    var objectClass: ObjectBase.Type?
    /// Whether it is a type of the user's that is stored as another.
    var isCustom = false
    /// The raw or Swift type's name, for messages.
    var typeName = ""

    init(_ type: PropertyType) { self.type = type }

    var optional: PropertyShape {
        var copy = self
        if collection == .none { copy.isOptional = true } else { copy.isOptionalCollection = true }
        return copy
    }

    var list: PropertyShape {
        var copy = self
        copy.collection = .list
        return copy
    }

    /// How one element lies in a stored list.
    var listLayout: ListLayout {
        // Only types with a column type get past the schema's validation.
        ListLayout(type: type.columnType ?? .data, isOptional: isOptional)
    }
}
