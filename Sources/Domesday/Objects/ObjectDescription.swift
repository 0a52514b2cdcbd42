/// The text of an object: class, properties, and what it links to down to a small depth.
enum ObjectDescription {
    static let maximumDepth = 5
    static let maximumElementCount = 1000
    /// Objects in the text of one.
    static let maximumObjectCount = 1000

    static func text(of object: ObjectBase) -> String {
        var rest = maximumObjectCount
        return text(of: object, depth: 0, &rest)
    }

    private static func text(of object: ObjectBase, depth: Int, _ rest: inout Int) -> String {
        let schema = object.classSchema
        let name = schema.isDynamic ? schema.name : type(of: object).className()
        if object.isInvalidated { return "[invalid object]" }
        if depth >= maximumDepth { return "<Maximum depth exceeded>" }
        if rest <= 0 { return "<Maximum number of objects exceeded>" }
        rest -= 1
        var text = "\(name) {\n"
        for property in schema.properties {
            let value = property.field.value(of: object, at: property.offset)
            text += "\t\(property.name) = "
            text += indented(self.text(of: value, property, depth: depth, &rest)) + ";\n"
        }
        return text + "}"
    }

    private static func text(
        of value: Any?,
        _ property: PropertySchema,
        depth: Int,
        _ rest: inout Int
    ) -> String {
        guard let value else { return "(null)" }
        if let object = value as? ObjectBase { return text(of: object, depth: depth + 1, &rest) }
        if let any = value as? AnyRealmValue { return text(of: any, depth: depth + 1, &rest) }
        if property.shape.type == .linkingObjects {
            return "LinkingObjects<\(property.targetName ?? "?")>"
        }
        guard property.shape.collection == .list else { return plain(value) }
        guard let elements = DynamicValue.elements(value) else { return "\(value)" }
        return list(elements, property.shape, depth: depth + 1, &rest)
    }

    /// A value that is no object; a case of an enum as its raw value, which is what is stored.
    private static func plain(_ value: Any) -> String {
        let value = DynamicValue.unwrapped(value)
        return DynamicValue.text((value as? any RawRepresentable)?.rawValue ?? value)
    }

    /// The text of a list's elements, with their indexes.
    static func list(_ elements: some Collection, _ shape: PropertyShape, depth: Int) -> String {
        var rest = maximumObjectCount
        return list(elements, shape, depth: depth, &rest)
    }

    private static func list(
        _ elements: some Collection,
        _ shape: PropertyShape,
        depth: Int,
        _ rest: inout Int
    ) -> String {
        let isNamed = shape.type == .object || shape.type == .linkingObjects
        let name = isNamed && !shape.typeName.isEmpty ? shape.typeName : shape.type.description
        if depth >= maximumDepth { return "<Maximum depth exceeded>" }
        if elements.isEmpty { return "List<\(name)> ()" }
        var text = "List<\(name)> (\n"
        for (index, element) in elements.prefix(maximumElementCount).enumerated() {
            let line =
                (element as? ObjectBase).map { self.text(of: $0, depth: depth, &rest) }
                ?? (element as? AnyRealmValue).map { self.text(of: $0, depth: depth, &rest) }
                ?? plain(element)
            text += "\t[\(index)] \(indented(line)),\n"
        }
        if elements.count > maximumElementCount {
            text += "\t... \(elements.count - maximumElementCount) objects skipped.\n"
        }
        return text + ")"
    }

    /// The text of a value of any type, which may hold objects and lists.
    private static func text(of any: AnyRealmValue, depth: Int, _ rest: inout Int) -> String {
        switch any {
        case .object(let object): text(of: object, depth: depth, &rest)
        case .list(let list): self.list(list, AnyRealmValue._shape, depth: depth, &rest)
        default: DynamicValue.text(any.plainValue)
        }
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t")
    }
}
