// What the members promise stands at the requirements they meet.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension ObjectBase: RealmFetchable, _RealmCollectionValueInsideOptional {
    public static var _shape: PropertyShape {
        var shape = PropertyShape(.object)
        shape.objectClass = self
        shape.typeName = className()
        return shape
    }

    /// Links have no default of their own: they are optional.
    public static func _rlmDefaultValue() -> Self {
        fatalError("Object property of class '\(className())' must be marked as optional.")
    }

    public static func _read(_ place: PropertyPlace) -> Self {
        guard let object = _readOptional(place) else {
            place.trapDamaged("a required link leads to no object")
        }
        return object
    }

    public static func _readOptional(_ place: PropertyPlace) -> Self? {
        let key = place.view.int(place.column, place.row)
        return key == 0 ? nil : place.object(self, key)
    }

    public static func _write(_ value: ObjectBase, _ place: PropertyPlace) {
        place.store(link: value)
    }

    public static func _writeNil(_ place: PropertyPlace) { place.store(link: nil) }

    public static func _convert(_ value: Any) -> Self? {
        if let object = value as? Self { return object }
        // Another class's object, a dictionary or an array: the contents of a new object.
        guard !(value is ObjectBase), DynamicValue.isObjectContents(value) else { return nil }
        return DynamicValue.object(self, from: value)
    }

    public static func _decode(_ element: StoredElement) -> Self {
        element.place.object(self, element.load(as: Int64.self))
    }

    public static func _encode(_ value: ObjectBase, _ sink: inout ElementSink) {
        let shape = sink.elements.layout.shape
        sink.append(number: sink.place.key(ofLinked: value, in: shape))
    }
}
