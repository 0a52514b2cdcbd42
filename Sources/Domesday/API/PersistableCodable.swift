public import Foundation

/// A `Codable` type that a property holds whole: stored as the bytes of its JSON.
///
/// ```swift
/// struct Settings: PersistableCodable, Hashable {
///     var theme = "dark"
///     var sizes: [Int] = []
/// }
/// class User: Object {
///     @Persisted var settings = Settings()
///     @Persisted var former: List<Settings>
/// }
/// ```
///
/// For values that are read and written as a whole and that no query looks into: a query compares them
/// by their bytes (`==`, `!=`, `in`), which are the same for the same contents. Floating-point numbers
/// and dates keep all their bits, infinities and NaN included. What queries, links or
/// single writes need belongs into an `EmbeddedObject`.
///
/// Stored bytes that the type cannot be decoded from, because it has changed or because the property
/// was added to objects that were there, read as nil from an optional property; else they trap, and
/// `tryValue(forKey:)` throws. Give new members a default in `init(from:)`, or make the property
/// optional.
///
/// **Shape.** JSON in UTF-8, keys sorted.
/// **Threads.** A value; coded where the object is used.
///
/// - Precondition: `encode(to:)` does not throw: a property cannot be set to what cannot be encoded.
/// - Complexity: Each read decodes, each write encodes the whole value.
public protocol PersistableCodable: FailableCustomPersistable, Codable
where PersistedType == Data {}

extension PersistableCodable {
    /// Decodes a stored value; nil if it is none of this type.
    public init?(persistedValue: Data) {
        do { self = try StoredJSON.decode(Self.self, persistedValue) } catch { return nil }
    }

    /// The value as it is stored.
    public var persistableValue: Data {
        do { return try StoredJSON.encode(self) } catch {
            fatalError("A value of type '\(Self.self)' cannot be stored: \(error)")
        }
    }
}

private enum StoredJSON {
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return try encoder.encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return try decoder.decode(type, from: data)
    }
}
