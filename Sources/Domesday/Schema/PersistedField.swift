/// What the object layer does with a `Persisted<Value>` it knows only by its place in an object.
protocol PersistedField {
    static var shape: PropertyShape { get }
    /// The type of the value, without the wrapper.
    static var valueType: Any.Type { get }
    /// Bytes of the wrapper in an object.
    static var byteCount: Int { get }

    /// Empties the wrapper: the value is in the store from now on.
    static func clear(_ slot: UnsafeMutableRawPointer)

    /// An empty wrapper, never deallocated.
    static func makeEmpty() -> UnsafeRawPointer

    /// Copies the value of one wrapper to another of the same type.
    static func move(from: UnsafeMutableRawPointer, to: UnsafeMutableRawPointer)

    /// The value as anyone sees it, nil for nil.
    static func value(of object: ObjectBase, at offset: Int) -> Any?

    /// Whether a dynamic value, which is no object or object's contents, can be of the type.
    static func accepts(_ value: Any) -> Bool

    /// As `value`, but throws for a stored value that the type cannot be.
    static func tryValue(of object: ObjectBase, at offset: Int) throws -> Any?

    /// Sets a dynamic value. False if it cannot be of the property's type.
    static func setValue(_ value: Any, of object: ObjectBase, at offset: Int) -> Bool

    /// Writes the wrapper's value to a row, skipping equal ones if `onlyChanges`; a collection
    /// becomes the row's view.
    static func store(_ slot: UnsafeMutableRawPointer, _ place: PropertyPlace, onlyChanges: Bool)
}

extension PersistedField {
    static func tryValue(of object: ObjectBase, at offset: Int) throws -> Any? {
        value(of: object, at: offset)
    }
}

extension Persisted: PersistedField {
    static var shape: PropertyShape { Value._shape }
    static var valueType: Any.Type { Value.self }
    static var byteCount: Int { MemoryLayout<Self>.size }

    static func slot(in object: ObjectBase, at offset: Int) -> UnsafeMutablePointer<Self> {
        // SAFETY: the class's field table says that a wrapper of this type lies there.
        object.slot(at: offset).assumingMemoryBound(to: Self.self)
    }

    static func clear(_ slot: UnsafeMutableRawPointer) {
        slot.assumingMemoryBound(to: Self.self).pointee.value = nil
    }

    static func makeEmpty() -> UnsafeRawPointer {
        let memory = UnsafeMutablePointer<Self>.allocate(capacity: 1)
        memory.initialize(to: Self(managed: ()))
        return UnsafeRawPointer(memory)
    }

    static func move(from: UnsafeMutableRawPointer, to: UnsafeMutableRawPointer) {
        to.assumingMemoryBound(to: Self.self).pointee.value =
            from.assumingMemoryBound(to: Self.self).pointee.value
    }

    static func value(of object: ObjectBase, at offset: Int) -> Any? {
        let slot = slot(in: object, at: offset)
        guard let control = object.objectBinding.control else {
            return slot.pointee.value.flatMap { DynamicValue.unwrapped($0) }
        }
        if Value._isView { return view(object, control, slot, offset) }
        guard object.becomeCurrent(control, offset) else { return nil }
        return DynamicValue.unwrapped(
            Value._read(
                PropertyPlace(object.objectBinding, control, column: control.column(at: offset))
            )
        )
    }

    static func accepts(_ value: Any) -> Bool { Value._convert(value) != nil }

    static func tryValue(of object: ObjectBase, at offset: Int) throws -> Any? {
        guard let control = object.objectBinding.control, !Value._isView else {
            let value = value(of: object, at: offset)
            try (value as? any TriedCollection)?.tryElements()
            return value
        }
        guard object.becomeCurrent(control, offset) else { return nil }
        return DynamicValue.unwrapped(
            try Value._tryRead(
                PropertyPlace(object.objectBinding, control, column: control.column(at: offset))
            )
        )
    }

    static func setValue(_ value: Any, of object: ObjectBase, at offset: Int) -> Bool {
        guard let value = Value._convert(value) else { return false }
        if let control = object.objectBinding.control {
            write(value, object, control, offset)
        } else {
            let slot = slot(in: object, at: offset)
            if Value._isView { assign(value, slot) } else { slot.pointee.value = value }
        }
        return true
    }

    static func store(_ slot: UnsafeMutableRawPointer, _ place: PropertyPlace, onlyChanges: Bool) {
        let slot = slot.assumingMemoryBound(to: Self.self)
        guard let value = slot.pointee.value else { return }
        if Value._isView {
            (value as? any OwnedCollection)?.becomeManaged(place)
            return
        }
        if onlyChanges, isUnchanged(value, place) { return }
        Value._write(value, place)
    }

    /// Whether the row has the value already. Floating point is written in any case: -0 equals 0.
    private static func isUnchanged(_ value: Value, _ place: PropertyPlace) -> Bool {
        switch Value._shape.type {
        case .float, .double, .date, .object: return false
        default: break
        }
        guard let new = value as? AnyHashable, let old = Value._read(place) as? AnyHashable else {
            return false
        }
        return new == old
    }
}

/// A collection whose elements may not be what the class expects.
protocol TriedCollection {
    /// Throws for the first element that cannot be read.
    func tryElements() throws
}

/// A collection that lives in a wrapper: unmanaged first, then a view of its owner's row.
protocol OwnedCollection: AnyObject {
    /// Writes the elements to the owner's row and turns into a view of it.
    func becomeManaged(_ place: PropertyPlace)

    /// Takes over the elements of another collection of the same type.
    func assign(_ other: any OwnedCollection)
}
