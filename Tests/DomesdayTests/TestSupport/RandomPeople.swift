import Foundation
import Testing

@testable import Domesday

/// Values that occur again and again, so that equals, neighbours and odd ones meet.
enum OddValues {
    static let integers = [-1, 0, 1, 2, 3, 5, 9, 100]
    static let doubles = [-1.5, -0.0, 0, 0.1, 0.5, 1, 2, 3, .nan, .infinity, -.infinity]
    static let floats: [Float] = [-1, 0, 0.1, 0.5, 1, 2, .nan]
    static let strings = [
        "", "a", "A", "ab", "Ab", "aB", "abc", "b", "bab", "é", "e\u{301}", "É", "eab", "ß", "SS",
        "ẞ", "Ω", "ω", "😀", "a😀b", "👍🏽", "a b", "1", "calm", "z",
    ]
    static let patterns = ["", "*", "?", "??", "a*", "*b", "?b", "a?*", "*é*", "A*", "*😀?", "e?*"]
    static let dates = [-1e9, -0.5, 0, 0.25, 86_400, 6e9].map {
        Date(timeIntervalSinceReferenceDate: $0)
    }
    static let tokens = (0..<4).map {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0))
    }
    static let identifiers = (0..<4).compactMap {
        try? ObjectId(string: "00000000000000000000000\($0)")
    }
    static let data = [[], [0], [1], [1, 2], [1, 2, 3], [2], [2, 3], [255]].map {
        Data($0 as [UInt8])
    }
}

/// A small random database of `QueryPerson`s in memory, and predicates about it.
///
/// Some objects were deleted and some changed again, so that there are gaps, nil links and holes in
/// lists.
struct RandomPeople {
    let realm: Realm
    var random: SplitMix64
    /// Those that are left, by serial number.
    private(set) var people: [QueryPerson] = []

    /// Makes `count` persons, of whom about an eighth is deleted again.
    init(count: Int, seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        realm = try Realm(
            configuration: .init(
                inMemoryIdentifier: "people-\(UUID().uuidString)",
                objectTypes: [QueryPerson.self, QueryAddress.self]
            )
        )
        try realm.write {
            for serial in 0..<count { people.append(addPerson(serial)) }
            for person in people { link(person) }
        }
        try realm.write {
            for person in people where number(below: 8) == 0 { realm.delete(person) }
            people.removeAll { $0.isInvalidated }
            for person in people where number(below: 6) == 0 { fill(person) }
        }
    }

    private mutating func addPerson(_ serial: Int) -> QueryPerson {
        let person = QueryPerson()
        person.serial = serial
        fill(person)
        realm.add(person)
        return person
    }

    private mutating func fill(_ person: QueryPerson) {
        person.number = pick(OddValues.integers)
        person.optionalNumber = maybe(OddValues.integers)
        person.small = Int8(pick(OddValues.integers))
        person.ratio = pick(OddValues.doubles)
        person.optionalRatio = maybe(OddValues.doubles)
        person.single = pick(OddValues.floats)
        person.name = pick(OddValues.strings)
        person.nickname = maybe(OddValues.strings)
        person.isGood = pick([true, false])
        person.optionalFlag = maybe([true, false])
        person.birth = pick(OddValues.dates)
        person.optionalDate = maybe(OddValues.dates)
        person.token = pick(OddValues.tokens)
        person.optionalToken = maybe(OddValues.tokens)
        person.identifier = pick(OddValues.identifiers)
        person.kind = pick(QueryKind.allCases)
        person.mood = maybe(QueryMood.allCases)
        person.payload = pick(OddValues.data)
        person.optionalPayload = maybe(OddValues.data)
        person.address = number(below: 3) == 0 ? nil : address()
        replace(person.addresses, with: (0..<number(below: 3)).map { _ in address() })
        replace(person.numbers, with: several(OddValues.integers))
        replace(person.ratios, with: several(OddValues.doubles.map { $0 } + [nil]))
        replace(person.words, with: several(OddValues.strings.map { $0 } + [nil, nil]))
        replace(person.kinds, with: several(QueryKind.allCases))
    }

    private mutating func link(_ person: QueryPerson) {
        // Few are linked to, so that they are linked to often.
        let popular = Array(people.prefix(10))
        person.boss = number(below: 4) == 0 ? nil : pick(number(below: 2) == 0 ? people : popular)
        replace(person.friends, with: several(number(below: 2) == 0 ? people : popular))
    }

    private mutating func address() -> QueryAddress {
        QueryAddress(value: [
            "street": pick(OddValues.strings), "code": maybe(OddValues.integers) as Any,
        ])
    }

    private func replace<Element>(_ list: List<Element>, with elements: [Element]) {
        list.removeAll()
        list.append(objectsIn: elements)
    }

    private mutating func several<Element>(_ elements: [Element]) -> [Element] {
        (0..<number(below: 4)).map { _ in pick(elements) }
    }

    private mutating func maybe<Element>(_ elements: [Element]) -> Element? {
        number(below: 3) == 0 ? nil : pick(elements)
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    private mutating func number(below bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &random)
    }
}
