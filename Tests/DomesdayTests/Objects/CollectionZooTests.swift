import Foundation
import Testing

@testable import Domesday

/// How an object came to be what it is.
private enum CollectionState: CaseIterable { case unmanaged, added, created, retrieved }

/// Fills the three collections of an object in one of four ways and holds them against what went in.
private struct StateCheck: ZooCheck {
    let state: CollectionState

    func check<Element: RealmCollectionValue & ModelScalar>(_ type: Element.Type) throws {
        var random = SplitMix64(seed: Scale.seed)
        let values = (0..<40).map { _ in Element.random(&random) }
        let keys = (0..<40).map { _ in String.random(&random) }
        let folder = try TemporaryFolder()
        let configuration = Realm.Configuration(
            fileURL: folder.url.appendingPathComponent("zoo"),
            objectTypes: [Holding<Element>.self]
        )
        let filled = Holding<Element>()
        filled.list.append(objectsIn: values)
        filled.set.insert(objectsIn: values)
        for (key, value) in zip(keys, values) { filled.map[key] = value }
        switch state {
        case .unmanaged: try verify(filled, values, keys)
        case .added:
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(filled) }
            try verify(filled, values, keys)
        case .created:
            let realm = try Realm(configuration: configuration)
            var entries: [String: Any] = [:]
            for (key, value) in filled.map.asKeyValueSequence() { entries[key] = value }
            let contents: [String: Any] = ["list": values, "set": values, "map": entries]
            let object = try realm.write { realm.create(Holding<Element>.self, value: contents) }
            let copy = try realm.write { realm.create(Holding<Element>.self, value: filled) }
            // A dictionary of Swift's knows some different texts as one key.
            if Set(keys).count == Set(keys.map { Array($0.utf8) }).count {
                try verify(object, values, keys)
                try verify(copy, values, keys)
            }
        case .retrieved:
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.add(filled) }
            }
            let realm = try Realm(configuration: configuration)
            let object = try #require(realm.objects(Holding<Element>.self).first)
            try verify(object, values, keys)
        }
    }

    /// Whether the collections hold the values, in every way they can be asked.
    private func verify<Element: RealmCollectionValue & ModelScalar>(
        _ object: Holding<Element>,
        _ values: [Element],
        _ keys: [String]
    ) throws {
        let (list, set, map) = (object.list, object.set, object.map)
        #expect(list.map(\.bits) == values.map(\.bits))
        #expect((0..<list.count).map { list[$0].bits } == values.map(\.bits))
        #expect(list.realm == object.realm && !list.isInvalidated)

        let identities = Set(values.map(setIdentity))
        #expect(set.count == identities.count && Set(set.map(setIdentity)) == identities)
        #expect((0..<set.count).map { setIdentity(set[$0]) } == set.map(setIdentity))
        for value in values { #expect(set.contains(value)) }
        #expect(set.first.map(setIdentity) == set.map(setIdentity).first)
        #expect(set.realm == object.realm && !set.isInvalidated)

        var expected: [[UInt8]: String] = [:]
        for (key, value) in zip(keys, values) { expected[Array(key.utf8)] = value.bits }
        let sorted = expected.keys.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(map.count == expected.count && map.keys.map { Array($0.utf8) } == sorted)
        #expect(map.values.map(\.bits) == sorted.map { expected[$0] })
        #expect(map.map { Array($0.key.utf8) } == sorted)
        for key in keys { #expect(map[key]?.bits == expected[Array(key.utf8)]) }
        #expect(map["absent"] == nil && !map.contains(key: "absent"))
        #expect(map.realm == object.realm && !map.isInvalidated)
        #expect(
            map.description.hasPrefix("Map<string, ") && set.description.hasPrefix("MutableSet<")
        )
        if let realm = object.realm {
            #expect(try realm.findings == [])
            try copy(object, realm)
        }
    }

    /// Assigning collections copies them, also between managed and unmanaged objects.
    private func copy<Element: RealmCollectionValue & ModelScalar>(
        _ object: Holding<Element>,
        _ realm: Realm
    ) throws {
        let unmanaged = Holding<Element>()
        unmanaged.list = object.list
        unmanaged.set = object.set
        unmanaged.map = object.map
        #expect(unmanaged.list.map(\.bits) == object.list.map(\.bits))
        #expect(unmanaged.set.map(setIdentity) == object.set.map(setIdentity))
        #expect(unmanaged.map.values.map(\.bits) == object.map.values.map(\.bits))
        realm.beginWrite()
        let other = realm.create(Holding<Element>.self)
        other.list = unmanaged.list
        other.set = object.set
        other.map = object.map
        other.set = other.set
        other.map = other.map
        #expect(other.list.map(\.bits) == object.list.map(\.bits))
        #expect(other.set.map(\.bits) == object.set.map(\.bits) && other.set != object.set)
        #expect(other.map.keys == object.map.keys && other.map != object.map)
        other.set.removeAll()
        other.map.removeAll()
        #expect(other.set.isEmpty && other.map.isEmpty && !object.set.isEmpty)
        realm.cancelWrite()
    }
}

@Suite("Every collection of every type")
struct CollectionZooTests {
    @Test("holds what was put in, unmanaged", arguments: ZooType.all)
    func unmanaged(_ type: ZooType) throws { try type.run(StateCheck(state: .unmanaged)) }

    @Test("holds what was put in, added", arguments: ZooType.all)
    func added(_ type: ZooType) throws { try type.run(StateCheck(state: .added)) }

    @Test("holds what was put in, created", arguments: ZooType.all)
    func created(_ type: ZooType) throws { try type.run(StateCheck(state: .created)) }

    @Test("holds what was put in, retrieved after reopening", arguments: ZooType.all)
    func retrieved(_ type: ZooType) throws { try type.run(StateCheck(state: .retrieved)) }
}
