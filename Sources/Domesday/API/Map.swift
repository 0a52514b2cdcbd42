/// A collection of values by key that belongs to a property of an object.
///
/// ```swift
/// @Persisted var prices: Map<String, Int>
/// @Persisted var owners: Map<String, Person?>
/// ```
///
/// Unmanaged it holds its entries in memory; once its object is managed it is a live view of the
/// store. Deleting an object sets the values that are this object to nil; their keys stay.
///
/// **Shape.** By the bytes of the keys, ascending. Any text is a key, also the empty one. Iteration
/// visits the entries that were there when it began.
/// **Threads.** As the object it belongs to.
public final class Map<Key: _MapKey, Value: RealmCollectionValue> {
    /// The entries while unmanaged.
    var members = UnmanagedEntries<Key, Value>()
    var binding = ObjectBinding()
    var column = 0

    /// An empty unmanaged map.
    public init() {}

    /// The view of a row's map.
    init(_ place: PropertyPlace) { attach(place) }

    deinit { detach() }

    /// The Realm it is managed by; nil if it is unmanaged or its object is gone.
    public var realm: Realm? { managingRealm }

    /// Whether the object it belongs to is gone, or its Realm was invalidated.
    ///
    /// Traps on a wrong thread.
    public var isInvalidated: Bool { binding.isInvalidated(nil) }

    /// Whether it belongs to a frozen Realm.
    public var isFrozen: Bool { isInFrozenRealm }

    /// How many entries there are.
    ///
    /// - Complexity: O(1).
    public var count: Int { isManaged ? storedCount : members.count }

    /// Whether there are none.
    public var isEmpty: Bool { count == 0 }

    var entries: [(key: Key, value: Value)] { isManaged ? storedEntries() : members.entries }

    /// All keys, ascending by their bytes.
    public var keys: [Key] { isManaged ? storedKeys() : members.entries.map(\.key) }

    /// All values, in the order of their keys.
    public var values: [Value] { isManaged ? storedValues() : members.entries.map(\.value) }

    /// The value of a key, nil if there is none.
    ///
    /// Setting nil removes the key; a nil value of an optional type is stored with
    /// `updateValue(nil, forKey:)`, or as `.some(nil)`.
    ///
    /// - Complexity: O(log *n*); to set, and what the store moves to make room.
    public subscript(key: Key) -> Value? {
        get { isManaged ? storedValue(forKey: key) : members[key] }
        set {
            if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
        }
    }

    /// Whether an entry satisfies a condition.
    ///
    /// - Complexity: O(*n*).
    public func contains(where predicate: (_ key: Key, _ value: Value) throws -> Bool) rethrows
        -> Bool
    {
        for (key, value) in entries where try predicate(key, value) { return true }
        return false
    }

    /// Whether the key has a value, which may be nil.
    ///
    /// - Complexity: O(log *n*).
    public func contains(key: Key) -> Bool { self[key] != nil }

    /// As `==`, for any value.
    public func isEqual(_ object: Any?) -> Bool { (object as? Map).map { self == $0 } ?? false }

    /// The value of a key, nil if there is none.
    public func value(forKey key: String) -> Any? {
        self[Key._key(key)].flatMap { DynamicValue.unwrapped($0) }
    }

    /// Sets the value of a key; nil is stored where values may be nil, else it removes the key.
    ///
    /// - Precondition: as `updateValue`; the value is of the map's type: "Could not convert value
    ///   'v' to type 'T'."
    public func setValue(_ value: Any?, forKey key: String) {
        let plain = value.flatMap { DynamicValue.unwrapped($0) }
        if plain == nil, !Value._shape.isOptional { return removeObject(for: Key._key(key)) }
        guard let converted = Value._convert(value as Any) else {
            fatalError(
                "Could not convert value '\(DynamicValue.text(value))' to type '\(Value.self)'."
            )
        }
        updateValue(converted, forKey: Key._key(key))
    }
}

@available(*, unavailable, message: "maps are confined to their Realm's thread, queue or actor")
extension Map: Sendable {}

// All changes to a managed map need a write transaction: "Cannot modify managed RLMDictionary
// outside of a write transaction." Unmanaged objects put into a managed map become managed.
extension Map {
    /// Sets the value of a key; an embedded object that it replaces is deleted.
    public func updateValue(_ value: Value, forKey key: Key) {
        if isManaged {
            updateStored(CollectionOfOne((key: key, value: value)))
        } else {
            members[key] = .some(value)
        }
    }

    /// Removes a key and its value, if it is there; an embedded object is deleted.
    public func removeObject(for key: Key) {
        if isManaged { removeStored(key) } else { members[key] = nil }
    }

    /// Removes all entries; embedded objects are deleted.
    public func removeAll() {
        if isManaged { replaceStored(with: []) } else { members = UnmanagedEntries() }
    }

    /// Adds entries; `combine` decides, of the value that is there and the new one, which a key
    /// that has both gets.
    ///
    /// - Throws: what `combine` throws; nothing is changed then.
    /// - Complexity: O(*n* + *m* log *m*) for many, *m* = new entries.
    public func merge<S: Sequence>(
        _ sequence: S,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S.Element == (key: Key, value: Value) {
        var new: [MapKeyText: (key: Key, value: Value)] = [:]
        for (key, value) in sequence {
            let text = MapKeyText(key._text)
            guard let old = new[text]?.value ?? self[key] else {
                new[text] = (key, value)
                continue
            }
            let combined = try combine(old, value)
            // An object that stays where it is needs no storing, and an embedded one refuses it.
            if let object = DynamicValue.unwrapped(combined) as? ObjectBase, combined == old,
                object.objectBinding.control != nil, new[text] == nil
            {
                continue
            }
            new[text] = (key, combined)
        }
        if isManaged { return updateStored(new.values) }
        for (key, value) in new.values { members[key] = .some(value) }
    }

    /// Adds the entries of another map.
    ///
    /// - Throws: what `combine` throws; nothing is changed then.
    public func merge(
        _ dictionary: Map<Key, Value>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(dictionary.entries, uniquingKeysWith: combine)
    }

    /// Gives the map the entries of another; nothing if they are the same.
    func replaceContents(with other: Map) {
        if self === other || (isManaged && self == other) { return }
        let entries = other.entries
        if isManaged { return replaceStored(with: entries) }
        members = UnmanagedEntries()
        for (key, value) in entries { members[key] = .some(value) }
    }
}

extension Map: Sequence {
    /// Visits the entries there are now, by their keys' bytes.
    public func makeIterator() -> RLMMapIterator<SingleMapEntry<Key, Value>> {
        RLMMapIterator(entries.map { SingleMapEntry(key: $0.key, value: $0.value) })
    }

    /// The entries as tuples, as a `Dictionary` has them.
    public func asKeyValueSequence() -> KeyValueSequence<Key, Value> { KeyValueSequence(map: self) }

    /// The position of the first entry.
    public var startIndex: MapIndex { MapIndex(offset: 0) }
    /// The position behind the last entry.
    public var endIndex: MapIndex { MapIndex(offset: count) }
    /// The position behind another; whether it is in range is not checked.
    public func index(after i: MapIndex) -> MapIndex { MapIndex(offset: i.offset + 1) }

    /// The entry at a position.
    ///
    /// - Precondition: the position is one of this map as it is: "Index N is out of bounds (must be
    ///   less than M)."
    /// - Complexity: O(*n*).
    public subscript(position: MapIndex) -> SingleMapEntry<Key, Value> {
        let entries = entries
        guard position.offset < entries.count else {
            fatalError(
                "Index \(position.offset) is out of bounds (must be less than \(entries.count))."
            )
        }
        let (key, value) = entries[position.offset]
        return SingleMapEntry(key: key, value: value)
    }
}

extension Map: RealmKeyedCollection {}

extension Map: Equatable {
    /// Managed maps are equal if they are the same property of the same object, unmanaged ones if
    /// they have the same entries.
    public static func == (a: Map, b: Map) -> Bool {
        a === b
            || a.isSamePlace(as: b)
                ?? a.entries.elementsEqual(b.entries) {
                    MapKeyText($0.key._text) == MapKeyText($1.key._text) && $0.value == $1.value
                }
    }
}

extension Map: CustomStringConvertible {
    /// The entries with their keys; large maps and deep objects are cut short.
    public var description: String { ObjectDescription.map(anyEntries, Value._shape, depth: 0) }
}
