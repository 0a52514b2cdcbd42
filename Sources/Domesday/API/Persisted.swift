public import CRuntime

/// Marks a property of an `Object` or `EmbeddedObject` as stored.
///
/// While the object is unmanaged the value lies in the wrapper; once it is managed every access
/// reads or writes the store.
///
/// **Shape.** `nil` means managed, except that a view of the store, once made, is kept.
/// **Threads.** As the object.
@propertyWrapper
@frozen
public struct Persisted<Value: _Persistable> {
    @usableFromInline var value: Value?

    /// A property with the default value of its type.
    @inlinable @inline(__always)
    public init() { self.init(marked: [], default: Value._rlmDefaultValue()) }

    /// A property with a default of its own.
    @inlinable @inline(__always)
    public init(wrappedValue: @autoclosure () -> Value) {
        self.init(marked: .hasDefault, default: wrappedValue())
    }

    /// Not for use: `@Persisted` outside an `Object` or `EmbeddedObject` does not compile.
    @available(
        *,
        unavailable,
        message: "@Persisted works only in classes that inherit from Object or EmbeddedObject"
    )
    public var wrappedValue: Value {
        get { fatalError("@Persisted outside an Object") }
        set { fatalError("@Persisted outside an Object") }
    }

    @inlinable @inline(__always)
    init(
        marked marks: PropertyMarks,
        origin: String? = nil,
        default makeDefault: @autoclosure () -> Value
    ) {
        if !domesday_is_constructing() {
            value = makeDefault()
        } else if domesday_is_sampling() {
            value = Self.sampleValue(marks, origin, makeDefault())
        } else {
            // An accessor: the value is in the store, the default is not wanted.
            value = nil
        }
    }

    /// The wrapper of a managed object: the value is in the store.
    init(managed: Void) { value = nil }

    /// The value in a class's sample; notes how the property was declared.
    @usableFromInline
    @inline(never)
    static func sampleValue(
        _ marks: PropertyMarks,
        _ origin: String?,
        _ makeDefault: @autoclosure () -> Value
    ) -> Value? {
        Construction.record(Self.self, marks, origin)
        let shape = Value._shape
        // A link that is not optional has no default; the schema says so.
        if shape.type == .object, !shape.isOptional, !shape.isCustom, shape.collection == .none {
            return nil
        }
        return makeDefault()
    }

    /// The address of the wrapper inside the object.
    @inlinable @inline(__always)
    static func slot<EnclosingSelf: ObjectBase>(
        _ object: EnclosingSelf,
        _ path: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> UnsafeMutablePointer<Self> {
        // SAFETY: the path leads to a stored property of the object, whose address stays the same
        // while the caller holds the object. Tests would notice if the compiler ever copied it.
        withUnsafeMutablePointer(to: &object[keyPath: path]) { $0 }
    }

    /// Reads or writes the property of an object; a managed one in the store.
    ///
    /// For a managed object it traps on a wrong thread, if the object is gone, and if the store
    /// cannot be read; a set also outside a write and for a primary key. A collection is checked
    /// when it is used, not when it is got.
    ///
    /// - Complexity: Getting a number is O(1), except that the object is looked up by key if
    ///   something has moved since its last use.
    @inlinable
    public static subscript<EnclosingSelf: ObjectBase>(
        _enclosingInstance object: EnclosingSelf,
        wrapped wrappedPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage path: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        @inline(__always) get {
            let slot = slot(object, path)
            guard let control = object.objectBinding.control else {
                return slot.pointee.value.unsafelyUnwrapped
            }
            let offset = offset(of: slot, in: object)
            if Value._isView { return view(object, control, slot, offset) }
            if !control.isCurrent(object.objectBinding), !object.becomeCurrent(control, offset) {
                return declaredDefault(object, offset)
            }
            return Value._read(
                PropertyPlace(object.objectBinding, control, column: control.column(at: offset))
            )
        }
        @inline(__always) set {
            let slot = slot(object, path)
            guard let control = object.objectBinding.control else {
                if Value._isView { assign(newValue, slot) } else { slot.pointee.value = newValue }
                return
            }
            let offset = offset(of: slot, in: object)
            if !Value._isView, control.isCurrent(object.objectBinding), control.pointee.isWritable,
                control.isUnguarded(at: offset),
                Value._overwrite(
                    newValue,
                    PropertyPlace(
                        object.objectBinding,
                        control,
                        column: control.column(at: offset)
                    )
                )
            {
                return
            }
            write(newValue, object, control, offset)
        }
    }

    @inlinable @inline(__always)
    static func offset(of slot: UnsafeMutablePointer<Self>, in object: ObjectBase) -> Int {
        UnsafeRawPointer(slot) - UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    }

    @usableFromInline
    @inline(never)
    static func declaredDefault(_ object: ObjectBase, _ offset: Int) -> Value {
        if object.objectBinding.control == KeyPathName.recording,
            let next = KeyPathName.note(object, offset) as Value?
        {
            return next
        }
        let sample = ClassSchema.of(type(of: object)).sample
        guard let value = slot(in: sample, at: offset).pointee.value else {
            return Value._rlmDefaultValue()
        }
        return value
    }

    @usableFromInline
    @inline(never)
    static func view(
        _ object: ObjectBase,
        _ control: UnsafeMutablePointer<ObjectControl>,
        _ slot: UnsafeMutablePointer<Self>,
        _ offset: Int
    ) -> Value {
        if let value = slot.pointee.value { return value }
        if control.pointee.isConstructing { return declaredDefault(object, offset) }
        let value = Value._read(
            PropertyPlace(object.objectBinding, control, column: control.column(at: offset))
        )
        // Several threads may read a frozen object, so nothing is kept in it.
        if !control.pointee.isFrozen { slot.pointee.value = value }
        return value
    }

    /// Sets a collection of an unmanaged object: its elements are copied, as when it is managed.
    @usableFromInline
    @inline(never)
    static func assign(_ value: Value, _ slot: UnsafeMutablePointer<Self>) {
        guard let current = slot.pointee.value as? any OwnedCollection,
            let value = value as? any OwnedCollection
        else {
            slot.pointee.value = value
            return
        }
        current.assign(value)
    }

    @usableFromInline
    @inline(never)
    static func write(
        _ value: Value,
        _ object: ObjectBase,
        _ control: UnsafeMutablePointer<ObjectControl>,
        _ offset: Int
    ) {
        guard control.isCurrent(object.objectBinding) || object.becomeCurrent(control, offset)
        else { return }
        object.requireWritable(control, offset)
        let place = PropertyPlace(
            object.objectBinding,
            control,
            column: control.column(at: offset)
        )
        if control.guards(at: offset).contains(.isFixed) { place.refuseChange() }
        Value._write(value, place)
    }
}

// Here and not beside the block, so that no other folder imports C publicly.
extension UnsafeMutablePointer where Pointee == ObjectControl {
    /// Whether `binding` may be used at once: right thread, nothing moved, not invalidated.
    @inlinable
    @inline(__always)
    func isCurrent(_ binding: ObjectBinding) -> Bool {
        // `owner` never equals a thread's identity when it is 0.
        (UInt64(truncatingIfNeeded: pointee.owner ^ domesday_thread_identity())
            | ((pointee.epoch ^ binding.position) >> 16)) == 0
    }
}

extension Persisted where Value: _PrimaryKey {
    /// The property that identifies an object within its class.
    @inlinable @inline(__always)
    public init(primaryKey: Bool) {
        self.init(marked: primaryKey ? .primaryKey : [], default: Value._rlmDefaultValue())
    }

    /// The property that identifies an object within its class, with a default of its own.
    @inlinable @inline(__always)
    public init(wrappedValue: @autoclosure () -> Value, primaryKey: Bool) {
        self.init(
            marked: primaryKey ? [.primaryKey, .hasDefault] : .hasDefault,
            default: wrappedValue()
        )
    }
}

extension Persisted where Value: _Indexable {
    /// A property that queries find through an index.
    @inlinable @inline(__always)
    public init(indexed: Bool) {
        self.init(marked: indexed ? .indexed : [], default: Value._rlmDefaultValue())
    }

    /// A property that queries find through an index, with a default of its own.
    @inlinable @inline(__always)
    public init(wrappedValue: @autoclosure () -> Value, indexed: Bool) {
        self.init(
            marked: indexed ? [.indexed, .hasDefault] : .hasDefault,
            default: wrappedValue()
        )
    }
}

extension Persisted where Value: _QueryString {
    /// A text whose words queries find through an index: `TEXT` and `contains(words:)`.
    @inlinable @inline(__always)
    public init(indexed: TextIndex) {
        self.init(marked: .fullText, default: Value._rlmDefaultValue())
    }

    /// A text whose words queries find through an index, with a default of its own.
    @inlinable @inline(__always)
    public init(wrappedValue: @autoclosure () -> Value, indexed: TextIndex) {
        self.init(marked: [.fullText, .hasDefault], default: wrappedValue())
    }
}

extension Persisted where Value: LinkingObjectsProtocol {
    /// The objects that link here through their property of that name.
    @inlinable @inline(__always)
    public init(originProperty: String) {
        self.init(marked: [], origin: originProperty, default: Value._rlmDefaultValue())
    }
}
