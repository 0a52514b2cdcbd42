/// One `@Persisted` property of a class.
struct PropertySchema: @unchecked Sendable {
    // @unchecked: nobody writes to what `empty` leads to.

    let name: String
    /// Its name in the store.
    let columnName: String
    let shape: PropertyShape
    /// The linking property, for linking objects.
    let origin: String?
    let isPrimaryKey: Bool
    let isIndexed: Bool
    /// Bytes from the start of an instance to the wrapper.
    let offset: Int
    /// The `Persisted<...>` type.
    let field: any PersistedField.Type
    /// An empty wrapper of that type, to be copied.
    let empty: UnsafeRawPointer
    /// The class that links lead to, where no Swift class tells it.
    var dynamicTarget: String?
    /// Whether the declaration gives a default, and not only the type.
    var hasDeclaredDefault = false
    /// Whether the words of its text are indexed.
    var isFullText = false
    /// Whether no two objects may have its value.
    var isUnique = false
    /// What becomes of the objects that a relation leads to when its object is deleted; of linking
    /// objects, when what they link to is.
    var rule = LinkRule.nullify
    /// Where no Swift class declares the linking objects: what becomes of this object when one that
    /// it links to is deleted.
    var backwardRule = LinkRule.nullify

    /// Whether the property has a column; linking objects have none.
    var isStored: Bool { shape.type != .linkingObjects }

    var targetName: String? { dynamicTarget ?? shape.objectClass?.storedName }
}

/// An index over several properties.
struct CompoundIndex: Hashable, Sendable {
    /// Their names in the store, in the index's order.
    let columns: [String]
    /// Whether no two objects may have the same values.
    let isUnique: Bool

    /// How the index is called in the store and in plans.
    var name: String { "(\(columns.joined(separator: ", ")))" }
}

/// A class as the store sees it, found by reflection once per class.
///
/// **Threads.** Immutable; any thread.
final class ClassSchema: @unchecked Sendable {
    // @unchecked: all members are constants; nobody writes to the sample.

    let type: ObjectBase.Type
    /// The name its table has.
    let name: String
    /// Inherited properties first.
    let properties: [PropertySchema]
    let primaryKey: PropertySchema?
    let isEmbedded: Bool
    let instanceSize: Int
    /// Whether objects have stored properties that are not `@Persisted`.
    let hasPlainProperties: Bool
    /// An unmanaged instance with the declared defaults.
    let sample: ObjectBase
    /// What is wrong with the class taken by itself.
    let errors: [String]
    /// Whether accessors are dynamic objects: a property's `offset` is its position then.
    let isDynamic: Bool
    /// The indexes over several properties, those that are unique among them.
    let compounds: [CompoundIndex]
    /// The Swift class that this is the dynamic face of.
    let face: ClassSchema?
    private let indexByName: [String: Int]

    /// By column: the names of properties that have another one.
    var mappedNames: [String: String] {
        var names: [String: String] = [:]
        for property in properties where property.columnName != property.name {
            names[property.columnName] = property.name
        }
        return names
    }

    private static let cache = Lock<[ObjectIdentifier: ClassSchema]>([:])

    /// The schema of a class; made at first use, by one `init()` of the class.
    static func of(_ type: ObjectBase.Type) -> ClassSchema {
        let id = ObjectIdentifier(type)
        if let known = cache.withLock({ $0[id] }) { return known }
        // Made outside the lock: it runs the class's init(). Two threads may both make one.
        let made = ClassSchema(type)
        return cache.withLock { cache in
            if let known = cache[id] { return known }
            cache[id] = made
            return made
        }
    }

    private init(_ type: ObjectBase.Type) {
        let fields = FieldTable(type)
        let (sample, entries) = Construction.sample(of: type)
        var builder = PropertyListBuilder(type: type, fields: fields, entries: entries)
        builder.build()
        self.type = type
        self.sample = sample
        name = type.storedName
        isEmbedded = type is EmbeddedObject.Type
        instanceSize = fields.instanceSize
        hasPlainProperties = fields.hasOthers || fields.persisted.count > builder.properties.count
        properties = builder.properties
        primaryKey = builder.properties.first { $0.isPrimaryKey }
        compounds = builder.compounds
        errors = builder.errors
        isDynamic = false
        face = nil
        indexByName = Dictionary(
            builder.properties.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { a, _ in a }
        )
    }

    /// A class whose accessors are dynamic objects.
    ///
    /// - Parameters:
    ///   - properties: By position, which is their `offset`.
    ///   - type: The class of the accessors.
    ///   - sample: An unmanaged one without properties.
    ///   - compounds: Indexes over several of them.
    ///   - face: The Swift class that it is another face of.
    init(
        dynamic name: String,
        isEmbedded: Bool,
        properties: [PropertySchema],
        type: ObjectBase.Type,
        sample: ObjectBase,
        compounds: [CompoundIndex] = [],
        face: ClassSchema?
    ) {
        var builder = PropertyListBuilder(
            name: name,
            isEmbedded: isEmbedded,
            type: type,
            properties: properties
        )
        builder.check(primaryKey: nil)
        self.type = type
        self.sample = sample
        self.name = name
        self.isEmbedded = isEmbedded
        instanceSize = max(properties.count, 1)
        hasPlainProperties = false
        self.properties = properties
        primaryKey = properties.first { $0.isPrimaryKey }
        self.compounds = compounds
        errors = builder.errors
        isDynamic = true
        self.face = face
        indexByName = Dictionary(
            properties.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { a, _ in a }
        )
    }

    /// The property of that Swift name.
    func property(named name: String) -> PropertySchema? {
        indexByName[name].map { properties[$0] }
    }

    func property(at offset: Int) -> PropertySchema? { properties.first { $0.offset == offset } }

    /// The table the class needs, compound indexes aside. Column ids are positions among the stored
    /// properties.
    func tableDefinition(id: TableID, target: (String) -> TableID?) -> TableDefinition {
        var columns: [ColumnDefinition] = []
        for property in properties {
            guard property.isStored, let type = property.shape.type.columnType else { continue }
            columns.append(
                ColumnDefinition(
                    id: columns.count,
                    name: property.columnName,
                    type: type,
                    shape: property.shape.collection.columnShape,
                    isOptional: property.shape.isOptional,
                    isIndexed: property.isIndexed,
                    isPrimaryKey: property.isPrimaryKey,
                    isRemoved: false,
                    target: property.targetName.flatMap(target),
                    isFullText: property.isFullText,
                    isUnique: property.isUnique,
                    rule: property.rule,
                    backwardRule: property.backwardRule
                )
            )
        }
        return TableDefinition(
            id: id,
            name: name,
            isEmbedded: isEmbedded,
            isRemoved: false,
            columns: columns
        )
    }
}

extension ObjectBase {
    /// The name of the class's table.
    class var storedName: String { _realmObjectName() ?? className() }
}

enum ClassName {
    /// The class's name without module and enclosing types.
    static func of(_ type: ObjectBase.Type) -> String { String(describing: type) }

    /// The class's name with its module, for messages about two classes of one name.
    static func qualified(_ type: ObjectBase.Type) -> String { String(reflecting: type) }
}
