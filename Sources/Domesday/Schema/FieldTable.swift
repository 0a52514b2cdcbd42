/// A type that RealmSwift's older models store without a wrapper: `let xs = List<Int>()`.
protocol LegacyProperty {
    /// The type to write behind `@Persisted var`.
    static var persistedType: String { get }
    /// What to write in front of `var`.
    static var attribute: String { get }
}

extension LegacyProperty {
    static var attribute: String { "@Persisted" }
}

/// The stored properties of a class, as the runtime's reflection tells them.
struct FieldTable {
    struct Field {
        let name: String
        /// Bytes from the start of an instance.
        let offset: Int
        let type: any PersistedField.Type
    }

    /// A field that models without `@Persisted` would store.
    struct LegacyField {
        let name: String
        let type: any LegacyProperty.Type
    }

    let legacy: [LegacyField]
    /// Those wrapped by `@Persisted`: inherited first, in the order of declaration.
    let persisted: [Field]
    /// Bytes of an instance.
    let instanceSize: Int
    /// Whether the class or one it inherits from has stored properties beside those.
    let hasOthers: Bool
    /// How many persisted fields each class of the hierarchy declares, the topmost first.
    let countsByClass: [Int]

    init(_ type: ObjectBase.Type) {
        var fields: [Field] = []
        var legacy: [LegacyField] = []
        let fieldCount = reflectionCount(type)
        for index in 0..<fieldCount {
            var description = FieldDescription()
            let fieldType = reflectionChild(type, index: index, fieldMetadata: &description)
            let name = description.name.map { String(cString: $0) } ?? ""
            description.free?(description.name)
            if let type = fieldType as? any LegacyProperty.Type {
                legacy.append(LegacyField(name: name, type: type))
            }
            guard let persisted = fieldType as? any PersistedField.Type else { continue }
            fields.append(
                Field(
                    name: name.hasPrefix("_") ? String(name.dropFirst()) : name,
                    offset: reflectionOffset(type, index: index),
                    type: persisted
                )
            )
        }
        persisted = fields
        self.legacy = legacy
        hasOthers = fieldCount > fields.count + reflectionCount(ObjectBase.self)
        // SAFETY: on Linux class metadata is kind, superclass, flags and address point (u32 each),
        // then the instance size as u32.
        instanceSize = Int(
            unsafeBitCast(type as AnyClass, to: UnsafeRawPointer.self)
                .load(fromByteOffset: 24, as: UInt32.self)
        )
        var counts: [Int] = []
        var current: AnyClass? = type
        var total = fields.count
        while let class_ = current, let model = class_ as? ObjectBase.Type {
            let parent: AnyClass? = _getSuperclass(class_)
            var inherited = 0
            if let parentModel = parent as? ObjectBase.Type {
                inherited = Self.persistedCount(parentModel)
            }
            counts.append(total - inherited)
            total = inherited
            current = parent
            _ = model
        }
        countsByClass = counts.reversed()
    }

    /// The number of persisted fields of a class, inherited ones included.
    static func persistedCount(_ type: ObjectBase.Type) -> Int {
        var count = 0
        for index in 0..<reflectionCount(type) {
            var description = FieldDescription()
            let fieldType = reflectionChild(type, index: index, fieldMetadata: &description)
            description.free?(description.name)
            if fieldType is any PersistedField.Type { count += 1 }
        }
        return count
    }
}

// The entry points behind Mirror: the standard library declares them in this way.

private struct FieldDescription {
    var name: UnsafePointer<CChar>?
    var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
    var isStrong = false
    var isVariable = false
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func reflectionCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func reflectionOffset(_ type: Any.Type, index: Int) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func reflectionChild(
    _ type: Any.Type,
    index: Int,
    fieldMetadata: UnsafeMutablePointer<FieldDescription>
) -> Any.Type
