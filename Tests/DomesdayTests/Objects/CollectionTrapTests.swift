import Foundation
import Testing

@testable import Domesday

private class TrapHolder: Object {
    @Persisted var numbers: List<Int>
    @Persisted var texts: MutableSet<String>
    @Persisted var entries: Map<String, Int>
    @Persisted var parts: Map<String, TrapPart?>
}

private class TrapPart: EmbeddedObject { @Persisted var x = 0 }

private func stored() throws -> (RealmState, TrapHolder) {
    let realm = try makeRealmState([TrapHolder.self, TrapPart.self])
    let object = TrapHolder()
    object.numbers.append(objectsIn: [1, 2, 3])
    object.texts.insert("a")
    object.entries["a"] = 1
    object.parts["a"] = TrapPart()
    try realm.write { try realm.add(object, update: .error) }
    try realm.beginWrite()
    return (realm, object)
}

private func expect(_ result: ExitTest.Result?, says texts: String...) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for text in texts { #expect(output.contains(text), "\(output.prefix(600))") }
}

@Suite("Traps of collections")
struct CollectionTrapTests {
    @Test("a position beyond the end of a list")
    func listIndex() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (_, object) = try stored()
            object.numbers.remove(at: 3)
        }
        expect(
            result,
            says: "Index 3 is out of bounds (must be less than 3).",
            "Property 'TrapHolder.numbers' of the object with key 1"
        )
    }

    @Test("a negative position in a list")
    func negativeIndex() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (_, object) = try stored()
            object.numbers.insert(1, at: -1)
        }
        expect(result, says: "Cannot pass a negative value for 'index'.", "TrapHolder.numbers")
    }

    @Test("removing more than there is")
    func removingTooMany() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (_, object) = try stored()
            object.numbers.removeLast(4)
        }
        expect(
            result,
            says: "It is not possible to remove more objects (4) from a list of size 3.",
            "TrapHolder.numbers"
        )
    }

    @Test("a position beyond the end of an unmanaged list and of a set")
    func unmanagedIndex() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = TrapHolder().numbers[0]
        }
        expect(result, says: "Index 0 is out of bounds (must be less than 0).", "List<Int>")
        let second = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (_, object) = try stored()
            _ = object.texts[1]
        }
        expect(
            second,
            says: "Index 1 is out of bounds (must be less than 1).",
            "'TrapHolder.texts'"
        )
    }

    @Test("changing a set or a map outside a write")
    func outsideWrite() async {
        let set = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (realm, object) = try stored()
            try realm.commitWrite()
            object.texts.insert("b")
        }
        expect(
            set,
            says: "Cannot modify managed RLMSet outside of a write transaction.",
            "'TrapHolder.texts'"
        )
        let map = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (realm, object) = try stored()
            try realm.commitWrite()
            object.entries["b"] = 2
        }
        expect(
            map,
            says: "Cannot modify managed RLMDictionary outside of a write transaction.",
            "'TrapHolder.entries'"
        )
    }

    @Test("querying a set and a map that are not managed")
    func unmanagedQueries() async {
        let set = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = TrapHolder().texts.filter("self == 'a'")
        }
        expect(
            set,
            says:
                "This method may only be called on RLMSet instances retrieved from an RLMRealm"
        )
        let map = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = TrapHolder().entries.sorted(ascending: true)
        }
        expect(
            map,
            says:
                "This method may only be called on RLMDictionary instances retrieved from an RLMRealm"
        )
    }

    @Test("an embedded object that has an owner cannot be put into a map")
    func embeddedTwice() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (_, object) = try stored()
            object.parts["b"] = object.parts["a"]
        }
        expect(
            result,
            says: "Cannot add an existing managed embedded object to a Dictionary.",
            "'TrapHolder.parts'"
        )
    }

    @Test("a set or map whose object is gone")
    func deleted() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (realm, object) = try stored()
            let map = object.entries
            try realm.delete(object)
            precondition(map.isInvalidated)
            _ = map["a"]
        }
        expect(result, says: "Object has been deleted or invalidated.", "'TrapHolder'")
    }

    @Test("a condition that makes no sense for the values, and a sort that is not on self")
    func badQueries() async {
        let filter = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (_, object) = try stored()
            _ = object.numbers.filter("self == 'text'")
        }
        expect(filter, says: "Cannot compare a value of type 'int' to one of type 'string'")
        let sort = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (_, object) = try stored()
            _ = object.numbers.sorted(byKeyPath: "name")
        }
        expect(
            sort,
            says: "Cannot sort on key path 'name': arrays of 'int' can only be sorted on 'self'"
        )
    }

    @Test("the transaction goes on after what traps elsewhere was checked first")
    func nothingHalfDone() throws {
        let (realm, object) = try stored()
        #expect(object.numbers.count == 3)
        object.numbers.append(4)
        object.texts.insert("b")
        object.entries.setValue(5, forKey: "b")
        object.entries.setValue(nil, forKey: "a")
        #expect(object.entries.keys == ["b"] && object.entries.value(forKey: "b") as? Int == 5)
        try realm.commitWrite()
        #expect(Array(object.numbers) == [1, 2, 3, 4] && object.texts.count == 2)
    }
}
