// What a map does once it is the view of a row.
extension Map: StoredCollection {
    typealias Stored = Value

    static var realmName: String { "RLMDictionary" }

    /// An element of this key, for a search.
    private func probe(_ key: Key, _ place: PropertyPlace) -> EncodedElements {
        EncodedElements(probing: key._text, place.layout)
    }

    func storedValue(forKey key: Key) -> Value? {
        let place = place()
        let (position, isFound) = place.search(probe(key, place))
        return isFound ? storedValue(at: position) : nil
    }

    /// The entries there are now, by their keys' bytes.
    func storedEntries() -> [(key: Key, value: Value)] {
        var entries: [(key: Key, value: Value)] = []
        forEachStored { entries.append((key(of: $0), decode($0))) }
        return entries
    }

    func storedKeys() -> [Key] {
        var keys: [Key] = []
        forEachStored { keys.append(key(of: $0)) }
        return keys
    }

    private func key(of element: FoundElement) -> Key {
        guard let bytes = element.layout.key(of: element.bytes) else {
            element.place.trapDamagedCollection()
        }
        return Key._key(String(decoding: bytes, as: UTF8.self))
    }

    private func encoded(
        entries: some Sequence<(key: Key, value: Value)>,
        _ place: PropertyPlace
    ) -> EncodedElements {
        var sink = ElementSink(place.layout, place)
        for (key, value) in entries {
            sink.key = key._text
            Value._encode(value, &sink)
        }
        return sink.elements.sorted(keepingLast: true)
    }

    func updateStored(_ entries: some Sequence<(key: Key, value: Value)>) {
        // Encoded first: adding unmanaged objects may change this very map's row.
        let new = encoded(entries: entries, writablePlace())
        place().merge(new, replaces: true)
    }

    func removeStored(_ key: Key) {
        let place = writablePlace()
        let probe = probe(key, place)
        let (position, isFound) = place.search(probe)
        if !isFound { return }
        let range = position..<(position + 1)
        place.replaceElements(
            range,
            with: EncodedElements(probe.layout),
            deleting: place.owned(in: range)
        )
    }

    func replaceStored(with entries: some Sequence<(key: Key, value: Value)>) {
        let new = encoded(entries: entries, writablePlace())
        let place = place()
        let range = 0..<storedCount
        place.replaceElements(range, with: new, deleting: place.owned(in: range))
    }
}

extension Map: OwnedCollection {
    func becomeManaged(_ place: PropertyPlace) {
        let stored = Map(place)
        // Another object's map: this row gets a copy.
        if isManaged { return stored.replaceContents(with: self) }
        stored.replaceStored(with: members.entries)
        members = UnmanagedEntries()
        attach(place)
    }

    func assign(_ other: any OwnedCollection) {
        if let other = other as? Map { replaceContents(with: other) }
    }
}

extension Map: KeyedCollection {
    var anyEntries: [(key: String, value: Any)] { entries.map { ($0.key._text, $0.value) } }
}

/// The entries of a map that is not managed, by the bytes of their keys, as in a managed one.
struct UnmanagedEntries<Key: _MapKey, Value: RealmCollectionValue> {
    private var values: [MapKeyText: Value] = [:]
    private var ordered: [(key: Key, value: Value)]?

    var count: Int { values.count }

    /// All of them, ascending.
    ///
    /// - Complexity: O(*n* log *n*) after a change, else O(1).
    var entries: [(key: Key, value: Value)] {
        mutating get {
            if let ordered { return ordered }
            let entries = values.sorted { $0.key < $1.key }
                .map { (key: Key._key($0.key.text), value: $0.value) }
            ordered = entries
            return entries
        }
    }

    subscript(key: Key) -> Value? {
        get { values[MapKeyText(key._text)] }
        set {
            let text = MapKeyText(key._text)
            if let newValue {
                values.updateValue(newValue, forKey: text)
            } else {
                values.removeValue(forKey: text)
            }
            ordered = nil
        }
    }
}
