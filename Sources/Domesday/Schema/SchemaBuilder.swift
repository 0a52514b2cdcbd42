/// Collects classes into the schema of one Realm and checks them against each other.
///
/// **Threads.** Any.
enum SchemaBuilder {
    /// Every class of the process that did not opt out of the default schema.
    static func defaultClasses() -> [ObjectBase.Type] { discovered }

    private static let discovered: [ObjectBase.Type] =
        TypeDiscovery.subclasses(of: ObjectBase.self)
        .compactMap { $0 as? ObjectBase.Type }
        .filter { $0 != Object.self && $0 != EmbeddedObject.self }
        .filter { $0.shouldIncludeInDefaultSchema() }

    /// The schemas of `types`, and those that no class declares, by name.
    ///
    /// - Throws: ``Realm/Error`` `.schemaMismatch` that lists everything that is wrong, each line
    ///   with its class and property; nothing else.
    static func schemas(
        of types: [ObjectBase.Type],
        and others: [ClassSchema] = []
    ) throws(Realm.Error) -> [ClassSchema] {
        var seen: Set<ObjectIdentifier> = []
        let declared = types.filter { seen.insert(ObjectIdentifier($0)).inserted }
        let schemas = (declared.map { ClassSchema.of($0) } + others)
            .sorted {
                ($0.name, ClassName.qualified($0.type)) < ($1.name, ClassName.qualified($1.type))
            }
        var checker = SchemaChecker(schemas)
        checker.check()
        guard checker.errors.isEmpty else {
            throw Realm.Error(
                .schemaMismatch,
                "Schema validation failed due to the following errors:\n"
                    + checker.errors.map { "- \($0)" }.joined(separator: "\n")
            )
        }
        return schemas
    }
}

/// Finds what is wrong with classes taken together.
private struct SchemaChecker {
    let schemas: [ClassSchema]
    var errors: [String] = []
    private var byName: [String: ClassSchema] = [:]

    init(_ schemas: [ClassSchema]) { self.schemas = schemas }

    mutating func check() {
        for schema in schemas {
            errors += schema.errors
            if let other = byName.updateValue(schema, forKey: schema.name) {
                errors.append(
                    "Classes '\(ClassName.qualified(other.type))' and "
                        + "'\(ClassName.qualified(schema.type))' are both named '\(schema.name)'. "
                        + "List the ones to store in Realm.Configuration.objectTypes, or give "
                        + "one another name with _realmObjectName()."
                )
            }
        }
        for schema in schemas {
            for property in schema.properties { check(property, of: schema) }
        }
        checkEmbedded()
    }

    private mutating func check(_ property: PropertySchema, of schema: ClassSchema) {
        guard let target = property.targetName else { return }
        guard let targetSchema = byName[target] else {
            errors.append(
                "Property '\(schema.name).\(property.name)' of type '\(property.shape.type)' has "
                    + "unknown object type '\(target)'"
            )
            return
        }
        guard property.shape.type == .linkingObjects, let origin = property.origin else { return }
        let subject =
            "Property '\(target).\(origin)' declared as origin of linking objects "
            + "property '\(schema.name).\(property.name)'"
        guard let source = targetSchema.property(named: origin) else {
            errors.append("\(subject) does not exist")
            return
        }
        if source.shape.type != .object {
            errors.append("\(subject) is not a link")
        } else if source.targetName != schema.name {
            errors.append("\(subject) links to type '\(source.targetName ?? "?")'")
        }
    }

    /// Every embedded class must be reachable, and none may contain itself.
    private mutating func checkEmbedded() {
        var reached: Set<String> = []
        var reportedCycles: Set<Set<String>> = []
        func visit(_ schema: ClassSchema, _ path: [String]) -> [[String]] {
            var cycles: [[String]] = []
            for property in schema.properties where property.shape.type == .object {
                guard let name = property.targetName, let target = byName[name],
                    target.isEmbedded
                else { continue }
                if let start = path.firstIndex(of: name) {
                    cycles.append(Array(path[start...]) + [name])
                } else if reached.insert(name).inserted || schema.isEmbedded {
                    cycles += visit(target, path + [name])
                }
            }
            return cycles
        }
        var cycles: [[String]] = []
        for schema in schemas where !schema.isEmbedded { cycles += visit(schema, []) }
        for cycle in cycles where reportedCycles.insert(Set(cycle)).inserted {
            errors.append(
                "Cycles containing embedded objects are not currently supported: "
                    + "'\(cycle.joined(separator: "."))'"
            )
        }
        for schema in schemas where schema.isEmbedded && !reached.contains(schema.name) {
            errors.append(
                "Embedded object '\(schema.name)' is unreachable by any link path from top level "
                    + "objects."
            )
        }
    }
}
