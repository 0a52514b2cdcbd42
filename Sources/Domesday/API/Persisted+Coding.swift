public import Foundation

// Models that say `Codable` are coded by code that the compiler writes, which sees the wrappers: one
// by one, without the object. So a wrapper alone must do, or say why it cannot.

extension Persisted: Decodable where Value: Decodable {
    /// The value as its type decodes it, for an unmanaged object; throws what that throws.
    public init(from decoder: any Decoder) throws {
        try CodingDepth.check(decoder.codingPath)
        self.init(decoded: try decoder.singleValueContainer().decode(Value.self))
    }

    fileprivate init(decoded: Value) {
        self.init(managed: ())
        value = decoded
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// The value as its type encodes it.
    ///
    /// - Throws: `EncodingError` for a managed object, whose values are not in the wrappers: encode
    ///   `object.detached()`. What is linked to is detached by itself. Also for objects nested more
    ///   than 128 deep, as those of a cycle are.
    public func encode(to encoder: any Encoder) throws {
        guard let value else { throw CodingDepth.managed(encoder.codingPath) }
        try CodingDepth.check(encoder.codingPath, value)
        // Through a container, so that the coder's own ways with dates and data hold.
        var container = encoder.singleValueContainer()
        if value is ObjectBase {
            try container.encode(AnyObjectCoding(CodingDepth.encodable(value)))
        } else {
            try container.encode(value)
        }
    }
}

extension KeyedDecodingContainer {
    /// A property's value; one whose key is missing gets its declared default, collections are
    /// empty then, and optionals nil.
    ///
    /// - Throws: what the value's type throws; `keyNotFound` for a missing key if the keys are not
    ///   declared inside the class.
    public func decode<Value: Decodable & _Persistable>(
        _ type: Persisted<Value>.Type,
        forKey key: Key
    ) throws -> Persisted<Value> {
        try CodingDepth.check(codingPath)
        if !contains(key) {
            if let value = DeclaredDefault.value(Value.self, for: key) {
                return Persisted(decoded: value)
            }
            if Value.self is any ExpressibleByNilLiteral.Type, let value = Value._convert(NSNull())
            {
                return Persisted(decoded: value)
            }
        }
        return Persisted(decoded: try decode(Value.self, forKey: key))
    }
}

// A managed object is encoded as an unmanaged copy of itself wherever its static type shows that it
// is one.

extension KeyedEncodingContainer {
    /// Encodes an object, a managed one as a copy.
    public mutating func encode<T: ObjectBase & Encodable>(_ value: T, forKey key: Key) throws {
        let object: any Encodable = CodingDepth.unmanaged(value)
        try encode(AnyObjectCoding(object), forKey: key)
    }

    /// Encodes an object that may be missing, a managed one as a copy.
    public mutating func encodeIfPresent<T: ObjectBase & Encodable>(
        _ value: T?,
        forKey key: Key
    ) throws {
        if let value { try encode(value, forKey: key) }
    }
}

extension JSONEncoder {
    /// Encodes an object, a managed one as a copy.
    public func encode<T: ObjectBase & Encodable>(_ value: T) throws -> Data {
        try encode(AnyObjectCoding(CodingDepth.unmanaged(value)))
    }

    /// Encodes objects, managed ones as copies.
    public func encode<T: ObjectBase & Encodable>(_ value: [T]) throws -> Data {
        try encode(value.map { AnyObjectCoding(CodingDepth.unmanaged($0)) })
    }
}

extension PropertyListEncoder {
    /// Encodes an object, a managed one as a copy.
    public func encode<T: ObjectBase & Encodable>(_ value: T) throws -> Data {
        try encode(AnyObjectCoding(CodingDepth.unmanaged(value)))
    }

    /// Encodes objects, managed ones as copies.
    public func encode<T: ObjectBase & Encodable>(_ value: [T]) throws -> Data {
        try encode(value.map { AnyObjectCoding(CodingDepth.unmanaged($0)) })
    }
}

/// An object as what it encodes to, under a static type that is no object's.
struct AnyObjectCoding: Encodable {
    private let object: any Encodable

    init(_ object: any Encodable) { self.object = object }

    func encode(to encoder: any Encoder) throws { try object.encode(to: encoder) }
}

/// How deep objects are coded: an error in place of an overflow of the stack.
enum CodingDepth {
    /// Containers inside each other.
    static let limit = 128

    static func check(_ path: [any CodingKey]) throws {
        guard path.count > limit else { return }
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: path,
                debugDescription: "Objects are nested more than \(limit) levels deep."
            )
        )
    }

    static func check(_ path: [any CodingKey], _ value: Any) throws {
        guard path.count > limit else { return }
        throw EncodingError.invalidValue(
            value,
            .init(
                codingPath: path,
                debugDescription:
                    "Objects are nested more than \(limit) levels deep, or lead back to "
                    + "themselves. Encode object.detached(depth:), or leave links out of CodingKeys."
            )
        )
    }

    static func managed(_ path: [any CodingKey]) -> EncodingError {
        EncodingError.invalidValue(
            (),
            .init(
                codingPath: path,
                debugDescription:
                    "Only unmanaged Realm objects can be encoded using automatic Codable "
                    + "synthesis. Encode object.detached()."
            )
        )
    }

    /// The object, or an unmanaged copy of a managed one.
    static func unmanaged<T: ObjectBase>(_ object: T) -> T {
        object.objectBinding.control == nil ? object : object.detached()
    }

    /// What stands for a value in a coded collection or link.
    static func encodable<T: Encodable>(_ value: T) -> any Encodable {
        guard let object = value as? ObjectBase,
            let copy = unmanaged(object) as? any Encodable
        else { return value }
        return copy
    }
}

extension UnkeyedEncodingContainer {
    /// Encodes the elements in order, managed objects as copies.
    mutating func encode(elements: some Sequence<some Encodable>) throws {
        try CodingDepth.check(codingPath, elements)
        guard let objects = Array(elements) as? [ObjectBase] else {
            for element in elements { try encode(element) }
            return
        }
        // One pass of copying for all: what several lead to is copied once.
        let managed = objects.filter { $0.objectBinding.control != nil }
        var detacher = Detacher()
        var copies = detacher.copies(of: managed, depth: .max).makeIterator()
        for object in objects {
            let plain = object.objectBinding.control == nil ? object : copies.next()
            if let plain = plain as? any Encodable { try encode(AnyObjectCoding(plain)) }
        }
    }
}
