import Foundation

/// Classes whose objects are `DynamicObject`s: found in a store, described at run time, or another
/// face of a Swift class.
enum DynamicClass {
    /// One property, as far as no Swift type is needed to tell it.
    struct PropertyDescription {
        var name: String
        var columnName: String
        var type: PropertyType
        var collection = PropertyShape.Collection.none
        var isOptional = false
        var isIndexed = false
        var isPrimaryKey = false
        var isFullText = false
        var isUnique = false
        var rule = LinkRule.nullify
        /// Of linking objects that no class declares.
        var backwardRule = LinkRule.nullify
        /// Of links and linking objects.
        var target: String?
        /// The linking property, for linking objects.
        var origin: String?
    }

    static func schema(
        named name: String,
        isEmbedded: Bool,
        _ properties: [PropertyDescription],
        compounds: [CompoundIndex] = [],
        face: ClassSchema? = nil
    ) -> ClassSchema {
        ClassSchema(
            dynamic: name,
            isEmbedded: isEmbedded,
            properties: properties.enumerated().map { property($1, at: $0) },
            type: DynamicObject.self,
            sample: DynamicObject(),
            compounds: compounds,
            face: face
        )
    }

    private static func property(
        _ description: PropertyDescription,
        at position: Int
    ) -> PropertySchema {
        let field = field(of: description)
        var shape = PropertyShape(description.type)
        shape.isOptional = description.isOptional
        shape.collection = description.collection
        shape.typeName = description.target ?? ""
        return PropertySchema(
            name: description.name,
            columnName: description.columnName,
            shape: shape,
            origin: description.origin,
            isPrimaryKey: description.isPrimaryKey,
            isIndexed: description.isIndexed,
            offset: position,
            field: field,
            empty: field.makeEmpty(),
            dynamicTarget: description.target,
            isFullText: description.isFullText,
            isUnique: description.isUnique,
            rule: description.rule,
            backwardRule: description.backwardRule
        )
    }

    /// How values of such a property are read and written.
    private static func field(
        of property: PropertyDescription
    ) -> any DynamicFieldType.Type {
        func field<T: _RealmCollectionValueInsideOptional>(
            _ type: T.Type
        ) -> any DynamicFieldType.Type {
            switch property.collection {
            case .none:
                property.isOptional ? DynamicField<T?>.self : DynamicField<T>.self
            case .list:
                property.isOptional ? DynamicField<List<T?>>.self : DynamicField<List<T>>.self
            case .set:
                property.isOptional
                    ? DynamicField<MutableSet<T?>>.self : DynamicField<MutableSet<T>>.self
            case .map:
                property.isOptional
                    ? DynamicField<Map<String, T?>>.self : DynamicField<Map<String, T>>.self
            }
        }
        switch property.type {
        case .int: return field(Int.self)
        case .bool: return field(Bool.self)
        case .string: return field(String.self)
        case .data: return field(Data.self)
        case .date: return field(Date.self)
        case .float: return field(Float.self)
        case .double: return field(Double.self)
        case .objectId: return field(ObjectId.self)
        case .UUID: return field(UUID.self)
        case .object: return field(DynamicObject.self)
        case .linkingObjects: return DynamicField<LinkingObjects<DynamicObject>>.self
        case .decimal128: return field(Decimal128.self)
        case .any:
            return switch property.collection {
            case .none: DynamicField<AnyRealmValue>.self
            case .list: DynamicField<List<AnyRealmValue>>.self
            case .set: DynamicField<MutableSet<AnyRealmValue>>.self
            case .map: DynamicField<Map<String, AnyRealmValue>>.self
            }
        }
    }

    // MARK: - The store's own classes

    /// The classes of a store, as it records them.
    static func stored(in reader: StoreReader) -> [ClassSchema] {
        let definitions = reader.tables.compactMap { $0?.definition }.filter { !$0.isRemoved }
        let names = Dictionary(
            definitions.map { ($0.id, $0.name) },
            uniquingKeysWith: { first, _ in first }
        )
        return definitions.map { definition in
            schema(
                named: definition.name,
                isEmbedded: definition.isEmbedded,
                definition.columns.filter { !$0.isRemoved && !$0.isCompound }.map { column in
                    PropertyDescription(
                        name: column.name,
                        columnName: column.name,
                        type: column.type.propertyType,
                        collection: column.shape.collection,
                        isOptional: column.isOptional,
                        isIndexed: column.isIndexed,
                        isPrimaryKey: column.isPrimaryKey,
                        isFullText: column.isFullText,
                        isUnique: column.isUnique,
                        rule: column.rule,
                        backwardRule: column.backwardRule,
                        target: column.target.flatMap { names[$0] }
                    )
                },
                compounds: definition.compounds
            )
        }
    }
}

extension CollectionShape {
    /// What such columns are as properties.
    var collection: PropertyShape.Collection {
        switch self {
        case .none: .none
        case .list: .list
        case .set: .set
        case .map: .map
        }
    }
}

extension ColumnType {
    /// What such values are as properties.
    var propertyType: PropertyType {
        switch self {
        case .bool: .bool
        case .int: .int
        case .float: .float
        case .double: .double
        case .date: .date
        case .string: .string
        case .data: .data
        case .uuid: .UUID
        case .objectId: .objectId
        case .link: .object
        case .decimal: .decimal128
        case .mixed: .any
        }
    }
}

extension ClassSchema {
    /// The same class with dynamic objects as accessors.
    var dynamicFace: ClassSchema {
        DynamicClass.schema(
            named: name,
            isEmbedded: isEmbedded,
            properties.map { property in
                DynamicClass.PropertyDescription(
                    name: property.name,
                    columnName: property.columnName,
                    type: property.shape.type,
                    collection: property.shape.collection,
                    isOptional: property.shape.isOptional,
                    isIndexed: property.isIndexed,
                    isPrimaryKey: property.isPrimaryKey,
                    isFullText: property.isFullText,
                    isUnique: property.isUnique,
                    rule: property.rule,
                    backwardRule: property.backwardRule,
                    target: property.targetName,
                    origin: property.origin
                )
            },
            compounds: compounds,
            face: self
        )
    }

    /// A new unmanaged object with the declared defaults.
    func makeObject() -> ObjectBase {
        guard isDynamic else { return type.init() }
        let object = DynamicObject(unmanaged: self)
        guard let face else { return object }
        let donor = face.type.init()
        for (property, declared) in zip(properties, face.properties) where property.isStored {
            guard let type = property.field as? any DynamicFieldType.Type,
                let value = declared.field.value(of: donor, at: declared.offset)
            else { continue }
            // Links that a class makes by default are left to the class.
            if property.shape.type == .object { continue }
            if let converted = type.converted(value) { object.values[property.offset] = converted }
        }
        return object
    }
}

extension ObjectBase {
    /// The schema of the object's class.
    final var classSchema: ClassSchema {
        if let table = objectBinding.control?.pointee.table {
            return table._withUnsafeGuaranteedRef { $0.schema }
        }
        if type(of: self) == DynamicObject.self {
            // SAFETY: the class is final, and was compared.
            if let schema = unsafeDowncast(self, to: DynamicObject.self).unmanagedSchema {
                return schema
            }
        }
        return ClassSchema.of(type(of: self))
    }
}
