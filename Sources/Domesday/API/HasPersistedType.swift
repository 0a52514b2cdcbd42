public import Foundation

// What is stored for the types that need no conversion: themselves; for links, the object.

extension Int: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = Int
}

extension Int8: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = Int8
}

extension Int16: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = Int16
}

extension Int32: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = Int32
}

extension Int64: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = Int64
}

extension Bool: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = Bool
}

extension Float: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = Float
}

extension Double: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = Double
}

extension String: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = String
}

extension Data: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = Data
}

extension Date: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = Date
}

extension UUID: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = UUID
}

extension ObjectId: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = ObjectId
}

extension Decimal128: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = Decimal128
}

extension AnyRealmValue: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = AnyRealmValue
}

extension ObjectBase: _HasPersistedType {
    /// What is stored.
    public typealias PersistedType = ObjectBase
}

extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
    /// As of what it wraps.
    public typealias PersistedType = Wrapped.PersistedType
}
