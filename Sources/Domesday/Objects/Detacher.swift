import Foundation

/// Copies objects, and what they lead to, into unmanaged ones.
///
/// An object that is reached twice is copied once, so cycles stay cycles. Nothing recurses: chains
/// of links may be of any length.
///
/// **Threads.** The objects'.
struct Detacher {
    /// By stored object, or by instance for unmanaged ones.
    private var copies: [ObjectBase: ObjectBase] = [:]
    /// Copies that have no values yet, and how many links may be followed from them.
    private var waiting: [(source: ObjectBase, copy: ObjectBase, depth: Int)] = []
    private var next = 0
    /// As `waiting`, for embedded objects: they come first, so that nothing is reached by a longer
    /// way before a shorter one.
    private var embedded: [(source: ObjectBase, copy: ObjectBase, depth: Int)] = []

    /// The copy of an object, with all values.
    ///
    /// - Parameter depth: How many links to follow; embedded objects belong to their owner.
    mutating func copy(_ object: ObjectBase, depth: Int) -> ObjectBase {
        let copy = entered(object, depth)
        fillAll()
        return copy
    }

    /// The copies of several objects, all with the same depth.
    mutating func copies(of objects: [ObjectBase], depth: Int) -> [ObjectBase] {
        let copies = objects.map { entered($0, depth) }
        fillAll()
        return copies
    }

    private mutating func fillAll() {
        while true {
            if let (source, target, depth) = embedded.popLast() {
                fill(target, from: source, depth)
            } else if next < waiting.count {
                let (source, target, depth) = waiting[next]
                next += 1
                fill(target, from: source, depth)
            } else {
                break
            }
        }
        waiting = []
        next = 0
    }

    private mutating func entered(_ object: ObjectBase, _ depth: Int) -> ObjectBase {
        if let known = copies[object] { return known }
        let copy = object.classSchema.makeObject()
        copies[object] = copy
        if object.classSchema.isEmbedded {
            embedded.append((object, copy, depth))
        } else {
            waiting.append((object, copy, depth))
        }
        return copy
    }

    private mutating func fill(_ copy: ObjectBase, from source: ObjectBase, _ depth: Int) {
        let schema = source.classSchema
        for property in schema.properties where property.isStored {
            let value = property.field.value(of: source, at: property.offset)
            let detached =
                property.shape.type == .object ? links(value, property, depth) : value
            if !property.field.setValue(detached as Any, of: copy, at: property.offset) {
                fatalError(
                    ObjectBase.misfit(detached as Any, property, schema).message
                )
            }
        }
    }

    /// Copies of linked objects; nil or none where the depth is used up, nil as a map's value.
    private mutating func links(
        _ value: Any?,
        _ property: PropertySchema,
        _ depth: Int
    ) -> Any? {
        if property.shape.collection == .none {
            return (value as? ObjectBase).flatMap { link($0, depth) }
        }
        if property.shape.collection == .map {
            var copies: [String: Any] = [:]
            for (key, entry) in value.flatMap({ DynamicValue.entries($0) }) ?? [] {
                let object = DynamicValue.unwrapped(entry) as? ObjectBase
                copies[key] = object.flatMap { link($0, depth) } ?? NSNull()
            }
            return copies
        }
        let elements = value.flatMap { DynamicValue.elements($0) } ?? []
        var copies: [Any] = []
        for case let element as ObjectBase in elements {
            if let copy = link(element, depth) { copies.append(copy) }
        }
        return copies
    }

    private mutating func link(_ object: ObjectBase, _ depth: Int) -> ObjectBase? {
        if object.classSchema.isEmbedded { return entered(object, depth) }
        return depth > 0 ? entered(object, depth - 1) : nil
    }
}
