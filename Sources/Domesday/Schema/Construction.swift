import CRuntime

/// How a property was marked in its declaration.
@usableFromInline
struct PropertyMarks: OptionSet, Hashable, Sendable {
    @usableFromInline let rawValue: UInt8

    @usableFromInline
    init(rawValue: UInt8) { self.rawValue = rawValue }

    @usableFromInline static var primaryKey: PropertyMarks { PropertyMarks(rawValue: 1) }
    @usableFromInline static var indexed: PropertyMarks { PropertyMarks(rawValue: 2) }
    /// Declared with a default of its own.
    @usableFromInline static var hasDefault: PropertyMarks { PropertyMarks(rawValue: 4) }
    @usableFromInline static var fullText: PropertyMarks { PropertyMarks(rawValue: 8) }
    @usableFromInline static var unique: PropertyMarks { PropertyMarks(rawValue: 16) }
    /// The rule of a link, where it is not to end links.
    @usableFromInline static var cascade: PropertyMarks { PropertyMarks(rawValue: 32) }
    @usableFromInline static var deny: PropertyMarks { PropertyMarks(rawValue: 64) }
}

/// Runs `init()` of model classes for other purposes than making an unmanaged object.
///
/// Three cases, told apart by the thread's construction state: an accessor is being made (wrappers
/// stay empty), a class's sample is being made (wrappers report how they were declared), or a model
/// is built meanwhile by a property's default expression.
///
/// **Threads.** Any; the state is the thread's.
enum Construction {
    /// What wrappers reported while a sample was made, in the order of their initialisation.
    final class Recorder {
        struct Entry {
            let type: any PersistedField.Type
            let marks: PropertyMarks
            let origin: String?
        }

        let type: ObjectBase.Type
        var entries: [Entry] = []

        init(_ type: ObjectBase.Type) { self.type = type }
    }

    /// Notes one wrapper of a sample.
    static func record(
        _ type: any PersistedField.Type,
        _ marks: PropertyMarks,
        _ origin: String?
    ) {
        recorder(domesday_construction_get())?.entries.append(
            .init(type: type, marks: marks, origin: origin)
        )
    }

    /// Makes the sample of a class and tells how its properties were declared.
    static func sample(of type: ObjectBase.Type) -> (ObjectBase, [Recorder.Entry]) {
        let recorder = Recorder(type)
        let state = domesday_construction_get()
        let saved = state.pointee
        state.pointee.making = domesday_sampling_marker_get()
        state.pointee.recorder = UnsafeRawPointer(Unmanaged.passUnretained(recorder).toOpaque())
        let sample = type.init()
        state.pointee = saved
        return (sample, recorder.entries)
    }

    /// Makes an object whose wrappers are empty and whose `init()` body can neither read nor write
    /// a row; the caller binds its header.
    @inline(__always)
    static func blank(_ type: ObjectBase.Type) -> ObjectBase {
        let state = domesday_construction_get()
        let saved = state.pointee.making
        state.pointee.making = identity(of: type)
        let object = type.init()
        state.pointee.making = saved
        return object
    }

    /// Called by `ObjectBase.init` while the thread constructs: all stored properties have their
    /// initial values, the `init()` bodies of subclasses are still to run.
    static func didInitialize(_ object: ObjectBase) {
        let state = domesday_construction_get()
        let type = type(of: object)
        if domesday_is_sampling() {
            guard let recorder = recorder(state) else { return }
            if recorder.type == type {
                // What init bodies build from now on is ordinary.
                state.pointee.making = nil
            } else {
                recorder.entries.removeLast(
                    min(FieldTable.persistedCount(type), recorder.entries.count)
                )
            }
        } else if state.pointee.making == identity(of: type) {
            object.objectBinding.control = ObjectControl.constructing
            state.pointee.making = nil
        } else {
            fill(object, state)
        }
    }

    /// Another model built by a default expression: its wrappers stayed empty, so their values come
    /// from a second one.
    private static func fill(
        _ object: ObjectBase,
        _ state: UnsafeMutablePointer<domesday_construction>
    ) {
        let saved = state.pointee
        state.pointee.making = nil
        let donor = type(of: object).init()
        for field in FieldTable(type(of: object)).persisted {
            field.type.move(from: donor.slot(at: field.offset), to: object.slot(at: field.offset))
        }
        state.pointee = saved
    }

    private static func identity(of type: ObjectBase.Type) -> UnsafeRawPointer {
        // SAFETY: a class's metatype is a pointer to its metadata; it is only compared.
        unsafeBitCast(type as AnyClass, to: UnsafeRawPointer.self)
    }

    private static func recorder(
        _ state: UnsafeMutablePointer<domesday_construction>
    ) -> Recorder? {
        // SAFETY: set and cleared by `sample(of:)`, which holds the recorder meanwhile.
        state.pointee.recorder.map {
            Unmanaged<Recorder>.fromOpaque($0).takeUnretainedValue()
        }
    }
}

extension ObjectBase {
    /// The address of what is stored `offset` bytes into the object; valid while it is held.
    func slot(at offset: Int) -> UnsafeMutableRawPointer {
        // SAFETY: offsets come from the class's field table.
        Unmanaged.passUnretained(self).toOpaque() + offset
    }
}
