/// The classes of a Realm.
///
/// **Threads.** A value; any thread.
public struct Schema: Equatable, Sendable, CustomStringConvertible {
    let classes: [ClassSchema]

    init(_ classes: [ClassSchema]) { self.classes = classes }

    /// All classes, by name.
    public var objectSchema: [ObjectSchema] { classes.map { ObjectSchema($0) } }

    /// The class of that name.
    ///
    /// - Complexity: O(classes).
    public subscript(className: String) -> ObjectSchema? {
        classes.first { $0.name == className }.map { ObjectSchema($0) }
    }

    /// Whether both hold the same classes with the same properties.
    public static func == (a: Schema, b: Schema) -> Bool { a.objectSchema == b.objectSchema }

    /// All classes and properties, one a line.
    public var description: String {
        let lines = objectSchema.flatMap { $0.description.split(separator: "\n") }
        return "Schema {\n" + lines.map { "\t\($0)\n" }.joined() + "}"
    }
}

/// One class of a Realm and its properties.
///
/// **Threads.** A value; any thread.
public struct ObjectSchema: Equatable, Sendable, CustomStringConvertible {
    let schema: ClassSchema

    init(_ schema: ClassSchema) { self.schema = schema }

    /// The name in messages and in the store.
    public var className: String { schema.name }
    /// The class itself.
    public var objectClass: ObjectBase.Type { schema.type }
    /// Inherited properties first, then in the order of declaration.
    public var properties: [Property] { schema.properties.map { Property($0) } }
    /// The property that is the primary key, nil if there is none.
    public var primaryKeyProperty: Property? { schema.primaryKey.map { Property($0) } }
    /// Whether its objects belong to an owner: ``EmbeddedObject``.
    public var isEmbedded: Bool { schema.isEmbedded }
    /// False: asymmetric objects belong to Device Sync.
    public var isAsymmetric: Bool { false }

    /// The property of that Swift name.
    public subscript(propertyName: String) -> Property? {
        schema.property(named: propertyName).map { Property($0) }
    }

    /// Whether both have the same name and the same properties.
    public static func == (a: ObjectSchema, b: ObjectSchema) -> Bool {
        a.schema === b.schema
            || (a.className == b.className && a.isEmbedded == b.isEmbedded
                && a.properties == b.properties)
    }

    /// The name and all properties, one a line.
    public var description: String {
        let lines = properties.flatMap { $0.description.split(separator: "\n") }
        return className + (isEmbedded ? " (embedded)" : "") + " {\n"
            + lines.map { "\t\($0)\n" }.joined() + "}"
    }
}

/// One property of a class.
///
/// **Threads.** A value; any thread.
public struct Property: Hashable, Sendable, CustomStringConvertible {
    /// The name in Swift.
    public let name: String
    /// The name in the store.
    public let columnName: String
    /// Of the value, or of the elements of a collection.
    public let type: PropertyType
    /// Whether it is a `List`.
    public let isArray: Bool
    /// Whether it is a `MutableSet`.
    public let isSet: Bool
    /// Whether it is a `Map`.
    public let isMap: Bool
    /// Whether look-ups by it need no search; true for a primary key.
    public let isIndexed: Bool
    /// Whether the value, or an element of the collection, may be nil.
    public let isOptional: Bool
    /// The class that links lead to.
    public let objectClassName: String?
    let isPrimaryKey: Bool
    let origin: String?

    init(_ property: PropertySchema) {
        name = property.name
        columnName = property.columnName
        type = property.shape.type
        isArray = property.shape.collection == .list
        isSet = property.shape.collection == .set
        isMap = property.shape.collection == .map
        isIndexed = property.isIndexed || property.isPrimaryKey
        isOptional = property.shape.isOptional
        objectClassName = property.targetName
        isPrimaryKey = property.isPrimaryKey
        origin = property.origin
    }

    /// Everything about the property, one a line.
    public var description: String {
        func word(_ flag: Bool) -> String { flag ? "YES" : "NO" }
        var text = "\(name) {\n\ttype = \(type);\n"
        if columnName != name { text += "\tcolumnName = \(columnName);\n" }
        if let objectClassName { text += "\tobjectClassName = \(objectClassName);\n" }
        if let origin { text += "\tlinkOriginPropertyName = \(origin);\n" }
        return text + "\tindexed = \(word(isIndexed));\n\tisPrimary = \(word(isPrimaryKey));\n"
            + "\tarray = \(word(isArray));\n\tset = \(word(isSet));\n"
            + "\tdictionary = \(word(isMap));\n\toptional = \(word(isOptional));\n}"
    }
}
