import Foundation
import Testing

@testable import Domesday

@Suite("Sections and erased collections")
struct SectionedResultsTests {
    private func makeRealm(_ folder: TemporaryFolder) throws -> Realm {
        let realm = try Realm(configuration: DynamicWorld.configuration(folder))
        try realm.write {
            for id in 0..<20 {
                realm.create(
                    DynamicZoo.self,
                    value: ["id": id, "string": "s\(id % 3)", "int8": id % 4] as [String: Any]
                )
            }
        }
        return realm
    }

    @Test("objects are grouped by a property, in its order")
    func byKeyPath() throws {
        let folder = try TemporaryFolder()
        let all = try makeRealm(folder).objects(DynamicZoo.self)
        let sections = all.sectioned(by: \.string)
        #expect(sections.allKeys == ["s0", "s1", "s2"] && sections.count == 3)
        #expect(sections[1].key == "s1" && sections[1].id == "s1" && sections[1].count == 7)
        #expect(sections[1].map(\.id) == [1, 4, 7, 10, 13, 16, 19])
        #expect(sections[IndexPath(indexes: [2, 1])].id == 5)
        #expect(sections.map(\.key) == sections.allKeys)
        let down = all.sectioned(by: \.string, ascending: false)
        #expect(down.allKeys == ["s2", "s1", "s0"])
        let sorted = all.sectioned(
            by: \.string,
            sortDescriptors: ["string", SortDescriptor(keyPath: "id", ascending: false)]
        )
        #expect(sorted[0].first?.id == 18 && sorted[0].last?.id == 0)
        #expect(all.filter("id < 2").sectioned(by: \.string).allKeys == ["s0", "s1"])
        #expect(all.filter("id > 99").sectioned(by: \.string).isEmpty)
        #expect(sections == sections && sections != sorted && sections[0] == sections[0])
        #expect(
            sections.description.hasPrefix(
                "SectionedResults<String, DynamicZoo> (\n\ts0 ResultsSection<DynamicZoo> ("
            )
        )
    }

    @Test("keys told by a block are one section each, wherever they stand")
    func byBlock() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        let all = realm.objects(DynamicZoo.self)
        let sections = all.sectioned(by: { $0.int8 % 2 == 0 }, sortDescriptors: ["id"])
        #expect(
            sections.allKeys == [true, false]
                && sections[0].map(\.id) == Array(stride(from: 0, to: 20, by: 2))
        )
        let parity = all.sectioned(sortDescriptors: ["id"]) { $0.id % 3 }
        var model: [Int: [Int]] = [:]
        for id in 0..<20 { model[id % 3, default: []].append(id) }
        #expect(parity.allKeys == [0, 1, 2])
        for section in parity { #expect(section.map(\.id) == model[section.key]) }
        #expect(
            realm.dynamicObjects("DynamicZoo").sectioned(sortDescriptors: ["id"]) {
                $0.string as? String ?? ""
            }.count == 3
        )
    }

    @Test("sections are live, also inside a write")
    func live() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        let sections = realm.objects(DynamicZoo.self).sectioned(by: \.string)
        let second = sections[1]
        try realm.write {
            for zoo in realm.objects(DynamicZoo.self).filter("string == 's1'") { zoo.string = "z" }
            #expect(sections.allKeys == ["s0", "s2", "z"] && second.isEmpty)
            realm.create(DynamicZoo.self, value: ["id": 100, "string": "s1"] as [String: Any])
            #expect(second.map(\.id) == [100])
        }
        #expect(sections.allKeys == ["s0", "s1", "s2", "z"] && sections[3].count == 7)
        #expect(sections.realm == realm && !sections.isInvalidated)
        try realm.write { realm.deleteAll() }
        #expect(sections.isEmpty && second.isEmpty)
    }

    @Test("an erased collection is the collection")
    func erased() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        let all = realm.objects(DynamicZoo.self)
        try realm.write { all[0].friends.append(objectsIn: all.filter("id < 4")) }
        let collections = [
            AnyRealmCollection(all), AnyRealmCollection(all[0].friends),
            AnyRealmCollection(all[1].groups),
        ]
        #expect(collections.map(\.count) == [20, 4, 1])
        #expect(collections[1].map(\.id) == [0, 1, 2, 3] && collections[1][2].id == 2)
        #expect(collections[1].filter("id > 1").map(\.id) == [2, 3])
        #expect(collections[0].index(of: all[3]) == 3 && collections[0].realm == realm)
        #expect(collections[0] == AnyRealmCollection(all) && collections[0] != collections[1])
        #expect(collections[0].sectioned(by: \.string).count == 3)
        let greatest: Int? = collections[1].max(of: \.id)
        #expect(greatest == 3 && collections[1].description == all[0].friends.description)
        let unmanaged = AnyRealmCollection(DynamicZoo().ints)
        #expect(unmanaged.isEmpty && unmanaged.realm == nil && !unmanaged.isFrozen)
    }

    @Test("what makes no sections traps")
    func traps() async {
        let none = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let folder = try TemporaryFolder()
            let realm = try Realm(configuration: DynamicWorld.configuration(folder))
            _ = realm.objects(DynamicZoo.self).sectioned(sortDescriptors: []) { $0.id }
        }
        #expect(
            expectOutput(
                none?.standardErrorContent,
                says: "Can not section Results with empty sortDescriptor parameter."
            )
        )
        let other = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let folder = try TemporaryFolder()
            let realm = try Realm(configuration: DynamicWorld.configuration(folder))
            _ = realm.objects(DynamicZoo.self).sectioned(by: \.string, sortDescriptors: ["id"])
        }
        #expect(
            expectOutput(
                other?.standardErrorContent,
                says: "The section key path must match the primary sort descriptor."
            )
        )
    }
}
