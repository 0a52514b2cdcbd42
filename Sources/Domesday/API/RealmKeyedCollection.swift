/// A type that can be the key of a `Map`: `String`.
///
/// The conforming types are fixed.
///
/// **Threads.** A value.
public protocol _MapKey: Hashable {
    /// The key as text.
    var _text: String { get }
    /// The key that a text is.
    static func _key(_ text: String) -> Self
}

extension String: _MapKey {
    /// Itself.
    public var _text: String { self }
    /// Itself.
    public static func _key(_ text: String) -> String { text }
}

/// What a `Map` is: a live collection of values with keys.
///
/// The conforming types are fixed.
///
/// **Threads.** As the collection.
public protocol RealmKeyedCollection<Key, Value>: Sequence, ThreadConfined,
    CustomStringConvertible
{
    /// What values are found by.
    associatedtype Key: _MapKey
    /// What it holds.
    associatedtype Value: RealmCollectionValue

    /// How many entries there are.
    var count: Int { get }
    /// All keys, in the order of the collection.
    var keys: [Key] { get }
    /// All values, in the order of their keys.
    var values: [Value] { get }
    /// The value of a key, nil if there is none; setting nil removes the key.
    subscript(key: Key) -> Value? { get set }
    /// Sets the value of a key.
    func updateValue(_ value: Value, forKey key: Key)
    /// Removes a key and its value.
    func removeObject(for key: Key)
    /// Removes everything.
    func removeAll()
    /// The values as a query; there is nothing in it for users.
    var _query: _QuerySource { get }
}

/// One key of a `Map` and its value.
///
/// **Threads.** As the value.
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: Hashable {
    /// The key.
    public let key: Key
    /// The value.
    public let value: Value
}

/// A position in a `Map`, valid until the map changes.
///
/// **Threads.** A value.
public struct MapIndex: Hashable, Comparable, Sendable {
    let offset: Int

    /// Whether one position is before another.
    public static func < (a: MapIndex, b: MapIndex) -> Bool { a.offset < b.offset }
}

/// Visits the entries that a map had when it was made.
///
/// **Threads.** As the map.
public struct RLMMapIterator<Element>: IteratorProtocol {
    private var entries: IndexingIterator<[Element]>

    init(_ entries: [Element]) { self.entries = entries.makeIterator() }

    /// The next entry, nil behind the last.
    public mutating func next() -> Element? { entries.next() }
}

/// Visits the entries that a map had when it was made, as tuples.
public typealias RLMKeyValueIterator<Key: _MapKey, Value: RealmCollectionValue> =
    RLMMapIterator<(key: Key, value: Value)>

/// A map as a sequence of tuples, as a `Dictionary` is one.
///
/// **Threads.** As the map.
public struct KeyValueSequence<Key: _MapKey, Value: RealmCollectionValue>: Sequence {
    let map: Map<Key, Value>

    /// Visits the entries there are now.
    public func makeIterator() -> RLMKeyValueIterator<Key, Value> { RLMMapIterator(map.entries) }
}
