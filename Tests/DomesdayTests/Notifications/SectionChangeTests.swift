import Foundation
import Testing

@testable import Domesday

/// Sections as the model has them.
private struct ModelSections: Equatable {
    var keys: [String] = []
    var ids: [[Int]] = []

    init(_ nodes: [Node], _ key: (Node) -> String) {
        for node in nodes {
            let key = key(node)
            let index = keys.firstIndex(of: key) ?? keys.count
            if index == keys.count {
                keys.append(key)
                ids.append([])
            }
            ids[index].append(node.id)
        }
    }
}

/// Observed sections, or one of them, their model, and what they were told.
private final class SectionWatch {
    typealias Call = (
        deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        inNew: [IndexPath], come: IndexSet, gone: IndexSet
    )

    let name: String
    let only: String?
    let model: (Realm) -> ModelSections
    let isModified: (Int, NodeWorld, NodeWorld) -> Bool
    var token: NotificationToken?
    var known = ModelSections([]) { _ in "" }
    var calls: [Call] = []
    var initialCalls = 0

    init(
        _ name: String,
        only: String? = nil,
        isModified: @escaping (Int, NodeWorld, NodeWorld) -> Bool = {
            $2.isModified($0, since: $1, depth: 4)
        },
        _ model: @escaping (Realm) -> ModelSections
    ) {
        self.name = name
        self.only = only
        self.model = model
        self.isModified = isModified
    }

    func observe<S: RealmSectionedResult>(_ sections: S, _ keyPaths: [String]? = nil) {
        token = sections.observe(keyPaths: keyPaths) { [unowned self] change in
            switch change {
            case .initial: initialCalls += 1
            case .update(
                _,
                let deletions,
                let insertions,
                let modifications,
                let come,
                let gone
            ):
                calls.append(
                    (deletions, insertions, modifications, change.modificationsInNew, come, gone)
                )
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
        let context = "\(name), \(step), \(known) \(now) \(calls)"
        #expect(calls.count <= 1, "\(context)")
        let call = calls.first ?? ([], [], [], [], [], [])
        var pairs: [(Int?, Int?)] = []
        if let only {
            let (before, after) = (
                known.keys.firstIndex(of: only), now.keys.firstIndex(of: only)
            )
            #expect(Array(call.gone) == (after == nil ? before.map { [$0] } ?? [] : []))
            #expect(Array(call.come) == (before == nil ? after.map { [$0] } ?? [] : []))
            pairs = [(before, after)]
        } else {
            let kept = known.keys.indices.filter { !call.gone.contains($0) }
            let keptNew = now.keys.indices.filter { !call.come.contains($0) }
            guard kept.map({ known.keys[$0] }) == keptNew.map({ now.keys[$0] }) else {
                Issue.record("sections that stayed differ: \(context)")
                return
            }
            pairs = zip(kept, keptNew).map { ($0, $1) }
            pairs += call.gone.map { ($0, nil) } + call.come.map { (nil, $0) }
        }
        var modified: [IndexPath] = []
        var inNew: [IndexPath] = []
        for (before, after) in pairs {
            let oldIDs = before.map { known.ids[$0] } ?? []
            let newIDs = after.map { now.ids[$0] } ?? []
            let kept = oldIDs.indices.filter { row in
                !call.deletions.contains { $0[0] == before && $0[1] == row }
            }
            let keptNew = newIDs.indices.filter { row in
                !call.insertions.contains { $0[0] == after && $0[1] == row }
            }
            #expect(kept.map { oldIDs[$0] } == keptNew.map { newIDs[$0] }, "\(context)")
            for (row, newRow) in zip(kept, keptNew) where isModified(oldIDs[row], old, new) {
                modified.append([before ?? -1, row])
                inNew.append([(only == nil ? after : before) ?? -1, newRow])
            }
        }
        #expect(call.modifications == modified.sorted(), "\(context)")
        if only == nil { #expect(Set(call.inNew) == Set(inNew), "\(context)") }
        #expect(
            call.deletions == call.deletions.sorted()
                && call.insertions == call.insertions.sorted(),
            "\(context)"
        )
        if known == now, modified.isEmpty { #expect(calls.isEmpty, "told of nothing: \(context)") }
    }
}

@Suite("Changes of sections")
struct SectionChangeTests {
    private func watches(_ realm: Realm) -> [SectionWatch] {
        let all = realm.objects(Node.self)
        func sorted(_ realm: Realm) -> [Node] {
            realm.objects(Node.self).sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }
        }
        var result: [SectionWatch] = []
        func add<S: RealmSectionedResult>(
            _ watch: SectionWatch,
            _ sections: S,
            _ keyPaths: [String]? = nil
        ) {
            watch.observe(sections, keyPaths)
            result.append(watch)
        }
        let byRank = all.sectioned(by: \.rank)
        add(SectionWatch("by rank") { ModelSections(sorted($0)) { "\($0.rank)" } }, byRank)
        for rank in [3, 5] {
            // Made by hand: a section that is not there can be observed too.
            let section = ResultsSection(state: byRank.state, key: rank)
            add(
                SectionWatch("rank \(rank)", only: "\(rank)") {
                    ModelSections(sorted($0)) { "\($0.rank)" }
                },
                section
            )
        }
        add(
            SectionWatch("filtered, by a block") {
                ModelSections(sorted($0).filter { $0.group > 1 }) { "\($0.rank % 2)" }
            },
            all.filter("group > 1").sectioned(sortDescriptors: ["rank", "id"]) {
                "\($0.rank % 2)"
            }
        )
        add(
            SectionWatch("by a link", isModified: { _, _, _ in false }) {
                ModelSections(sorted($0)) { "\($0.tag?.weight ?? -1)" }
            },
            all.sectioned(sortDescriptors: ["rank", "id"]) { "\($0.tag?.weight ?? -1)" },
            []
        )
        add(
            SectionWatch(
                "key path",
                isModified: { $1.nodes[$0]?.fields["name"] != $2.nodes[$0]?.fields["name"] }
            ) { ModelSections(sorted($0)) { "\($0.group)" } },
            all.sectioned(sortDescriptors: ["rank", "id"]) { "\($0.group)" },
            ["name"]
        )
        return result
    }

    @Test("changes of sections are the differences of what was told and what is there")
    func histories() throws {
        let historyCount = 20 * Scale.factor
        print("changes of sections: seed \(Scale.seed), \(historyCount) histories")
        for history in 0..<historyCount {
            let observatory = Observatory()
            let seed = Scale.seed &+ UInt64(history)
            var changes = NodeChanges(random: SplitMix64(seed: seed))
            try observatory.write { NodeChanges.begin($0) }
            try observatory.observe { realm in
                let watches = watches(realm)
                var world = NodeWorld(realm)
                realm.refresh()
                for watch in watches { watch.known = watch.model(realm) }
                for step in 0..<30 {
                    try changes.commit(realm, observatory)
                    realm.refresh()
                    let now = NodeWorld(realm)
                    for watch in watches {
                        watch.check(realm, world, now, "seed \(seed) step \(step)")
                    }
                    world = now
                }
                for watch in watches { #expect(watch.initialCalls == 1) }
            }
        }
    }

    @Test("queues and actors are told of their own Realm's sections, by key paths too")
    func places() async throws {
        let observatory = Observatory()
        try observatory.write { NodeChanges.begin($0) }
        let log = Counter<[String]>([])
        let tokens = try observatory.observe { realm in
            let sections = realm.objects(Node.self).sectioned(by: \.rank)
            let other = DispatchQueue(label: "other")
            return Observation.Handed([
                sections.observe(keyPaths: [\.name], on: other) { change in
                    log.change { $0.append("sections \(text(change))") }
                },
                sections[1].observe(keyPaths: [\.name]) { change in
                    log.change { $0.append("section \(text(change))") }
                },
            ])
        }
        let clerk = SectionClerk()
        try await clerk.watch(observatory.configuration, log)
        #expect(try await eventually { log.value.filter { $0.hasSuffix("initial") }.count == 3 })
        try observatory.write { $0.object(ofType: Node.self, forPrimaryKey: 1)?.name = "x" }
        #expect(try await eventually { log.value.count == 6 })
        #expect(
            log.value.suffix(3).sorted() == [
                "actor [] [] [[1, 0]] [] []", "section [] [] [[1, 0]] [] []",
                "sections [] [] [[1, 0]] [] []",
            ]
        )
        for token in tokens.value { token.invalidate() }
        await clerk.stop()
    }

    @Test("changes of sections come as an asynchronous sequence, frozen")
    @MainActor
    func sequence() async throws {
        let observatory = Observatory()
        try observatory.write { NodeChanges.begin($0) }
        let realm = try await Realm(configuration: observatory.configuration)
        var log: [String] = []
        for await change in realm.objects(Node.self).sectioned(by: \.rank).changes {
            log.append(text(change))
            if case .update(let sections, _, _, _, _, _) = change {
                #expect(sections.isFrozen && sections.count == 7)
            }
            if log.count == 2 { break }
            try observatory.write { $0.add(Node(value: ["id": 50, "rank": -1])) }
        }
        #expect(log == ["initial", "[] [[0, 0]] [] [0] []"])
    }
}

/// A change of sections in words.
private func text<S>(_ change: RealmSectionedResultsChange<S>) -> String {
    switch change {
    case .initial: "initial"
    case .update(_, let deletions, let insertions, let modifications, let come, let gone):
        "\(deletions.map(Array.init)) \(insertions.map(Array.init)) "
            + "\(modifications.map(Array.init)) \(Array(come)) \(Array(gone))"
    }
}

private actor SectionClerk {
    private var token: NotificationToken?

    func watch(_ configuration: Realm.Configuration, _ log: Counter<[String]>) async throws {
        let realm = try await Realm(configuration: configuration)
        let sections = realm.objects(Node.self).sectioned(by: \.rank)
        token = await sections.observe(keyPaths: [\.name], on: self) { _, change in
            let text = text(change)
            log.change { $0.append("actor \(text)") }
        }
    }

    func stop() { token = nil }
}
