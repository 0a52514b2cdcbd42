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
        guard property.shape.collection != .none else { return plain(value) }
        if property.shape.collection == .map {
            let entries = DynamicValue.entries(value) ?? []
            return map(entries, property.shape, depth: depth + 1, &rest)
        }
        guard let elements = DynamicValue.elements(value) else { return "\(value)" }
        return list(elements, property.shape, depth: depth + 1, &rest)
    }

    /// A value that is no object; a case of an enum as its raw value, which is what is stored.
    private static func plain(_ value: Any) -> String {
        let value = DynamicValue.unwrapped(value)
        return DynamicValue.text((value as? any RawRepresentable)?.rawValue ?? value)
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
        var rest = maximumObjectCount
        return list(elements, shape, named: name, depth: depth, &rest)
    }

    private static func list(
        _ elements: some Collection,
        _ shape: PropertyShape,
        named name: String? = nil,
        depth: Int,
        _ rest: inout Int
    ) -> String {
        let entries = elements.lazy.enumerated().map { (key: "\($0)", value: $1 as Any) }
        return text(
            of: entries,
            count: elements.count,
            "\(name ?? shape.collection.typeName)<\(elementName(shape))>",
            separator: " ",
            depth: depth,
            &rest
        )
    }

    /// The text of a map's entries, with their keys.
    static func map(
        _ entries: [(key: String, value: Any)],
        _ shape: PropertyShape,
        depth: Int
    ) -> String {
        var rest = maximumObjectCount
        return map(entries, shape, depth: depth, &rest)
    }

    private static func map(
        _ entries: [(key: String, value: Any)],
        _ shape: PropertyShape,
        depth: Int,
        _ rest: inout Int
    ) -> String {
        text(
            of: entries,
            count: entries.count,
            "Map<string, \(elementName(shape))>",
            separator: ": ",
            depth: depth,
            &rest
        )
    }

    private static func elementName(_ shape: PropertyShape) -> String {
        let isNamed = shape.type == .object || shape.type == .linkingObjects
        return isNamed && !shape.typeName.isEmpty ? shape.typeName : shape.type.description
    }

    private static func text(
        of entries: some Sequence<(key: String, value: Any)>,
        count: Int,
        _ title: String,
        separator: String,
        depth: Int,
        _ rest: inout Int
    ) -> String {
        if depth >= maximumDepth { return "<Maximum depth exceeded>" }
        if count == 0 { return "\(title) ()" }
        var text = "\(title) (\n"
        for (key, value) in entries.prefix(maximumElementCount) {
            let line =
                (DynamicValue.unwrapped(value) as? ObjectBase)
                .map { self.text(of: $0, depth: depth, &rest) }
                ?? (value as? AnyRealmValue).map { self.text(of: $0, depth: depth, &rest) }
                ?? plain(value)
            text += "\t[\(key)]\(separator)\(indented(line)),\n"
        }
        if count > maximumElementCount {
            text += "\t... \(count - maximumElementCount) objects skipped.\n"
        }
        return text + ")"
    }

    /// The text of a value of any type, which may hold objects and lists.
    private static func text(of any: AnyRealmValue, depth: Int, _ rest: inout Int) -> String {
        switch any {
        case .object(let object): text(of: object, depth: depth, &rest)
        case .list(let list):
            self.list(list, List<AnyRealmValue>._shape, depth: depth, &rest)
        default: DynamicValue.text(any.plainValue)
        }
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t")
    }
}
