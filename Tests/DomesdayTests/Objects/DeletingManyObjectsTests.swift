import Testing

@testable import Domesday

/// Deleting so many objects at once that links to them are ended in a pass over their owners.
@Suite("Deleting many objects")
struct DeletingManyObjectsTests {
    final class Node: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var next: Node?
        @Persisted var parts: List<Part>
        @Persisted(originProperty: "node") var pointers: LinkingObjects<Pointer>
    }

    final class Part: EmbeddedObject {
        @Persisted var number: Int
    }

    final class Pointer: Object {
        @Persisted var node: Node?
        @Persisted var nodes: List<Node>
    }

    static let count = 1000
    let realm: RealmState
    let store: Store

    init() throws {
        realm = try makeRealmState([Node.self, Part.self, Pointer.self])
        store = realm.reader.store
        try realm.write {
            var nodes: [Node] = []
            for number in 0..<Self.count {
                let node = Node()
                node.number = number
                let part = Part()
                part.number = number
                node.parts.append(part)
                try realm.add(node, update: .error)
                nodes.append(node)
            }
            for number in 0..<Self.count {
                // To the neighbour, and from outside: once, and in a list twice.
                nodes[number].next = nodes[(number + 1) % Self.count]
                let pointer = Pointer()
                try realm.add(pointer, update: .error)
                pointer.node = nodes[number]
                let other = nodes[(number * 7) % Self.count]
                pointer.nodes.append(objectsIn: [nodes[number], other, nodes[number]])
            }
        }
    }

    func all<T: ObjectBase>(_ type: T.Type) throws -> [T] {
        let table = realm.requireTable(of: type)
        return try table.reader.allKeys().map { unsafeDowncast(table.object($0), to: type) }
    }

    @Test("links, list entries and embedded objects of deleted objects end with them")
    func linksEnd() throws {
        try realm.write {
            try realm.delete(try all(Node.self).filter { $0.number % 2 == 0 })
        }
        let nodes = try all(Node.self)
        #expect(nodes.map(\.number) == Array(stride(from: 1, to: Self.count, by: 2)))
        // Each node's neighbour was deleted.
        #expect(nodes.allSatisfy { $0.next == nil })
        #expect(nodes.allSatisfy { $0.pointers.count == 1 })
        #expect(try all(Part.self).map(\.number) == nodes.map(\.number))
        for (number, pointer) in try all(Pointer.self).enumerated() {
            #expect(pointer.node?.number == (number % 2 == 0 ? nil : number))
            let entries = [number, number * 7 % Self.count, number].filter { $0 % 2 == 1 }
            #expect(pointer.nodes.map(\.number) == entries)
        }
        #expect(try StoreCheck.findings(in: store) == [])
    }

    @Test("an object may come more than once, in any order, and may be gone already")
    func repetition() throws {
        try realm.write {
            let nodes = try all(Node.self)
            try realm.delete(nodes[10])
            try realm.delete([nodes[30], nodes[20], nodes[30], nodes[10]])
        }
        let expected = (0..<Self.count).filter { ![10, 20, 30].contains($0) }
        #expect(try all(Node.self).map(\.number) == expected)
        #expect(try StoreCheck.findings(in: store) == [])
    }

    @Test("a cancelled deletion brings everything back")
    func cancelled() throws {
        try realm.beginWrite()
        try realm.delete(try all(Node.self).filter { $0.number % 3 == 0 })
        #expect(try all(Pointer.self)[3].node == nil)
        realm.cancelWrite()
        #expect(try all(Node.self).count == Self.count)
        #expect(try all(Pointer.self)[3].node?.number == 3)
        #expect(try all(Pointer.self)[3].nodes.map(\.number) == [3, 21, 3])
    }
}
