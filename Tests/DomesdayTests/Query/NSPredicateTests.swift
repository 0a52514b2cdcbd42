import Foundation
import PredicateLanguage
import Testing

@testable import Domesday

@Suite("NSPredicate with a text")
struct NSPredicateTests {
    @Test("a text with arguments can be recovered as a tree")
    func treesComeBack() throws {
        let predicate = NSPredicate(format: "%K > %d AND name == %@", "age", 3, "Al")
        #expect(try text(of: predicate) == #"age > 3 AND name == "Al""#)
        #expect(try text(of: NSPredicate(format: "a == %@", nil)) == "a == NULL")
        #expect(try text(of: NSPredicate(format: "a IN %@", [1, 2])) == "a IN {1, 2}")
        #expect(
            try text(of: NSPredicate(format: "a == %@ AND b == %@", argumentArray: [1, NSNull()]))
                == "a == 1 AND b == NULL"
        )
        #expect(try text(of: NSPredicate(format: "a == 1", argumentArray: nil)) == "a == 1")
    }

    @Test("constants and compounds can be recovered")
    func compounds() throws {
        let a = NSPredicate(format: "a == 1")
        let b = NSPredicate(format: "b == 2 OR c == 3")
        let yes = NSPredicate(value: true)
        #expect(try text(of: yes) == "TRUEPREDICATE")
        #expect(try text(of: NSPredicate(value: false)) == "FALSEPREDICATE")
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: [a, b, yes])
        #expect(try text(of: and) == "a == 1 AND (b == 2 OR c == 3) AND TRUEPREDICATE")
        let or = NSCompoundPredicate(orPredicateWithSubpredicates: [and, a])
        #expect(
            try text(of: or) == "a == 1 AND (b == 2 OR c == 3) AND TRUEPREDICATE OR a == 1"
        )
        let not = NSCompoundPredicate(notPredicateWithSubpredicate: b)
        #expect(try text(of: not) == "NOT (b == 2 OR c == 3)")
        let one = NSCompoundPredicate(andPredicateWithSubpredicates: [a])
        #expect(try text(of: one) == "a == 1")
        let none = NSCompoundPredicate(andPredicateWithSubpredicates: [])
        #expect(try text(of: none) == "TRUEPREDICATE")
        let nothing = NSCompoundPredicate(orPredicateWithSubpredicates: [])
        #expect(try text(of: nothing) == "FALSEPREDICATE")
    }

    @Test("a block predicate cannot be recovered, nor a compound with one in it")
    func blocks() throws {
        let block = NSPredicate { _, _ in true }
        let expected = PredicateRecoveryError(
            description: "Only support compound, comparison, and constant predicates"
        )
        #expect(throws: expected) { try text(of: block) }
        let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "a == 1"), block,
        ])
        #expect(throws: expected) { try text(of: compound) }
    }

    @Test("variables get their values later")
    func variables() throws {
        let predicate = NSPredicate(format: "SELF > $least")
        #expect(predicate.evaluate(with: 5, substitutionVariables: ["least": 3]))
        #expect(!predicate.evaluate(with: 2, substitutionVariables: ["least": 3]))
        let bound = predicate.withSubstitutionVariables(["least": 3])
        #expect(bound.evaluate(with: 5))
        #expect(!bound.evaluate(with: 2))
        #expect(try text(of: bound) == "SELF > 3")
    }

    @Test("objects and plain values are evaluated in memory")
    func evaluated() {
        let person = QueryPerson(value: ["number": 3, "name": "Al", "numbers": [1, 2]])
        #expect(NSPredicate(format: "number > %d AND name LIKE[c] 'a*'", 2).evaluate(with: person))
        #expect(!NSPredicate(format: "ANY numbers > 2").evaluate(with: person))
        #expect(NSPredicate(format: "SELF == %@", person).evaluate(with: person))
        #expect(NSPredicate(format: "SELF BEGINSWITH 'a'").evaluate(with: "abc"))
        let compound = NSCompoundPredicate(orPredicateWithSubpredicates: [
            NSPredicate(format: "number == 9"), NSPredicate(format: "boss == nil"),
        ])
        #expect(compound.evaluate(with: person))
        let people = [person, QueryPerson(value: ["number": 1])]
        let kept = people.filter(NSPredicate(format: "number < 3").evaluate)
        #expect(kept.map(\.number) == [1])
    }

    @Test("managed objects are evaluated too")
    func managed() throws {
        let state = try makeRealmState([QueryPerson.self, QueryAddress.self])
        try state.write {
            _ = try state.create(
                QueryPerson.self,
                value: ["serial": 1, "number": 3, "boss": ["serial": 2, "name": "Bo"]],
                update: .error
            )
        }
        // The boss was added first.
        let person = try #require(try state.only(QueryPerson.self)?.staff.first)
        #expect(NSPredicate(format: "boss.name == 'Bo'").evaluate(with: person))
        #expect(NSPredicate(format: "ANY staff.number == 3").evaluate(with: person.boss))
        #expect(!NSPredicate(format: "staff.@count == 1").evaluate(with: person))
    }

    @Test("a text that is no predicate traps and says where")
    func trap() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { _ = NSPredicate(format: "age >") }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("expected a key path or a value, found the end"))
    }
}

private func text(of predicate: NSPredicate) throws -> String {
    try PredicateLanguage.Predicate(recovering: predicate).description
}
