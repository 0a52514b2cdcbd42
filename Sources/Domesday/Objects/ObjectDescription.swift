/// The text of an object: class, properties, and what it links to down to a small depth.
enum ObjectDescription {
    static let maximumDepth = 5
    static let maximumElementCount = 1000

    static func text(of object: ObjectBase) -> String { text(of: object, depth: 0) }

    private static func text(of object: ObjectBase, depth: Int) -> String {
        let name = type(of: object).className()
        if object.isInvalidated { return "[invalid object]" }
        if depth >= maximumDepth { return "<Maximum depth exceeded>" }
        var text = "\(name) {\n"
        for property in ClassSchema.of(type(of: object)).properties {
            let value = property.field.value(of: object, at: property.offset)
            text += "\t\(property.name) = "
            text += indented(self.text(of: value, property, depth: depth)) + ";\n"
        }
        return text + "}"
    }

    private static func text(of value: Any?, _ property: PropertySchema, depth: Int) -> String {
        guard let value else { return "(null)" }
        if let object = value as? ObjectBase { return text(of: object, depth: depth + 1) }
        if let any = value as? AnyRealmValue { return text(of: any, depth: depth + 1) }
        if property.shape.type == .linkingObjects {
            return "LinkingObjects<\(property.targetName ?? "?")>"
        }
        guard property.shape.collection == .list else { return "\(value)" }
        guard let elements = DynamicValue.elements(value) else { return "\(value)" }
        return list(elements, property.shape, depth: depth + 1)
    }

    /// The text of a list's elements, with their indexes.
    static func list(_ elements: some Collection, _ shape: PropertyShape, depth: Int) -> String {
        let name = shape.typeName.isEmpty ? shape.type.description : shape.typeName
        if depth >= maximumDepth { return "<Maximum depth exceeded>" }
        if elements.isEmpty { return "List<\(name)> ()" }
        var text = "List<\(name)> (\n"
        for (index, element) in elements.prefix(maximumElementCount).enumerated() {
            let line =
                (element as? ObjectBase).map { self.text(of: $0, depth: depth) }
                ?? (element as? AnyRealmValue).map { self.text(of: $0, depth: depth) }
                ?? DynamicValue.text(element)
            text += "\t[\(index)] \(indented(line)),\n"
        }
        if elements.count > maximumElementCount {
            text += "\t... \(elements.count - maximumElementCount) objects skipped.\n"
        }
        return text + ")"
    }

    /// The text of a value of any type, which may hold objects and lists.
    private static func text(of any: AnyRealmValue, depth: Int) -> String {
        switch any {
        case .object(let object): text(of: object, depth: depth)
        case .list(let list): self.list(list, AnyRealmValue._shape, depth: depth)
        default: DynamicValue.text(any.plainValue)
        }
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t")
    }
}
