import Foundation

@testable import Domesday

/// The shallow contents of all objects at one moment, read through the public interface.
struct NodeWorld {
    struct Shape: Equatable {
        var fields: [String: String]
        var links: [Int]
        var tag: Int?
    }

    var nodes: [Int: Shape] = [:]
    var tags: [Int: String] = [:]
    var weights: [Int: Int] = [:]

    init(_ realm: Realm) {
        for node in realm.objects(Node.self) {
            nodes[node.id] = Shape(
                fields: [
                    "name": node.name, "rank": "\(node.rank)", "group": "\(node.group)",
                    "ratio": "\(node.ratio)", "note": node.note ?? "nil",
                    "link": "\(node.link?.id ?? -1)", "tag": "\(node.tag?.id ?? -1)",
                    "others": "\(node.others.map(\.id))", "numbers": "\(Array(node.numbers))",
                ],
                links: (node.link.map { [$0.id] } ?? []) + node.others.map(\.id),
                tag: node.tag?.id
            )
        }
        for tag in realm.objects(Tag.self) {
            tags[tag.id] = "\(tag.text) \(tag.weight)"
            weights[tag.id] = tag.weight
        }
    }

    /// Whether a node differs, or something up to some links away.
    func isModified(_ id: Int, since old: NodeWorld, depth: Int) -> Bool {
        guard let shape = nodes[id] else { return false }
        if let before = old.nodes[id], before != shape { return true }
        if depth == 0 { return false }
        if let tag = shape.tag, let before = old.tags[tag], before != tags[tag] { return true }
        return shape.links.contains { isModified($0, since: old, depth: depth - 1) }
    }
}

/// Random changes of a small store.
struct NodeChanges {
    var random: SplitMix64
    var nextID = 100

    /// What a history begins with.
    static func begin(_ realm: Realm) {
        for id in 1...12 {
            realm.add(Tag(value: ["id": id, "weight": id % 6]))
            realm.add(Node(value: ["id": id, "rank": id % 6, "group": id % 5]))
        }
    }

    /// Several commits, of others or of this Realm, which are told as one or as more.
    mutating func commit(_ realm: Realm, _ observatory: Observatory) throws {
        if Int.random(in: 0..<3, using: &random) == 0 {
            try realm.write { run(realm) }
        } else {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                try observatory.write { run($0) }
            }
        }
    }

    func pick<T: Object>(_ type: T.Type, _ realm: Realm, _ random: inout SplitMix64) -> T? {
        let all = realm.objects(type)
        return all.isEmpty ? nil : all[Int.random(in: 0..<all.count, using: &random)]
    }

    mutating func pickWeight() -> Int? {
        Bool.random(using: &random) ? Int.random(in: 0..<6, using: &random) : nil
    }

    mutating func run(_ realm: Realm) {
        for _ in 0..<Int.random(in: 1...4, using: &random) { step(realm) }
    }

    private mutating func step(_ realm: Realm) {
        let number = Int.random(in: 0..<6, using: &random)
        guard let node = pick(Node.self, realm, &random) else { return insert(realm) }
        switch Int.random(in: 0..<22, using: &random) {
        case 0, 1, 2: insert(realm)
        case 3: if node.id != 1 { realm.delete(node) }
        case 4: node.name = "name \(number)"
        case 5, 6: node.rank = number
        case 7, 8: node.group = number
        case 9: node.ratio = Double(number)
        case 10: node.note = number == 0 ? nil : String(repeating: "n", count: number * 2500)
        case 11: node.link = pick(Node.self, realm, &random)
        case 12: node.tag = pick(Tag.self, realm, &random)
        case 13, 14: pick(Tag.self, realm, &random)?.weight = number
        case 15: pick(Tag.self, realm, &random)?.text = "text \(number)"
        case 16: if number == 0, let tag = pick(Tag.self, realm, &random) { realm.delete(tag) }
        default: changeList(number, realm)
        }
    }

    private mutating func insert(_ realm: Realm) {
        nextID += 1
        let node = Node(value: ["id": nextID, "rank": nextID % 6, "group": nextID % 5])
        realm.add(node)
        node.tag = pick(Tag.self, realm, &random)
        if nextID % 3 == 0 {
            nextID += 1
            realm.add(Tag(value: ["id": nextID, "weight": nextID % 6]))
        }
        if nextID % 40 == 0 {
            // Enough for another cluster, and then they go.
            for _ in 0..<300 {
                nextID += 1
                realm.add(Node(value: ["id": nextID, "rank": 100, "group": 100]))
            }
        }
        if nextID % 4 == 0 { realm.delete(realm.objects(Node.self).filter("group == 100")) }
    }

    private mutating func changeList(_ number: Int, _ realm: Realm) {
        let isFirst = Bool.random(using: &random)
        guard
            let node = isFirst
                ? realm.object(ofType: Node.self, forPrimaryKey: 1)
                : pick(Node.self, realm, &random)
        else { return }
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            if let other = pick(Node.self, realm, &random), node.others.count < (isFirst ? 6 : 2) {
                node.others.insert(
                    other,
                    at: Int.random(in: 0...node.others.count, using: &random)
                )
            }
        case 2: if !node.others.isEmpty { node.others.remove(at: number % node.others.count) }
        case 3:
            if node.others.count > 1 { node.others.move(from: 0, to: node.others.count - 1) }
        case 4: node.numbers.insert(number, at: node.numbers.count / 2)
        default: if !node.numbers.isEmpty { node.numbers[number % node.numbers.count] = number * 7 }
        }
    }
}
