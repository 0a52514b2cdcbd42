/// Joins what reflection and the sample's wrappers tell about a class, and checks it.
struct PropertyListBuilder {
    let name: String
    let isEmbedded: Bool
    let type: ObjectBase.Type
    let fields: FieldTable
    let entries: [Construction.Recorder.Entry]
    private(set) var properties: [PropertySchema] = []
    private(set) var compounds: [CompoundIndex] = []
    private(set) var errors: [String] = []

    init(type: ObjectBase.Type, fields: FieldTable, entries: [Construction.Recorder.Entry]) {
        self.type = type
        self.fields = fields
        self.entries = entries
        name = type.className()
        isEmbedded = type is EmbeddedObject.Type
    }

    /// Properties that no Swift class declares; only checked.
    init(name: String, isEmbedded: Bool, type: ObjectBase.Type, properties: [PropertySchema]) {
        self.name = name
        self.isEmbedded = isEmbedded
        self.type = type
        self.properties = properties
        fields = FieldTable(type)
        entries = []
    }

    mutating func build() {
        guard let declared = entriesByField() else {
            errors.append(
                "The declarations of class '\(name)' could not be matched with its properties: "
                    + "init() must give every @Persisted property its value exactly once."
            )
            return
        }
        let ignored = Set(type.ignoredProperties())
        let mapping = type.propertiesMapping()
        let named = type.primaryKey()
        let indexed = Set(type.indexedProperties())
        for (field, entry) in zip(fields.persisted, declared) where !ignored.contains(field.name) {
            properties.append(
                PropertySchema(
                    name: field.name,
                    columnName: mapping[field.name] ?? field.name,
                    shape: field.type.shape,
                    origin: entry.origin,
                    isPrimaryKey: entry.marks.contains(.primaryKey) || named == field.name,
                    isIndexed: entry.marks.contains(.indexed) || entry.marks.contains(.unique)
                        || indexed.contains(field.name),
                    offset: field.offset,
                    field: field.type,
                    empty: field.type.makeEmpty(),
                    hasDeclaredDefault: entry.marks.contains(.hasDefault),
                    isFullText: entry.marks.contains(.fullText),
                    isUnique: entry.marks.contains(.unique),
                    rule: entry.marks.contains(.cascade)
                        ? .cascade : entry.marks.contains(.deny) ? .deny : .nullify
                )
            )
        }
        addCompounds(type.compoundIndexes(), isUnique: false)
        addCompounds(type.uniqueTogether(), isUnique: true)
        checkLegacy(ignored)
        check(primaryKey: named)
    }

    /// Finds what is wrong with the properties.
    ///
    /// - Parameter primaryKey: The primary key by name, if the class gives it so.
    mutating func check(primaryKey: String?) {
        checkNames(primaryKey)
        checkKeys()
        for property in properties { check(property) }
    }

    /// Wrappers are initialised from the most derived class upward, fields listed the other way.
    private func entriesByField() -> [Construction.Recorder.Entry]? {
        var remaining = entries[...]
        var result: [Construction.Recorder.Entry] = []
        for count in fields.countsByClass.reversed() {
            guard remaining.count >= count else { return nil }
            result.insert(contentsOf: remaining.prefix(count), at: 0)
            remaining = remaining.dropFirst(count)
        }
        guard remaining.isEmpty, result.count == fields.persisted.count,
            zip(result, fields.persisted).allSatisfy({ $0.type == $1.type })
        else { return nil }
        return result
    }

    private mutating func checkNames(_ primaryKey: String?) {
        if properties.isEmpty {
            errors.append(
                "No properties are defined for '\(name)'. Did you remember to mark them with "
                    + "'@objc' or '@Persisted' in your model?"
            )
        }
        var seen: Set<String> = []
        var columns: Set<String> = []
        for property in properties {
            if !seen.insert(property.name).inserted {
                errors.append(
                    "Property '\(property.name)' is declared multiple times in the class "
                        + "hierarchy of '\(name)'"
                )
            } else if !columns.insert(property.columnName).inserted {
                errors.append(
                    "Alias '\(property.columnName)' appears more than once in the schema for "
                        + "type '\(name)'."
                )
            }
        }
        if let primaryKey, !seen.contains(primaryKey) {
            errors.append(
                "Primary key property '\(primaryKey)' does not exist on object '\(name)'"
            )
        }
        for (mapped, column) in type.propertiesMapping().sorted(by: { $0.key < $1.key })
        where !seen.contains(mapped) {
            errors.append(
                "Property '\(name).\(mapped)' cannot be stored as '\(column)': it does not exist."
            )
        }
        for index in type.indexedProperties() where !seen.contains(index) {
            errors.append("Property '\(name).\(index)' cannot be indexed: it does not exist.")
        }
    }

    /// Collections and wrappers that RealmSwift found in models of the older style.
    private mutating func checkLegacy(_ ignored: Set<String>) {
        for field in fields.legacy where !ignored.contains(field.name) {
            errors.append(
                "Property '\(name).\(field.name)' is not stored: write "
                    + "'\(field.type.attribute) var \(field.name): \(field.type.persistedType)', or name it in "
                    + "ignoredProperties()."
            )
        }
    }

    private mutating func checkKeys() {
        let keys = properties.filter(\.isPrimaryKey)
        if keys.count > 1 {
            errors.append(
                "Properties '\(keys[0].name)' and '\(keys[1].name)' are both marked as the "
                    + "primary key of '\(name)'."
            )
        }
        guard let key = keys.first else { return }
        if isEmbedded {
            errors.append("Embedded object type '\(name)' cannot have a primary key.")
        }
        // Enums and types of the user's have a name of their own.
        let isKeyType =
            [.string, .int, .objectId, .UUID].contains(key.shape.type) && key.shape.typeName.isEmpty
        if !isKeyType || key.shape.collection != .none {
            errors.append(
                "Property '\(key.name)' cannot be made the primary key of '\(name)' because it is "
                    + "not a 'string', 'int', 'objectId', or 'uuid' property."
            )
        }
    }

    /// Types of which there may be an index.
    private static let indexable: [PropertyType] = [.int, .bool, .string, .date, .UUID, .objectId]

    private mutating func addCompounds(_ lists: [[String]], isUnique: Bool) {
        for names in lists {
            let subject = "The compound index (\(names.joined(separator: ", "))) of '\(name)'"
            if !CompoundImage.columnCounts.contains(names.count) || Set(names).count < names.count {
                errors.append("\(subject) needs two to eight different properties.")
                continue
            }
            var columns: [String] = []
            for name in names {
                guard let property = properties.first(where: { $0.name == name }) else {
                    errors.append("\(subject) has no property '\(name)'.")
                    continue
                }
                if property.shape.collection != .none
                    || !Self.indexable.contains(property.shape.type)
                {
                    errors.append(
                        "\(subject) cannot have property '\(name)' of type "
                            + "'\(property.shape.type)'."
                    )
                }
                columns.append(property.columnName)
            }
            let compound = CompoundIndex(columns: columns, isUnique: isUnique)
            // One that is unique serves as the other one, too.
            compounds.removeAll { $0.columns == columns }
            compounds.append(compound)
        }
    }

    private mutating func checkRule(_ property: PropertySchema) {
        if property.rule == .nullify { return }
        let shape = property.shape
        let isRelation =
            shape.type == .linkingObjects
            || shape.type == .object && !(shape.objectClass is EmbeddedObject.Type)
        if !isRelation {
            errors.append(
                "Property '\(name).\(property.name)' of type '\(shape.type)' cannot have a delete "
                    + "rule: only relations to objects that are not embedded have one."
            )
        }
    }

    private mutating func check(_ property: PropertySchema) {
        checkRule(property)
        let shape = property.shape
        let of = "class '\(name)'"
        switch shape.type {
        case .object where shape.isCustom && !(shape.objectClass is EmbeddedObject.Type):
            errors.append(
                "Property '\(name).\(property.name)' is of type '\(shape.typeName)', whose "
                    + "PersistedType must be a scalar or an EmbeddedObject."
            )
        case .object where shape.collection == .none && !shape.isOptional && !shape.isCustom:
            errors.append("Object property '\(property.name)' must be marked as optional. (\(of))")
        case .object
        where (shape.collection == .list || shape.collection == .set) && shape.isOptional:
            errors.append(
                "\(shape.collection.typeName)<\(shape.typeName)> property '\(property.name)' must "
                    + "not be marked as optional. (\(of))"
            )
        case .object where shape.collection == .map && !shape.isOptional:
            errors.append(
                "Map<String, \(shape.typeName)> property '\(property.name)' must be marked as "
                    + "optional. (\(of))"
            )
        case .linkingObjects where property.origin == nil:
            errors.append(
                "LinkingObjects<\(shape.typeName)> property '\(property.name)' must set the "
                    + "origin property name with @Persisted(originProperty: \"name\"). (\(of))"
            )
        default: break
        }
        if property.isFullText, property.isIndexed || property.isPrimaryKey {
            errors.append(
                "Property '\(name).\(property.name)' cannot have a full-text index beside another "
                    + "one."
            )
        }
        if property.isFullText, shape.collection != .none || shape.type != .string {
            errors.append(
                "Property '\(name).\(property.name)' of type '\(shape.type)' cannot have a "
                    + "full-text index."
            )
        }
        if shape.collection == .set, let embedded = shape.objectClass as? EmbeddedObject.Type {
            errors.append(
                "Set property '\(name).\(property.name)' cannot contain embedded object type "
                    + "'\(embedded.className())'."
            )
        }
        if property.isIndexed, !property.isPrimaryKey {
            if shape.collection != .none || !Self.indexable.contains(shape.type) {
                errors.append(
                    "Property '\(name).\(property.name)' of type '\(shape.type)' cannot be "
                        + "indexed."
                )
            }
        }
    }
}
