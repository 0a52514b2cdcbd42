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
        if property.shape.type == .linkingObjects {
            return "LinkingObjects<\(property.targetName ?? "?")>"
        }
        if property.shape.collection == .map {
            return map(DynamicValue.entries(value) ?? [], property.shape, depth: depth + 1)
        }
        guard property.shape.collection != .none, let elements = DynamicValue.elements(value)
        else { return "\(value)" }
        return list(elements, property.shape, depth: depth + 1)
    }

    /// The text of the elements of a list or anything like it, with their indexes.
    ///
    /// - Parameter name: of the collection's type, if not what the shape says.
    static func list(
        _ elements: some Collection,
        _ shape: PropertyShape,
        named name: String? = nil,
        depth: Int
    ) -> String {
        let entries = elements.lazy.enumerated().map { (key: "\($0)", value: $1 as Any) }
        return text(
            of: entries,
            count: elements.count,
            "\(name ?? shape.collection.typeName)<\(elementName(shape))>",
            separator: " ",
            depth: depth
        )
    }

    /// The text of a map's entries, with their keys.
    static func map(
        _ entries: [(key: String, value: Any)],
        _ shape: PropertyShape,
        depth: Int
    ) -> String {
        text(
            of: entries,
            count: entries.count,
            "Map<string, \(elementName(shape))>",
            separator: ": ",
            depth: depth
        )
    }

    private static func elementName(_ shape: PropertyShape) -> String {
        shape.typeName.isEmpty ? shape.type.description : shape.typeName
    }

    private static func text(
        of entries: some Sequence<(key: String, value: Any)>,
        count: Int,
        _ title: String,
        separator: String,
        depth: Int
    ) -> String {
        if depth >= maximumDepth { return "<Maximum depth exceeded>" }
        if count == 0 { return "\(title) ()" }
        var text = "\(title) (\n"
        for (key, value) in entries.prefix(maximumElementCount) {
            let line =
                (DynamicValue.unwrapped(value) as? ObjectBase)
                .map { self.text(of: $0, depth: depth) } ?? DynamicValue.text(value)
            text += "\t[\(key)]\(separator)\(indented(line)),\n"
        }
        if count > maximumElementCount {
            text += "\t... \(count - maximumElementCount) objects skipped.\n"
        }
        return text + ")"
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t")
    }
}
