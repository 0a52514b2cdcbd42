import CRuntime

/// Names properties by their key paths: `\Person.owner?.name` is "owner.name".
///
/// A recording instance of the root class is asked for the key path; its properties note their
/// names and links answer with further recording instances.
///
/// **Threads.** Any; a recording belongs to the call that makes it.
enum KeyPathName {
    /// The dotted Swift names of the properties a key path goes through; nil if it goes through
    /// anything that is no `@Persisted` property.
    static func name<Root: ObjectBase>(of path: PartialKeyPath<Root>) -> String? {
        if let known = known.withLock({ $0.names[path] }) { return known }
        let name = record(path)
        if let name { known.withLock { $0.names[path] = name } }
        return name
    }

    /// The names found so far: a key path written in a program is asked for again and again.
    private static let known = Lock(Names())

    private struct Names: @unchecked Sendable {
        // @unchecked: key paths are immutable, and looked at under the lock only; those of persisted
        // properties capture nothing.
        var names: [AnyKeyPath: String] = [:]
    }

    /// The same for a key path whose root, a class of objects, is known only at run time.
    static func name(of path: AnyKeyPath, in root: ObjectBase.Type) -> String? {
        if let known = known.withLock({ $0.names[path] }) { return known }
        let recording = Recording()
        let name = withExtendedLifetime(recording) {
            let instance: Any = recording.instance(of: root, prefix: "")
            _ = instance[keyPath: path]
            return recording.last
        }
        if let name { known.withLock { $0.names[path] = name } }
        return name
    }

    private static func record<Root: ObjectBase>(_ path: PartialKeyPath<Root>) -> String? {
        let recording = Recording()
        return withExtendedLifetime(recording) {
            let root = recording.instance(of: Root.self, prefix: "")
            _ = root[keyPath: path]
            return recording.last
        }
    }

    /// The control block of recording instances: it makes getters ask `note`.
    // nonisolated(unsafe): immutable once published.
    nonisolated(unsafe) static let recording: UnsafeMutablePointer<ObjectControl> = {
        let control = ObjectControl.allocate(instanceSize: 0)
        control.pointee.isConstructing = true
        return control
    }()

    /// Notes the property stored at `offset`.
    ///
    /// - Returns: What a link leads on with; nil for other types, of which any value will do.
    static func note<Value: _Persistable>(_ object: ObjectBase, _ offset: Int) -> Value? {
        // SAFETY: `instance(of:prefix:)` put the recording there; `name(of:)` keeps it alive.
        let recording = Unmanaged<Recording>.fromOpaque(object.objectBinding.cluster)
            .takeUnretainedValue()
        let schema = ClassSchema.of(type(of: object))
        let prefix = recording.prefixes[Int(object.objectBinding.key)]
        let name = prefix + (schema.property(at: offset)?.name ?? "?")
        recording.last = name
        let shape = Value._shape
        if shape.type == .object, shape.collection == .none, let target = shape.objectClass,
            let next = recording.instance(of: target, prefix: name + ".") as? Value
        {
            return next
        }
        return nil
    }

    private final class Recording {
        var last: String?
        var prefixes: [String] = []

        /// An instance whose getters report here, with `prefix` in front of their names.
        func instance<T: ObjectBase>(of type: T.Type, prefix: String) -> T {
            let object = Construction.blank(type)
            prefixes.append(prefix)
            object.objectBinding.control = KeyPathName.recording
            object.objectBinding.key = ObjectKey(prefixes.count - 1)
            object.objectBinding.cluster = UnsafeRawPointer(
                Unmanaged.passUnretained(self).toOpaque()
            )
            // SAFETY: `blank` made it from this metatype.
            return unsafeDowncast(object, to: type)
        }
    }
}
