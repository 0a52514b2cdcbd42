import Foundation

@testable import Domesday

// The classes of the random test through the public API, and their plain twins.

enum ModelKind: String, PersistableEnum { case red, green, blue }

final class ModelNode: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var bool = false
    @Persisted var int8: Int8 = 0
    @Persisted var int16: Int16 = 0
    @Persisted(indexed: true) var int32: Int32 = 7
    @Persisted var int64: Int64 = 0
    @Persisted var float: Float = 0
    @Persisted var double = 1.5
    @Persisted(indexed: true) var text = "text"
    @Persisted var data = Data()
    @Persisted(indexed: true) var date = Date(timeIntervalSinceReferenceDate: 0)
    @Persisted(indexed: true) var uuid = ModelField.zeroUUID
    @Persisted var objectId = ObjectId()
    @Persisted var kind = ModelKind.green
    @Persisted var maybeBool: Bool?
    @Persisted(indexed: true) var maybeInt: Int?
    @Persisted var maybeFloat: Float?
    @Persisted var maybeDouble: Double?
    @Persisted(indexed: true) var maybeText: String?
    @Persisted var maybeData: Data?
    @Persisted var maybeDate: Date?
    @Persisted var maybeUUID: UUID?
    @Persisted var maybeObjectId: ObjectId?
    @Persisted var maybeKind: ModelKind?
    @Persisted var decimal: Decimal128
    @Persisted var maybeDecimal: Decimal128?
    @Persisted var any: AnyRealmValue
    @Persisted var meters: ZooMeters
    @Persisted var maybeLetter: ZooLetter?
    @Persisted var link: ModelNode?
    @Persisted var leaf: ModelLeaf?
    @Persisted var children: List<ModelNode>
    @Persisted var leaves: List<ModelLeaf>
    @Persisted var numbers: List<Int>
    @Persisted var texts: List<String?>
    @Persisted var part: ModelPart?
    @Persisted var parts: List<ModelPart>
    @Persisted var textSet: MutableSet<String>
    @Persisted var friends: MutableSet<ModelNode>
    @Persisted var counts: Map<String, Int?>
    @Persisted var anys: Map<String, AnyRealmValue>
    @Persisted var named: Map<String, ModelNode?>
    @Persisted var partMap: Map<String, ModelPart?>
    @Persisted(originProperty: "friends") var befriendedBy: LinkingObjects<ModelNode>
    @Persisted(originProperty: "named") var namedBy: LinkingObjects<ModelNode>
    @Persisted(originProperty: "link") var linkedBy: LinkingObjects<ModelNode>
    @Persisted(originProperty: "children") var parents: LinkingObjects<ModelNode>
    @Persisted(originProperty: "target") var targetedBy: LinkingObjects<ModelPart>

    override class func compoundIndexes() -> [[String]] {
        [["int32", "text"], ["maybeInt", "kind", "uuid"], ["bool", "maybeText"]]
    }
}

final class ModelLeaf: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var weight: Double?
    @Persisted var holder: ModelNode?
    @Persisted(originProperty: "leaf") var nodes: LinkingObjects<ModelNode>
    @Persisted(originProperty: "leaves") var lists: LinkingObjects<ModelNode>
}

final class ModelPart: EmbeddedObject {
    @Persisted var number = 0
    @Persisted var text = ""
    @Persisted var inner: ModelInner?
    @Persisted var target: ModelNode?
    @Persisted(originProperty: "parts") var owners: LinkingObjects<ModelNode>
}

final class ModelInner: EmbeddedObject {
    @Persisted var value = 0
}

let modelClasses: [ObjectBase.Type] = [
    ModelNode.self, ModelLeaf.self, ModelPart.self, ModelInner.self,
]

/// A scalar with what makes it equal: its bits, so that NaN, -0 and the parts of letters count.
struct ModelValue: Equatable {
    let value: Any
    let bits: String

    static func == (a: ModelValue, b: ModelValue) -> Bool { a.bits == b.bits }
}

struct NodeState: Equatable {
    /// Tells an object from another one that had its primary key before.
    var generation = 0
    var values = ModelField.all.map(\.initial)
    var link: Int?
    var leaf: String?
    var children: [Int] = []
    var leaves: [String] = []
    var numbers: [Int] = []
    var texts: [String?] = []
    var part: PartState?
    var parts: [PartState] = []
    /// By their bytes.
    var textSet: Set<[UInt8]> = []
    var friends: Set<Int> = []
    var counts: [String: Int?] = [:]
    var anys: [String: String] = [:]
    var named: [String: Int?] = [:]
    var partMap: [String: PartState?] = [:]

    var allParts: [PartState] {
        (part.map { [$0] } ?? []) + parts + partMap.values.compactMap { $0 }
    }

    /// The first property in which two differ.
    func difference(from other: NodeState) -> String? {
        for (index, field) in ModelField.all.enumerated()
        where values[index] != other.values[index] {
            return "\(field.name): \(values[index].bits), not \(other.values[index].bits)"
        }
        if link != other.link { return "link: \(link as Any), not \(other.link as Any)" }
        if leaf != other.leaf { return "leaf: \(leaf as Any), not \(other.leaf as Any)" }
        if children != other.children { return "children: \(children), not \(other.children)" }
        if leaves != other.leaves { return "leaves: \(leaves), not \(other.leaves)" }
        if numbers != other.numbers { return "numbers: \(numbers), not \(other.numbers)" }
        if texts != other.texts { return "texts: \(texts), not \(other.texts)" }
        if part != other.part { return "part: \(part as Any), not \(other.part as Any)" }
        if parts != other.parts { return "parts: \(parts), not \(other.parts)" }
        if textSet != other.textSet { return "textSet: \(textSet), not \(other.textSet)" }
        if friends != other.friends { return "friends: \(friends), not \(other.friends)" }
        if counts != other.counts { return "counts: \(counts), not \(other.counts)" }
        if anys != other.anys { return "anys: \(anys), not \(other.anys)" }
        if named != other.named { return "named: \(named), not \(other.named)" }
        if partMap != other.partMap { return "partMap: \(partMap), not \(other.partMap)" }
        return nil
    }
}

struct PartState: Equatable {
    var number = 0
    var text = ""
    var inner: Int?
    var target: Int?
}

struct LeafState: Equatable {
    var weight: Double?
    var holder: Int?
}

/// All objects, by primary key.
struct WorldState {
    var nodes: [Int: NodeState] = [:]
    var leaves: [String: LeafState] = [:]

    mutating func delete(node id: Int) {
        nodes[id] = nil
        for key in Array(nodes.keys) {
            guard var node = nodes[key] else { continue }
            if node.link == id { node.link = nil }
            node.children.removeAll { $0 == id }
            if node.part?.target == id { node.part?.target = nil }
            for index in node.parts.indices where node.parts[index].target == id {
                node.parts[index].target = nil
            }
            node.friends.remove(id)
            for (key, value) in node.named where value == id {
                node.named.updateValue(nil, forKey: key)
            }
            for (key, value) in node.partMap where value?.target == id {
                node.partMap[key]??.target = nil
            }
            nodes[key] = node
        }
        for key in Array(leaves.keys) where leaves[key]?.holder == id { leaves[key]?.holder = nil }
    }

    mutating func delete(leaf name: String) {
        leaves[name] = nil
        for key in Array(nodes.keys) {
            if nodes[key]?.leaf == name { nodes[key]?.leaf = nil }
            nodes[key]?.leaves.removeAll { $0 == name }
        }
    }
}
