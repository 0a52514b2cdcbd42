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

/// One class of a Realm and its properties: of Swift code, of a store, or described at run time.
///
/// ```swift
/// configuration.objectSchemas = [
///     ObjectSchema(
///         className: "Dog",
///         properties: [
///             Property("id", .UUID, isPrimaryKey: true),
///             Property("name", .string, isIndexed: true),
///             .link("owner", to: "Person"),
///             .list("tags", of: .string),
///         ]
///     )
/// ]
/// ```
///
/// **Threads.** A value; any thread.
public struct ObjectSchema: Equatable, Sendable, CustomStringConvertible {
    let schema: ClassSchema

    init(_ schema: ClassSchema) { self.schema = schema }

    /// Describes a class without Swift code, for `Realm.Configuration.objectSchemas`.
    ///
    /// What is wrong with it is told when a Realm is opened with it.
    public init(className: String, isEmbedded: Bool = false, properties: [Property]) {
        schema = DynamicClass.schema(
            named: className,
            isEmbedded: isEmbedded,
            properties.map(\.dynamicDescription)
        )
    }

    /// The name in messages and in the store.
    public var className: String { schema.name }
    /// The class itself; `DynamicObject` for one without Swift code.
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

extension ObjectBase {
    /// The class as Realms see it; nil for the base classes, which have no properties.
    public class func sharedSchema() -> ObjectSchema? {
        let isBase = self == ObjectBase.self || self == Object.self || self == EmbeddedObject.self
        return isBase || self == DynamicObject.self ? nil : ObjectSchema(ClassSchema.of(self))
    }
}
