import Domesday
import Foundation
import Testing

private final class SmallFigures: Object {
    @Persisted var group: Int
    @Persisted var small: Int8
    @Persisted var price: Decimal128
    @Persisted var smalls: List<Int8>

    static func filled() throws -> Results<SmallFigures> {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString,
            objectTypes: [SmallFigures.self]
        )
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for price in ["1.5", "2.25"] as [Decimal128] {
                realm.create(
                    SmallFigures.self,
                    value: ["group": 1, "small": 100, "price": price, "smalls": [100, 27, 1]]
                )
            }
        }
        return realm.objects(SmallFigures.self)
    }
}

@Suite("Groups and figures")
struct GroupingTests {
    @Test("each group has its value and figures, ascending, as arrays give them", arguments: 0..<4)
    func groups(_ number: UInt64) throws {
        let count = [0, 1, 80, 700][Int(number)]
        let database = try RandomPeople(count: count, seed: Scale.seed &+ number)
        let people = database.realm.objects(QueryPerson.self)
        let groups = people.filter("number > 0").grouped(
            by: \.nickname,
            .count,
            .sum(\.number),
            .min(\.birth),
            .max(\.optionalNumber),
            .average(\.number)
        )
        let expected = Dictionary(
            grouping: database.people.filter { $0.number > 0 },
            // Text is told apart by its bytes.
            by: { $0.nickname.map { Array($0.utf8) } }
        )
        #expect(groups.count == expected.count)
        for (nickname, count, sum, first, greatest, average) in groups {
            let members = try #require(expected[nickname.map { Array($0.utf8) }])
            #expect(count == members.count)
            #expect(sum == members.map(\.number).reduce(0, +))
            #expect(first == members.map(\.birth).min())
            #expect(greatest == members.compactMap(\.optionalNumber).max())
            #expect(average == Double(sum) / Double(count))
        }
        let names = groups.map { $0.0.map { Array($0.utf8) } }
        #expect(
            zip(names, names.dropFirst()).allSatisfy { a, b in
                guard let a else { return b != nil }
                return b.map { a.lexicographicallyPrecedes($0) } ?? false
            }
        )
    }

    private func world() throws -> Results<QueryPerson> {
        let realm = try RandomPeople(count: 0, seed: 1).realm
        let people = realm.objects(QueryPerson.self)
        try realm.write {
            for serial in 0..<6 {
                let person = realm.create(
                    QueryPerson.self,
                    value: ["serial": serial, "number": serial % 2, "kind": QueryKind.low]
                )
                person.boss = serial < 3 ? people.first : nil
                person.numbers.append(objectsIn: [serial, 10])
                person.ratios.append(objectsIn: [0.5, nil, .nan])
            }
        }
        return people
    }

    @Test("by links, paths, enums; behind a limit; values alone")
    func keys() throws {
        let people = try world()
        let numbers: [Int] = people.grouped(by: \.number)
        #expect(numbers == [0, 1])
        let kinds: [QueryKind] = people.grouped(by: \.kind)
        #expect(kinds.map(\.rawValue) == [1])
        let bosses: [(QueryPerson?, Int)] = people.grouped(by: \.boss, .count)
        #expect(bosses.map { $0.0?.serial ?? -1 } == [-1, 0])
        #expect(bosses.map { $0.1 } == [3, 3])
        let sums: [(Int?, Int)] = people.grouped(by: \.boss?.number, .sum(\.serial))
        #expect(sums.map { $0.1 } == [12, 3])
        let few = people.sorted(byKeyPath: "serial", ascending: false).limit(3)
        let fewSums: [(Int, Int)] = few.grouped(by: \.number, .sum(\.serial))
        #expect(fewSums.map { $0.1 } == [4, 8])
        let none: [(Int, Int)] = people[0].friends.grouped(by: \.number, .count)
        #expect(none.isEmpty)
    }

    @Test("figures of collections of scalars, managed or not")
    func elements() throws {
        let person = try #require(try world().last)
        #expect(person.numbers.min() == 5 && person.numbers.max() == 10)
        #expect(person.numbers.sum() == 15 && person.numbers.average() == 7.5)
        #expect(person.ratios.min() == 0.5 && person.ratios.max() == 0.5)
        let list = List<Int>()
        #expect(list.min() == nil && list.sum() == 0)
        let average: Double? = list.average()
        #expect(average == nil)
        list.append(objectsIn: [3, -1])
        #expect(list.min() == -1 && list.sum() == 2)
    }

    @Test("figures of decimals are theirs, and their average in a group the nearest Double")
    func decimals() throws {
        let groups = try SmallFigures.filled().grouped(
            by: \.group,
            .sum(\.price),
            .max(\.price),
            .average(\.price)
        )
        #expect(groups.count == 1)
        #expect(groups[0].1 == "3.75" && groups[0].2 == "2.25" && groups[0].3 == 1.875)
    }

    @Test("a figure that its type cannot hold traps, and is not 0", arguments: 0..<3)
    func outOfRange(_ number: Int) async {
        let result: ExitTest.Result?
        let text: String
        switch number {
        case 0:
            text = "The sum of 'small' is 200, which is no 'Int8'."
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let _: Int8 = try SmallFigures.filled().sum(of: \.small)
            }
        case 1:
            text = "The sum of 'small' in a group is 200, which is no 'Int8'."
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                _ = try SmallFigures.filled().grouped(by: \.group, .sum(\.small))
            }
        default:
            text = "The sum of a collection of 'Int8' is 128, which is no 'Int8'."
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                _ = try SmallFigures.filled().first?.smalls.sum()
            }
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains(text), "\(output.prefix(600))")
    }

    @Test("IN with many values finds what a search in the list finds", arguments: [0, 1, 9, 1000])
    func many(_ count: Int) throws {
        let database = try RandomPeople(count: 200, seed: Scale.seed)
        let people = database.realm.objects(QueryPerson.self)
        var random = SplitMix64(seed: Scale.seed)
        let close = (0..<count).map { _ in Int.random(in: -50...50, using: &random) }
        let far = (0..<count).map { _ in Int.random(in: .min ... .max, using: &random) } + close
        let texts: [String?] = (0..<count).map { "\($0)" } + [nil, "a", "é"]
        for values in [close, far] {
            #expect(
                people.filter("optionalNumber IN %@", values).map(\.serial)
                    == database.people.filter { $0.optionalNumber.map(values.contains) ?? false }
                    .map(\.serial)
            )
            #expect(
                people.filter("ANY numbers IN %@", values).map(\.serial)
                    == database.people.filter { $0.numbers.contains { values.contains($0) } }
                    .map(\.serial)
            )
            #expect(
                people.filter("number IN %@", values).count
                    == database.people.count { values.contains($0.number) }
            )
            #expect(
                people.filter("ratio IN %@", values).map(\.serial)
                    == database.people.filter { values.map(Double.init).contains($0.ratio) }
                    .map(\.serial)
            )
        }
        #expect(
            people.filter("nickname IN %@", texts).map(\.serial)
                == database.people.filter { person in
                    texts.contains {
                        $0.map { Array($0.utf8) } == person.nickname.map { Array($0.utf8) }
                    }
                }.map(\.serial)
        )
    }
}
