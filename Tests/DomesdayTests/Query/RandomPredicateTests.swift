import Foundation
import PredicateLanguage
import Testing

@testable import Domesday

@Suite("Random predicates")
struct RandomPredicateTests {
    @Test("are valid: the evaluator refuses none, and their text means the same")
    func valid() throws {
        try RandomQueries.compare(predicates: 60 * Scale.factor) { realm, tree in
            let (text, arguments) = tree.canonicalFormat
            let parsed = try PredicateParser.parse(text, arguments: arguments)
            return try RandomQueries.serials(
                of: Array(realm.objects(QueryPerson.self)),
                matching: parsed
            )
        }
    }

    @Test("give what the evaluator says: scans, indexes and all that lies between")
    func queries() throws {
        try RandomQueries.compare { realm, tree in
            let results = try realm.objects(QueryPerson.self).filter(tree)
            let serials = results.map(\.serial)
            #expect(results.count == serials.count && results.first?.serial == serials.first)
            return serials
        }
    }

    @Test("are not trivial: most hold for some persons and not for others", arguments: [1, 4])
    func discriminating(_ depth: Int) throws {
        let database = try RandomPeople(count: 60, seed: Scale.seed)
        var trees = RandomPredicates(
            random: SplitMix64(seed: Scale.seed),
            people: database.people
        )
        var count = 0
        for _ in 0..<400 {
            let matching = try RandomQueries.serials(
                of: database.people,
                matching: trees.predicate(depth: depth)
            )
            if !matching.isEmpty, matching.count < database.people.count { count += 1 }
        }
        #expect(count > 160)
    }

    @Test("are the same for the same seed")
    func repeatable() throws {
        let first = try RandomPeople(count: 20, seed: 7)
        let second = try RandomPeople(count: 20, seed: 7)
        #expect(first.people.map(\.name) == second.people.map(\.name))
        var trees = RandomPredicates(random: SplitMix64(seed: 7), people: first.people)
        var others = RandomPredicates(random: SplitMix64(seed: 7), people: second.people)
        for _ in 0..<50 {
            #expect(trees.predicate().description == others.predicate().description)
        }
    }
}
