import Testing

@testable import Workloads

@Suite("DataSet")
struct DataSetTests {
    @Test("the numbers are drawn in the order that all published figures were made with")
    func digest() {
        // Every field of every record, in the order they were first drawn.
        let data = DataSet(count: 200_000)
        var digest = Digest()
        for person in data.persons + data.additionalPersons { digest.add(person) }
        for dog in data.dogs { digest.add("\(dog.id)|\(dog.name)|\(dog.owner)") }
        data.lookups.forEach { digest.add($0) }
        data.updates.forEach { digest.add($0) }
        let keys = Dictionary(
            uniqueKeysWithValues: data.persons.enumerated().map { ($1.id, $0 + 1) }
        )
        for id in data.lookups { digest.add("\(keys[id] ?? 0)") }
        digest.add(data.targetName)
        NameList().first.forEach { digest.add($0) }
        NameList().last.forEach { digest.add($0) }
        #expect(digest.value == 14_019_411_960_134_873_052)
    }

    @Test("the same count gives the same data, and ids are unique")
    func determinism() {
        let (a, b) = (DataSet(count: 1000, lookupCount: 10), DataSet(count: 1000, lookupCount: 10))
        #expect(a.persons == b.persons && a.dogs == b.dogs && a.lookups == b.lookups)
        #expect(Set((a.persons + a.additionalPersons).map(\.id)).count == 3000)
        #expect(a.persons.allSatisfy { $0.id.utf8.count == 36 && (0..<100).contains($0.age) })
    }
}

/// FNV-1a.
private struct Digest {
    private(set) var value: UInt64 = 14_695_981_039_346_656_037

    mutating func add(_ text: String) {
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 1_099_511_628_211 }
    }

    mutating func add(_ person: PersonData) {
        add("\(person.id)|\(person.name)|\(person.age)|\(person.score)|\(person.createdAt)")
        add("|\(person.isActive)|\(person.email ?? "-")")
    }
}
