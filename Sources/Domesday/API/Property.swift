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
    /// Whether it is a `MutableSet`: not yet.
    public let isSet: Bool
    /// Whether it is a `Map`: not yet.
    public let isMap: Bool
    /// Whether look-ups by it need no search; true for a primary key.
    public let isIndexed: Bool
    /// Whether `TEXT` finds its words through an index.
    public let isFullTextIndexed: Bool
    /// Whether no two objects of the class may have the same value.
    public let isUnique: Bool
    /// What becomes of the objects of a relation when its object is deleted.
    public let deleteRule: DeleteRule
    /// Whether the value, or an element of the collection, may be nil.
    public let isOptional: Bool
    /// The class that links lead to.
    public let objectClassName: String?
    /// Whether it identifies an object within its class.
    public let isPrimaryKey: Bool
    /// The linking property, for linking objects.
    public let linkOriginPropertyName: String?

    init(_ property: PropertySchema) {
        name = property.name
        columnName = property.columnName
        type = property.shape.type
        isArray = property.shape.collection == .list
        isSet = property.shape.collection == .set
        isMap = property.shape.collection == .map
        isIndexed = property.isIndexed || property.isPrimaryKey
        isFullTextIndexed = property.isFullText
        isUnique = property.isUnique
        deleteRule = DeleteRule(property.rule)
        // A value of any type may be none.
        isOptional = property.shape.isOptional || property.shape.type == .any
        objectClassName = property.targetName
        isPrimaryKey = property.isPrimaryKey
        linkOriginPropertyName = property.origin
    }

    private init(_ description: DynamicClass.PropertyDescription) {
        name = description.name
        columnName = description.columnName
        type = description.type
        isArray = description.collection == .list
        isSet = description.collection == .set
        isMap = description.collection == .map
        isIndexed = description.isIndexed || description.isPrimaryKey
        isFullTextIndexed = description.isFullText
        isUnique = description.isUnique
        deleteRule = DeleteRule(description.rule)
        isOptional = description.isOptional
        objectClassName = description.target
        isPrimaryKey = description.isPrimaryKey
        linkOriginPropertyName = description.origin
    }

    /// Everything about the property, one a line.
    public var description: String {
        func word(_ flag: Bool) -> String { flag ? "YES" : "NO" }
        var text = "\(name) {\n\ttype = \(type);\n"
        if columnName != name { text += "\tcolumnName = \(columnName);\n" }
        if let objectClassName { text += "\tobjectClassName = \(objectClassName);\n" }
        if let linkOriginPropertyName {
            text += "\tlinkOriginPropertyName = \(linkOriginPropertyName);\n"
        }
        return text + "\tindexed = \(word(isIndexed));\n\tisPrimary = \(word(isPrimaryKey));\n"
            + "\tarray = \(word(isArray));\n\tset = \(word(isSet));\n"
            + "\tdictionary = \(word(isMap));\n\toptional = \(word(isOptional));\n}"
    }
}

// Describing classes that have no Swift code.
extension Property {
    /// A property with one value.
    ///
    /// - Precondition: a type of values: links are made by `link(_:to:)` and `links(_:to:)`.
    /// - Parameters:
    ///   - columnName: The name in the store; nil for `name`.
    ///   - isFullTextIndexed: For text only, and not beside another index.
    ///   - isUnique: Then it is indexed as well.
    public init(
        _ name: String,
        _ type: PropertyType,
        isOptional: Bool = false,
        isIndexed: Bool = false,
        isPrimaryKey: Bool = false,
        isFullTextIndexed: Bool = false,
        isUnique: Bool = false,
        columnName: String? = nil
    ) {
        Self.requireValueType(type, name)
        self.init(
            DynamicClass.PropertyDescription(
                name: name,
                columnName: columnName ?? name,
                type: type,
                isOptional: isOptional,
                isIndexed: isIndexed || isUnique,
                isPrimaryKey: isPrimaryKey,
                isFullText: isFullTextIndexed,
                isUnique: isUnique
            )
        )
    }

    /// A list of values.
    ///
    /// - Precondition: a type of values: lists of objects are made by `links(_:to:)`.
    public static func list(
        _ name: String,
        of type: PropertyType,
        isOptional: Bool = false
    ) -> Property {
        collection(.list, name, type, isOptional)
    }

    /// A set of values.
    ///
    /// - Precondition: a type of values: sets of objects are made by `linkSet(_:to:)`.
    public static func set(
        _ name: String,
        of type: PropertyType,
        isOptional: Bool = false
    ) -> Property {
        collection(.set, name, type, isOptional)
    }

    /// A map of values by text.
    ///
    /// - Precondition: a type of values: maps of objects are made by `linkMap(_:to:)`.
    public static func map(
        _ name: String,
        of type: PropertyType,
        isOptional: Bool = false
    ) -> Property {
        collection(.map, name, type, isOptional)
    }

    private static func collection(
        _ collection: PropertyShape.Collection,
        _ name: String,
        _ type: PropertyType,
        _ isOptional: Bool
    ) -> Property {
        requireValueType(type, name)
        return Property(
            DynamicClass.PropertyDescription(
                name: name,
                columnName: name,
                type: type,
                collection: collection,
                isOptional: isOptional
            )
        )
    }

    /// A link to an object of a class, embedded or not; it may be nil.
    public static func link(
        _ name: String,
        to className: String,
        deleteRule: DeleteRule = .nullify
    ) -> Property {
        Property(
            DynamicClass.PropertyDescription(
                name: name,
                columnName: name,
                type: .object,
                isOptional: true,
                rule: deleteRule.linkRule,
                target: className
            )
        )
    }

    /// A list of objects of a class, embedded or not.
    public static func links(
        _ name: String,
        to className: String,
        deleteRule: DeleteRule = .nullify
    ) -> Property {
        links(.list, name, className, deleteRule)
    }

    /// A set of objects of a class that is not embedded.
    public static func linkSet(
        _ name: String,
        to className: String,
        deleteRule: DeleteRule = .nullify
    ) -> Property {
        links(.set, name, className, deleteRule)
    }

    /// A map of objects of a class, embedded or not, by text; values may be nil.
    public static func linkMap(
        _ name: String,
        to className: String,
        deleteRule: DeleteRule = .nullify
    ) -> Property {
        links(.map, name, className, deleteRule)
    }

    private static func links(
        _ collection: PropertyShape.Collection,
        _ name: String,
        _ className: String,
        _ deleteRule: DeleteRule
    ) -> Property {
        Property(
            DynamicClass.PropertyDescription(
                name: name,
                columnName: name,
                type: .object,
                collection: collection,
                isOptional: collection == .map,
                rule: deleteRule.linkRule,
                target: className
            )
        )
    }

    /// The objects of a class that link here through one of its properties.
    public static func linkingObjects(
        _ name: String,
        from className: String,
        property: String,
        deleteRule: DeleteRule = .nullify
    ) -> Property {
        Property(
            DynamicClass.PropertyDescription(
                name: name,
                columnName: name,
                type: .linkingObjects,
                rule: deleteRule.linkRule,
                target: className,
                origin: property
            )
        )
    }

    private static func requireValueType(_ type: PropertyType, _ name: String) {
        switch type {
        case .object, .linkingObjects:
            fatalError("Property '\(name)' of type '\(type)' needs a class: use link, links, ...")
        default: break
        }
    }

    var dynamicDescription: DynamicClass.PropertyDescription {
        DynamicClass.PropertyDescription(
            name: name,
            columnName: columnName,
            type: type,
            collection: isArray ? .list : isSet ? .set : isMap ? .map : .none,
            isOptional: isOptional,
            isIndexed: isIndexed && !isPrimaryKey,
            isPrimaryKey: isPrimaryKey,
            isFullText: isFullTextIndexed,
            isUnique: isUnique,
            rule: deleteRule.linkRule,
            target: objectClassName,
            origin: linkOriginPropertyName
        )
    }
}
