/// What a Swift type is as a property: the compile-time half of a `Property`.
///
/// Domesday's own types describe themselves with it; there is nothing in it for users.
///
/// **Threads.** A value; any thread.
public struct PropertyShape: Sendable {
    enum Collection: Sendable { case none, list, set, map }

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

    /// A collection whose elements, or a map's values, are what this says.
    func inside(_ collection: Collection) -> PropertyShape {
        var copy = self
        copy.collection = collection
        return copy
    }

    /// How such a property's elements lie in the store.
    var layout: SequenceLayout {
        // Only types with a column type get past the schema's validation.
        SequenceLayout(
            collection.columnShape,
            of: type.columnType ?? .data,
            isOptional: isOptional
        )
    }
}

extension PropertyShape.Collection {
    /// How the store's schema says it.
    var columnShape: CollectionShape {
        switch self {
        case .none: .none
        case .list: .list
        case .set: .set
        case .map: .map
        }
    }

    /// The type that users write, and see in descriptions; empty for no collection.
    var typeName: String {
        switch self {
        case .none: ""
        case .list: "List"
        case .set: "MutableSet"
        case .map: "Map"
        }
    }
}
