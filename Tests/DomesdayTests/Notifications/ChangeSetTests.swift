import Foundation
import Testing

@testable import Domesday

/// One observed collection, its model, and what it was told.
private final class Watch {
    let name: String
    let isList: Bool
    /// The elements now, by the model.
    let model: (Realm) -> [Int]
    let isModified: (Int, NodeWorld, NodeWorld) -> Bool
    var token: NotificationToken?
    var known: [Int] = []
    var calls: [(deletions: [Int], insertions: [Int], modifications: [Int], inNew: [Int])] = []
    var initialCalls = 0

    init(
        _ name: String,
        isList: Bool = false,
        isModified: @escaping (Int, NodeWorld, NodeWorld) -> Bool = {
            $2.isModified($0, since: $1, depth: 4)
        },
        _ model: @escaping (Realm) -> [Int]
    ) {
        self.name = name
        self.isList = isList
        self.isModified = isModified
        self.model = model
    }

    func observe<C: RealmCollection>(_ collection: C, keyPaths: [String]? = nil) {
        token = collection.observe(keyPaths: keyPaths) { [unowned self] change in
            switch change {
            case .initial: initialCalls += 1
            case .update(_, let deletions, let insertions, let modifications):
                calls.append((deletions, insertions, modifications, change.modificationsInNew))
            case .error: Issue.record("error")
            }
        }
    }

    /// Checks what was told against the difference of the models.
    func check(_ realm: Realm, _ old: NodeWorld, _ new: NodeWorld, _ step: String) {
        let now = model(realm)
        defer {
            known = now
            calls = []
        }
        let context = "\(name), \(step)"
        #expect(calls.count <= 1, "\(context)")
        let call = calls.first ?? ([], [], [], [])
        let (deletions, insertions) = (call.deletions, call.insertions)
        guard deletions.allSatisfy(known.indices.contains),
            insertions.allSatisfy(now.indices.contains),
            call.modifications.allSatisfy(known.indices.contains),
            call.inNew.allSatisfy(now.indices.contains)
        else {
            Issue.record("\(context): positions out of range \(call) \(known) \(now)")
            return
        }
        let keptOld = known.indices.filter { !deletions.contains($0) }
        let keptNew = now.indices.filter { !insertions.contains($0) }
        #expect(keptOld.count == keptNew.count, "\(context) \(known) \(now) \(call)")
        var expected: [Int] = []
        var expectedInNew: [Int] = []
        for (before, after) in zip(keptOld, keptNew) {
            let isSame = known[before] == now[after]
            #expect(isSame || isList, "\(context) \(known) \(now) \(call)")
            if !isSame || isModified(now[after], old, new) {
                expected.append(before)
                expectedInNew.append(after)
            }
        }
        #expect(call.modifications == expected, "\(context) \(known) \(now) \(call)")
        #expect(call.inNew == expectedInNew, "\(context)")
        if !isList {
            // No more is deleted and inserted than must be.
            #expect(
                deletions.count == known.count - Self.commonCount(known, now),
                "\(context) \(known) \(now) \(call)"
            )
        }
        #expect(
            calls.isEmpty || !deletions.isEmpty || !insertions.isEmpty || !expected.isEmpty,
            "\(context): told of nothing"
        )
    }

    /// The length of the longest common subsequence, the slow way.
    static func commonCount(_ a: [Int], _ b: [Int]) -> Int {
        var row = [Int](repeating: 0, count: b.count + 1)
        for x in a {
            var diagonal = 0
            for (index, y) in b.enumerated() {
                let above = row[index + 1]
                row[index + 1] = x == y ? diagonal + 1 : max(above, row[index])
                diagonal = above
            }
        }
        return row[b.count]
    }
}

@Suite("Change sets")
struct ChangeSetTests {
    private func watches(_ realm: Realm) throws -> [Watch] {
        let all = realm.objects(Node.self)
        let first = try #require(realm.object(ofType: Node.self, forPrimaryKey: 1))
        func nodes(_ realm: Realm) -> [Node] { Array(realm.objects(Node.self)) }
        func field(_ names: String...) -> (Int, NodeWorld, NodeWorld) -> Bool {
            { id, old, new in
                names.contains { old.nodes[id]?.fields[$0] != new.nodes[id]?.fields[$0] }
            }
        }
        var result: [Watch] = []
        func add<C: RealmCollection>(_ watch: Watch, _ collection: C, _ keyPaths: [String]? = nil) {
            watch.observe(collection, keyPaths: keyPaths)
            result.append(watch)
        }
        add(Watch("all") { nodes($0).map(\.id) }, all)
        add(
            Watch("filtered") { nodes($0).filter { $0.rank > 2 }.map(\.id) },
            all.filter("rank > 2")
        )
        add(
            Watch("indexed") { nodes($0).filter { $0.group == 3 }.map(\.id) },
            all.filter("group == 3")
        )
        add(
            Watch("sorted") { nodes($0).sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }.map(\.id) },
            all.sorted(byKeyPath: "rank")
        )
        add(
            Watch("filtered and sorted down") {
                nodes($0).filter { $0.group > 1 }
                    .sorted { ($1.rank, $0.id) < ($0.rank, $1.id) }.map(\.id)
            },
            all.filter("group > 1").sorted(byKeyPath: "rank", ascending: false)
        )
        add(
            Watch("filtered by link") {
                nodes($0).filter { ($0.tag?.weight ?? -1) > 2 }.map(\.id)
            },
            all.filter("tag.weight > 2")
        )
        add(
            Watch("filtered by a link's link") {
                nodes($0).filter { $0.link?.tag?.weight == 1 || $0.link?.rank == 2 }.map(\.id)
            },
            all.filter("link.tag.weight == 1 OR link.rank == 2")
        )
        add(
            Watch("filtered by list") {
                nodes($0).filter { $0.others.contains { $0.rank > 3 } }.map(\.id)
            },
            all.filter("ANY others.rank > 3")
        )
        add(
            Watch("filtered by count") { nodes($0).filter { $0.others.count > 1 }.map(\.id) },
            all.filter("others.@count > 1")
        )
        add(
            Watch("filtered by linking objects") {
                nodes($0).filter { $0.listedBy.contains { $0.group == 2 } }.map(\.id)
            },
            all.filter("ANY listedBy.group == 2")
        )
        add(
            Watch("sorted by link") {
                nodes($0).sorted {
                    (($0.tag?.weight ?? -1), $0.id) < (($1.tag?.weight ?? -1), $1.id)
                }.map(\.id)
            },
            all.sorted(byKeyPath: "tag.weight")
        )
        add(
            Watch("the first of each group") {
                var seen: Set<Int> = []
                return nodes($0).filter { seen.insert($0.group).inserted }.map(\.id)
            },
            all.distinct(by: ["group"])
        )
        add(
            Watch("the highest three") {
                nodes($0).sorted { ($1.rank, $0.id) < ($0.rank, $1.id) }.prefix(3).map(\.id)
            },
            all.sorted(byKeyPath: "rank", ascending: false).limit(3)
        )
        add(
            Watch("those of the second and third that have a tag") {
                nodes($0).dropFirst().prefix(2).filter { $0.tag != nil }.map(\.id)
            },
            all.offset(1).limit(2).filter("tag != nil")
        )
        add(
            Watch("calculated") { nodes($0).filter { $0.rank + $0.group > 4 }.map(\.id) },
            all.filter("rank + group > 4")
        )
        add(
            Watch("those above whom one of the others is") {
                nodes($0).filter { node in node.others.contains { $0.rank > node.rank } }
                    .map(\.id)
            },
            all.filter("SUBQUERY(others, $other, $other.rank > rank).@count > 0")
        )
        add(
            Watch("list", isList: true) {
                $0.object(ofType: Node.self, forPrimaryKey: 1).map { $0.others.map(\.id) } ?? []
            },
            first.others
        )
        add(
            Watch("list's query") {
                $0.object(ofType: Node.self, forPrimaryKey: 1)
                    .map { $0.others.filter { $0.rank > 1 }.map(\.id) } ?? []
            },
            first.others.filter("rank > 1")
        )
        add(
            Watch("numbers", isList: true, isModified: { _, _, _ in false }) {
                $0.object(ofType: Node.self, forPrimaryKey: 1).map { Array($0.numbers) } ?? []
            },
            first.numbers
        )
        add(
            Watch("linking objects") {
                $0.object(ofType: Node.self, forPrimaryKey: 1)
                    .map { Array($0.listedBy).map(\.id) } ?? []
            },
            first.listedBy
        )
        add(
            Watch("key path", isModified: field("name")) { nodes($0).map(\.id) },
            all,
            ["name"]
        )
        add(
            Watch("two key paths", isModified: field("rank", "others")) {
                nodes($0).filter { $0.rank > 2 }.map(\.id)
            },
            all.filter("rank > 2"),
            ["rank", "others"]
        )
        add(
            Watch(
                "key path over a link",
                isModified: { id, old, new in
                    let (before, now) = (old.nodes[id]?.tag, new.nodes[id]?.tag)
                    return before != now
                        || now.map { old.weights[$0] != new.weights[$0] } ?? false
                }
            ) { nodes($0).map(\.id) },
            all,
            ["tag.weight"]
        )
        add(
            Watch("wildcard", isModified: { $2.isModified($0, since: $1, depth: 0) }) {
                nodes($0).map(\.id)
            },
            all,
            ["*"]
        )
        add(
            Watch("no key paths", isModified: { _, _, _ in false }) { nodes($0).map(\.id) },
            all,
            []
        )
        return result
    }

    @Test("change sets are the differences of what was told and what is there")
    func histories() throws {
        let historyCount = 40 * Scale.factor
        print("change sets: seed \(Scale.seed), \(historyCount) histories")
        var stepCount = 0
        for history in 0..<historyCount {
            let observatory = Observatory()
            let seed = Scale.seed &+ UInt64(history)
            var changes = NodeChanges(random: SplitMix64(seed: seed))
            try observatory.write { NodeChanges.begin($0) }
            try observatory.observe { realm in
                let watches = try watches(realm)
                var world = NodeWorld(realm)
                realm.refresh()
                for watch in watches {
                    #expect(watch.initialCalls == 1)
                    watch.known = watch.model(realm)
                }
                for step in 0..<30 {
                    try changes.commit(realm, observatory)
                    realm.refresh()
                    let now = NodeWorld(realm)
                    for watch in watches {
                        watch.check(realm, world, now, "seed \(seed) step \(step)")
                    }
                    world = now
                    stepCount += 1
                }
                for watch in watches { #expect(watch.initialCalls == 1) }
            }
        }
        print("change sets: \(stepCount) steps, 20 collections each")
    }

    @Test("sequences of the same few elements are compared in time")
    func repetitions() {
        let old = (0..<20_000).map { $0 % 3 }
        let new = (0..<20_000).map { $0 * 7 % 5 % 3 }
        let start = ContinuousClock.now
        let difference = SequenceDifference(from: old, to: new)
        #expect(ContinuousClock.now - start < .seconds(20))
        let keptOld = old.indices.filter(
            Set(old.indices).subtracting(difference.deletions).contains
        )
        let keptNew = new.indices.filter(
            Set(new.indices).subtracting(difference.insertions).contains
        )
        #expect(keptOld.map { old[$0] } == keptNew.map { new[$0] } && !keptOld.isEmpty)
    }

    @Test("sequences are compared exactly")
    func sequences() {
        var random = SplitMix64(seed: Scale.seed)
        for _ in 0..<(3000 * Scale.factor) {
            let old = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                Int.random(in: 0..<8, using: &random)
            }
            var new = old
            for _ in 0..<Int.random(in: 0..<5, using: &random) {
                switch Int.random(in: 0..<3, using: &random) {
                case 0:
                    new.insert(9, at: Int.random(in: 0...new.count, using: &random))
                case 1:
                    if !new.isEmpty { new.remove(at: new.indices.randomElement(using: &random)!) }
                default: new.shuffle(using: &random)
                }
            }
            let difference = SequenceDifference(from: old, to: new)
            let keptOld = old.indices.filter { !difference.deletions.contains($0) }
            let keptNew = new.indices.filter { !difference.insertions.contains($0) }
            #expect(keptOld.map { old[$0] } == keptNew.map { new[$0] })
            let map = PositionMap(difference)
            #expect(keptOld.map { map.newPosition(of: $0) } == keptNew)
            // Elements occur a few times here; as many stay as can.
            #expect(keptOld.count == Watch.commonCount(old, new), "\(old) \(new)")
        }
    }
}
