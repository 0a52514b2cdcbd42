import Foundation
import Testing

@testable import Domesday

private class Crate: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var numbers: List<Int>
    @Persisted var texts: MutableSet<String>
    @Persisted var prices: Map<String, Int>
    @Persisted var members: List<Crate>
    @Persisted var anyList: List<AnyRealmValue>
    @Persisted var anySet: MutableSet<AnyRealmValue>
    @Persisted var anyMap: Map<String, AnyRealmValue>
    @Persisted(originProperty: "members") var owners: LinkingObjects<Crate>
}

/// Collections in leaves, through objects. The random histories of all kinds and types of elements
/// (`CollectionModelTests`, `TableModelTests`) run with small leaves as well.
@Suite("Long collections")
struct LongCollectionTests {
    let folder: TemporaryFolder
    let configuration: Realm.Configuration

    init() throws {
        folder = try TemporaryFolder()
        var configuration = Realm.Configuration(
            fileURL: folder.url.appendingPathComponent("long"),
            objectTypes: [Crate.self]
        )
        configuration.leafByteLimit = 200
        configuration.cacheByteLimit = 1 << 16
        self.configuration = configuration
    }

    /// What a crate held at a version.
    private struct Contents: Equatable {
        var numbers: [Int] = []
        var texts: Set<String> = []
        var prices: [String: Int] = [:]

        init() {}

        init(_ crate: Crate) {
            numbers = Array(crate.numbers)
            texts = Set(crate.texts)
            for (key, value) in crate.prices.asKeyValueSequence() { prices[key] = value }
        }

        mutating func change(_ crate: Crate, _ random: inout SplitMix64) {
            let value = Int.random(in: 0..<2000, using: &random)
            let name = "name \(value)"
            switch Int.random(in: 0..<7, using: &random) {
            case 0 where !numbers.isEmpty:
                crate.numbers.remove(at: value % numbers.count)
                numbers.remove(at: value % numbers.count)
            case 1:
                crate.numbers.insert(value, at: value % (numbers.count + 1))
                numbers.insert(value, at: value % (numbers.count + 1))
            case 2 where !numbers.isEmpty:
                crate.numbers[value % numbers.count] = value
                numbers[value % numbers.count] = value
            case 3:
                crate.texts.remove(name)
                texts.remove(name)
            case 4:
                crate.prices[name] = nil
                prices[name] = nil
            case 5:
                crate.prices[name] = value
                prices[name] = value
            default:
                crate.texts.insert(name)
                texts.insert(name)
            }
        }
    }

    @Test("old versions keep their elements while newer ones are written")
    func oldVersions() throws {
        var random = SplitMix64(seed: Scale.seed)
        print("seed \(Scale.seed)")
        let realm = try Realm(configuration: configuration)
        let crate = Crate()
        crate.numbers.append(objectsIn: 0..<300)
        crate.texts.insert(objectsIn: (0..<200).map { "name \($0)" })
        for number in 0..<200 { crate.prices["name \(number)"] = number }
        try realm.write { realm.add(crate) }
        var contents = Contents(crate)
        var kept: [(crate: Crate, contents: Contents)] = []
        for round in 0..<(40 * Scale.factor) {
            let before = contents
            realm.beginWrite()
            for _ in 0..<Int.random(in: 1..<40, using: &random) { contents.change(crate, &random) }
            if round % 10 == 9 {
                realm.cancelWrite()
                contents = before
            } else {
                try realm.commitWrite()
            }
            #expect(Contents(crate) == contents, "round \(round)")
            #expect(crate.texts.allSatisfy { crate.texts.contains($0) })
            #expect(contents.prices.allSatisfy { crate.prices[$0.key] == $0.value })
            kept.append((crate.freeze(), contents))
            if kept.count > 5 { kept.remove(at: round % 5) }
            for old in kept { #expect(Contents(old.crate) == old.contents, "round \(round)") }
        }
        #expect(try realm.findings == [])
    }

    @Test("elements of long lists are moved and exchanged as in an array")
    func moves() throws {
        var random = SplitMix64(seed: Scale.seed)
        let realm = try Realm(configuration: configuration)
        let crate = Crate()
        let members = (1...120).map { Crate(value: ["id": $0]) }
        crate.numbers.append(objectsIn: 0..<3000)
        crate.members.append(objectsIn: members)
        for number in 0..<200 {
            let text = AnyRealmValue.string(String(repeating: "x", count: number % 90))
            crate.anyList.append(number % 5 == 0 ? .object(members[number % 120]) : text)
        }
        try realm.write { realm.add(crate) }
        var numbers = Array(crate.numbers)
        var ids = crate.members.map(\.id)
        var values = Array(crate.anyList)
        func places(_ count: Int) -> (Int, Int) {
            (
                Int.random(in: 0..<count, using: &random),
                Int.random(in: 0..<count, using: &random)
            )
        }
        for round in 0..<(30 * Scale.factor) {
            try realm.write {
                for _ in 0..<4 {
                    let (a, b) = places(numbers.count)
                    crate.numbers.move(from: a, to: b)
                    numbers.insert(numbers.remove(at: a), at: b)
                    let (c, d) = places(ids.count)
                    crate.members.swapAt(c, d)
                    ids.swapAt(c, d)
                    let (e, f) = places(ids.count)
                    crate.members.move(from: e, to: f)
                    ids.insert(ids.remove(at: e), at: f)
                    let (g, h) = places(values.count)
                    crate.anyList.swapAt(g, h)
                    values.swapAt(g, h)
                    crate.anyList.move(from: h, to: 0)
                    values.insert(values.remove(at: h), at: 0)
                }
            }
            #expect(Array(crate.numbers) == numbers, "round \(round)")
            #expect(crate.members.map(\.id) == ids, "round \(round)")
            #expect(Array(crate.anyList) == values, "round \(round)")
            #expect(members.allSatisfy { $0.owners.count == 1 }, "round \(round)")
        }
        #expect(try realm.findings == [])
    }

    @Test("several threads read a frozen long collection")
    func frozenOnThreads() throws {
        let realm = try Realm(configuration: configuration)
        let crate = Crate()
        crate.numbers.append(objectsIn: 0..<3000)
        try realm.write { realm.add(crate) }
        // Frozen: any thread may use it.
        nonisolated(unsafe) let frozen = crate.freeze()
        try realm.write { crate.numbers.removeFirst(1000) }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            let numbers = frozen.numbers
            let areRight = (0..<3000).allSatisfy { index in
                let position = (index * 7 + thread) % 3000
                return numbers[position] == position
            }
            #expect(areRight && numbers.sum() == 2999 * 1500)
        }
        #expect(Array(crate.numbers) == Array(1000..<3000))
    }

    @Test("links count with multiplicity, and end with what they lead to")
    func links() throws {
        let realm = try Realm(configuration: configuration)
        let owner = Crate()
        let members = (1...500).map { id in
            let crate = Crate()
            crate.id = id
            return crate
        }
        try realm.write {
            realm.add(owner)
            owner.members.append(objectsIn: members + members.prefix(3))
            for (number, member) in members.enumerated() {
                owner.anyList.append(.object(member))
                owner.anySet.insert(.object(member))
                owner.anySet.insert(.string("text \(number)"))
                owner.anyMap["key \(number)"] = .object(member)
            }
        }
        #expect(members[0].owners.count == 2 && members[10].owners.count == 1)
        #expect(try realm.findings == [])
        let gone = members.enumerated().filter { $0.offset % 5 == 0 }.map(\.element)
        let left = members.enumerated().filter { $0.offset % 5 != 0 }.map(\.element.id)
        try realm.write {
            realm.delete(gone[0])
            realm.delete(Array(gone.dropFirst()))
        }
        #expect(owner.members.map(\.id) == left + [2, 3])
        #expect(owner.anyList.filter { $0 == .none }.count == 100 && owner.anyList.count == 500)
        #expect(owner.anySet.count == 500 + 400)
        #expect(owner.anyMap.count == 500 && owner.anyMap["key 5"] == AnyRealmValue.none)
        #expect(owner.anyMap["key 6"] != AnyRealmValue.none)
        #expect(owner.members.where { $0.id > 490 }.count == 8)
        #expect(realm.objects(Crate.self).where { $0.members.id == 2 }.count == 1)
        #expect(realm.objects(Crate.self).where { $0.members.count == 402 }.count == 1)
        #expect(try realm.findings == [])
        try realm.write { realm.delete(owner) }
        #expect(realm.objects(Crate.self).count == 400 && members[1].owners.isEmpty)
        #expect(try realm.findings == [])
    }

    @Test("what is set to what it was is no change; each other change is told")
    func observing() throws {
        let observatory = Observatory(objectTypes: [Crate.self])
        try observatory.write { realm in
            let crate = Crate()
            crate.numbers.append(objectsIn: 0..<5000)
            realm.add(crate)
        }
        try observatory.observe { realm in
            let crate = try #require(realm.objects(Crate.self).first)
            var changes: [[Int]] = []
            let token = crate.numbers.observe { change in
                guard case .update(_, let deletions, let insertions, let modifications) = change
                else { return }
                changes.append(deletions + insertions.map { $0 + 10000 } + modifications)
            }
            var properties: [String] = []
            let other = crate.observe { change in
                if case .change(_, let changed) = change { properties += changed.map(\.name) }
            }
            realm.refresh()
            func write(_ body: (List<Int>) -> Void) throws {
                try observatory.write { realm in
                    if let numbers = realm.objects(Crate.self).first?.numbers { body(numbers) }
                }
                realm.refresh()
            }
            try write { $0[500] = 500 }
            #expect(changes == [] && properties == [])
            // Back where it was at the end of the write.
            try write {
                $0[500] = 7
                $0[500] = 500
            }
            #expect(changes == [] && properties == [])
            try write { $0.insert(-1, at: 500) }
            try write { $0.remove(at: 999) }
            try write { $0[4000] = 0 }
            #expect(changes == [[10500], [999], [4000]])
            #expect(properties == ["numbers", "numbers", "numbers"])
            token.invalidate()
            other.invalidate()
        }
    }

    @Test("a commit that changes one of many elements writes some pages")
    func fewPages() throws {
        var configuration = configuration
        configuration.leafByteLimit = 16384
        configuration.cacheByteLimit = 64 << 20
        let realm = try Realm(configuration: configuration)
        let crate = Crate()
        crate.numbers.append(objectsIn: 0..<100_000)
        crate.texts.insert(objectsIn: (0..<20000).map { "name \($0)" })
        try realm.write { realm.add(crate) }
        let wal = folder.path("long-wal")
        func byteCount() throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: wal)
            return try #require(attributes[.size] as? Int)
        }
        let before = try byteCount()
        for number in 0..<20 { try realm.write { crate.numbers.insert(-1, at: number * 4000) } }
        // Whole, the list has 800 kB.
        #expect(try byteCount() - before < 20 * 64 << 10)
        let between = try byteCount()
        for number in 0..<20 { try realm.write { crate.texts.insert("new \(number)") } }
        #expect(try byteCount() - between < 20 * 128 << 10)
        #expect(crate.numbers.count == 100_020 && crate.texts.count == 20020)
    }
}
