// What a set does once it is the view of a row.
extension MutableSet: StoredCollection {
    typealias Stored = Element

    static var realmName: String { "RLMSet" }

    /// The element as the store keeps it, for a search; nil if it cannot be in this set: an object
    /// that is unmanaged or of another Realm.
    private func probe(_ element: Element, _ place: PropertyPlace) -> EncodedElements? {
        let value = DynamicValue.unwrapped(element)
        if let object = value as? ObjectBase {
            guard let target = place.table.targets[column], object.isRow(of: target),
                !object.isInvalidated
            else { return nil }
        }
        switch value as? AnyRealmValue {
        case .object(let object):
            guard let control = object.objectBinding.control, !object.isInvalidated,
                control.realm === place.realm
            else { return nil }
        case .list: return nil
        default: break
        }
        return encoded(CollectionOfOne(element), place)
    }

    func storedPosition(of element: Element) -> Int? {
        let place = place()
        guard let probe = probe(element, place) else { return nil }
        let (position, isFound) = place.search(probe)
        return isFound ? position : nil
    }

    func insertStored(_ elements: some Sequence<Element>) {
        let new = encoded(elements, writablePlace()).sorted()
        place().merge(new, replaces: false)
    }

    func removeStored(_ element: Element) {
        let place = writablePlace()
        guard let probe = probe(element, place) else { return }
        let (position, isFound) = place.search(probe)
        if !isFound { return }
        place.replaceElements(
            position..<(position + 1),
            with: EncodedElements(probe.layout)
        )
    }

    /// Removes the elements for which `body` does not hold.
    func keepStored(where body: (Element) -> Bool) {
        let place = writablePlace()
        var kept = EncodedElements(place.layout)
        var count = 0
        forEachStored { element in
            count += 1
            if body(decode(element)) { kept.append(stored: element.bytes) }
        }
        if kept.count < count { self.place().replaceElements(0..<count, with: kept) }
    }

    func replaceStored(with elements: some Sequence<Element>) {
        let new = encoded(elements, writablePlace()).sorted()
        place().replaceElements(0..<storedCount, with: new)
    }
}

extension MutableSet: OwnedCollection {
    func becomeManaged(_ place: PropertyPlace) {
        let stored = MutableSet(place)
        // Another object's set: this row gets a copy.
        if isManaged { return stored.replaceContents(with: self) }
        stored.replaceStored(with: members.elements)
        members = UnmanagedMembers()
        attach(place)
    }

    func assign(_ other: any OwnedCollection) {
        if let other = other as? MutableSet { replaceContents(with: other) }
    }
}

/// The elements of a set that is not managed, in the order of their insertion.
///
/// They are told apart as in a managed set: text by its bytes, and NaN is one element.
struct UnmanagedMembers<Element: RealmCollectionValue> {
    private var members: [AnyHashable: (number: Int, element: Element)] = [:]
    private var nextNumber = 0
    private var ordered: [Element]?

    var count: Int { members.count }

    /// All of them.
    ///
    /// - Complexity: O(*n* log *n*) after a change, else O(1).
    var elements: [Element] {
        mutating get {
            if let ordered { return ordered }
            let elements = members.values.sorted { $0.number < $1.number }.map(\.element)
            ordered = elements
            return elements
        }
    }

    func contains(_ element: Element) -> Bool { found(element) != nil }

    mutating func insert(_ element: Element) {
        if found(element) != nil { return }
        members[Self.identity(of: element)] = (nextNumber, element)
        nextNumber += 1
        if ordered != nil { ordered?.append(element) }
    }

    mutating func remove(_ element: Element) {
        guard let identity = found(element) else { return }
        members.removeValue(forKey: identity)
        ordered = nil
    }

    private func found(_ element: Element) -> AnyHashable? {
        let identity = Self.identity(of: element)
        if members[identity] != nil { return identity }
        // An object may have become managed since it was inserted.
        var candidate = element as? ObjectBase
        if case .object(let held) = element as? AnyRealmValue { candidate = held }
        guard let object = candidate, object.objectBinding.control != nil else { return nil }
        let instance = AnyHashable(ObjectIdentifier(object))
        return members[instance] == nil ? nil : instance
    }

    private static func identity(of element: Element) -> AnyHashable {
        switch DynamicValue.unwrapped(element) {
        case let text as String: Array(text.utf8)
        case let object as ObjectBase where object.objectBinding.control == nil:
            ObjectIdentifier(object)
        case let any as AnyRealmValue: identity(ofAny: any)
        // NaN, which differs from itself.
        default: element == element ? AnyHashable(element) : AnyHashable(NotANumber())
        }
    }

    private static func identity(ofAny any: AnyRealmValue) -> AnyHashable {
        switch any {
        case .string(let text): [AnyHashable("text"), Array(text.utf8)]
        case .object(let object) where object.objectBinding.control == nil:
            ObjectIdentifier(object)
        case .list:
            fatalError("A set cannot contain a list. MutableSet<\(Element.self)>, unmanaged.")
        default: any == any ? AnyHashable(any) : [AnyHashable(NotANumber()), any.typeNumber]
        }
    }

    private struct NotANumber: Hashable {}
}
