import Foundation
import Testing

@testable import Domesday

private class NodeCard: Projection<Node> {
    @Projected(\Node.name) var title
    @Projected(\Node.rank) var rank
    @Projected(\Node.tag?.weight) var weight
    @Projected(\Node.link) var link
    @Projected(\Node.others.projectTo.rank) var ranks: ProjectedCollection<Int>
    @Projected(\Node.numbers) var numbers
}

/// A card as the model has it: what each property shows, and all that it is shown by.
private struct ModelCard {
    var shown: [String: String] = [:]
    /// Also which objects lead there.
    var ways: [String: String] = [:]

    init?(_ realm: Realm) {
        guard let node = realm.object(ofType: Node.self, forPrimaryKey: 2) else { return nil }
        shown = [
            "title": node.name, "rank": "\(node.rank)",
            "weight": node.tag.map { "\($0.weight)" } ?? "nil",
            "link": node.link.map { "\($0.id)" } ?? "nil", "ranks": "nil", "numbers": "nil",
        ]
        ways = [
            "title": node.name, "rank": "\(node.rank)",
            "weight": "\(node.tag?.id ?? -1) \(node.tag?.weight ?? -1)",
            "link": "\(node.link?.id ?? -1)",
            "ranks": "\(node.others.map { [$0.id, $0.rank] })",
            "numbers": "\(Array(node.numbers))",
        ]
    }
}

private final class CardWatch {
    static let all = ["title", "rank", "weight", "link", "ranks", "numbers"]

    let properties: [String]
    var token: NotificationToken?
    var calls: [[PropertyChange]?] = []

    init(_ properties: [String]) { self.properties = properties }

    func hear(_ change: ObjectChange<NodeCard>) {
        switch change {
        case .change(_, let changes): calls.append(changes)
        case .deleted: calls.append(nil)
        case .error: Issue.record("error")
        }
    }

    func check(_ old: ModelCard?, _ new: ModelCard?, _ step: String) {
        defer { calls = [] }
        let context = "\(step) \(properties) \(calls)"
        guard let old else {
            #expect(calls.isEmpty, "told after its end: \(context)")
            return
        }
        guard let new else {
            #expect(calls.count == 1 && calls[0] == nil, "the end is not told: \(context)")
            return
        }
        let names = properties.filter { old.ways[$0] != new.ways[$0] }
        guard !names.isEmpty else {
            #expect(calls.isEmpty, "told of nothing: \(context)")
            return
        }
        guard calls.count == 1, let changes = calls[0] else {
            Issue.record("not told of \(names): \(context)")
            return
        }
        #expect(changes.map(\.name) == names, "\(context)")
        for change in changes {
            #expect(text(change.newValue) == new.shown[change.name], "\(context)")
            // A linked object that is gone is told as none.
            if change.name == "link", change.oldValue == nil { continue }
            #expect(text(change.oldValue) == old.shown[change.name], "\(context)")
        }
    }

    private func text(_ value: Any?) -> String {
        guard let value else { return "nil" }
        return (value as? Node).map { "\($0.id)" } ?? "\(value)"
    }
}

@Suite("Changes of projections")
struct ProjectionChangeTests {
    @Test("a projection's properties are told as something changes on their way")
    func histories() throws {
        let historyCount = 60 * Scale.factor
        print("changes of projections: seed \(Scale.seed), \(historyCount) histories")
        for history in 0..<historyCount {
            let observatory = Observatory()
            let seed = Scale.seed &+ UInt64(history)
            var changes = NodeChanges(random: SplitMix64(seed: seed))
            try observatory.write { NodeChanges.begin($0) }
            try observatory.observe { realm in
                let node = try #require(realm.object(ofType: Node.self, forPrimaryKey: 2))
                let card = NodeCard(projecting: node)
                let watches = [
                    CardWatch(CardWatch.all), CardWatch(["rank", "weight"]),
                    CardWatch(["ranks"]), CardWatch(["title", "numbers"]),
                ]
                watches[0].token = card.observe { [watch = watches[0]] in watch.hear($0) }
                watches[1].token = card.observe(keyPaths: [\.rank, \.weight]) {
                    [watch = watches[1]] in watch.hear($0)
                }
                watches[2].token = card.observe(keyPaths: [\NodeCard.ranks]) {
                    [watch = watches[2]] in watch.hear($0)
                }
                watches[3].token = card.observe(keyPaths: ["title", "numbers"]) {
                    [watch = watches[3]] in watch.hear($0)
                }
                var model = ModelCard(realm)
                for step in 0..<30 {
                    try changes.commit(realm, observatory)
                    // More often than chance would have it.
                    if step % 3 == 0, let weight = changes.pickWeight() {
                        try observatory.write {
                            $0.object(ofType: Node.self, forPrimaryKey: 2)?.tag?.weight = weight
                        }
                    }
                    realm.refresh()
                    let now = ModelCard(realm)
                    for watch in watches { watch.check(model, now, "seed \(seed) step \(step)") }
                    model = now
                }
                // What hears keeps its token, whose observer keeps what hears.
                for watch in watches { watch.token = nil }
            }
        }
    }

    @Test("queues and actors are told, and results of projections know their key paths")
    func places() async throws {
        let observatory = Observatory()
        try observatory.write { NodeChanges.begin($0) }
        let log = Counter<[String]>([])
        let tokens = try observatory.observe { realm in
            let cards = realm.objects(NodeCard.self)
            let other = DispatchQueue(label: "other")
            return Observation.Handed([
                cards[1].observe(keyPaths: [\.title], on: other) { change in
                    guard case .change(let card, let changes) = change else { return }
                    log.change { $0.append("queue \(card.title) \(changes.map(\.name))") }
                },
                cards.observe(keyPaths: [\.title]) { change in
                    guard case .update(_, _, _, let modifications) = change else { return }
                    log.change { $0.append("results \(modifications)") }
                },
            ])
        }
        let clerk = CardClerk()
        try await clerk.watch(observatory.configuration, log)
        // Waits for those who begin elsewhere.
        for round in 0..<200 where log.value.count < 3 {
            try observatory.write {
                $0.object(ofType: Node.self, forPrimaryKey: 2)?.name = "x\(round)"
                $0.object(ofType: Node.self, forPrimaryKey: 3)?.rank = round
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        let heard = Set(log.value.map { $0.split(separator: " ")[0] })
        #expect(heard == ["queue", "results", "actor"])
        #expect(log.value.allSatisfy { $0.hasSuffix("[\"title\"]") || $0 == "results [1]" })
        for token in tokens.value { token.invalidate() }
        await clerk.stop()
    }

    @Test("changes of a projection come as an asynchronous sequence that ends with it")
    @MainActor
    func sequence() async throws {
        let observatory = Observatory()
        try observatory.write { NodeChanges.begin($0) }
        let realm = try await Realm(configuration: observatory.configuration)
        let card = realm.objects(NodeCard.self)[1]
        let changes = card.changes.makeAsyncIterator()
        var iterator = changes
        try observatory.write { $0.object(ofType: Node.self, forPrimaryKey: 2)?.rank = 17 }
        guard
            case .change(let shown, let properties)? = await iterator.next(
                isolation: MainActor.shared
            )
        else {
            Issue.record("no change")
            return
        }
        #expect(shown.isFrozen && shown.rank == 17 && properties.map(\.name) == ["rank"])
        #expect(properties[0].oldValue as? Int == 2 && properties[0].newValue as? Int == 17)
        try observatory.write { $0.deleteAll() }
        guard case .deleted? = await iterator.next(isolation: MainActor.shared) else {
            Issue.record("not deleted")
            return
        }
        #expect(await iterator.next(isolation: MainActor.shared) == nil)
    }

    @Test("misuse traps", arguments: 0..<3)
    func misuse(_ number: Int) async {
        let result: ExitTest.Result?
        let text: String
        switch number {
        case 0:
            text = "Property 'titel' in KeyPath 'titel' is not a valid property in NodeCard"
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let observatory = Observatory()
                try observatory.write { NodeChanges.begin($0) }
                try observatory.observe { realm in
                    _ = realm.objects(NodeCard.self)[0].observe(keyPaths: ["titel"]) { _ in }
                }
            }
        case 1:
            text = "Only objects which are managed by a Realm support change notifications"
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                _ = NodeCard(projecting: Node()).observe { _ in }
            }
        default:
            text = "Property 'nme' in KeyPath 'nme' is not a valid property in Node"
            result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
            {
                let observatory = Observatory()
                try observatory.write { NodeChanges.begin($0) }
                try observatory.observe { realm in
                    _ = realm.objects(Node.self).sectioned(by: \.rank)
                        .observe(keyPaths: ["nme"]) { _ in }
                }
            }
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains(text), "\(output.prefix(600))")
    }
}

private actor CardClerk {
    private var token: NotificationToken?

    func watch(_ configuration: Realm.Configuration, _ log: Counter<[String]>) async throws {
        let realm = try await Realm(configuration: configuration)
        token = await realm.objects(NodeCard.self)[1].observe(keyPaths: [\.title], on: self) {
            _,
            change in
            guard case .change(_, let changes) = change else { return }
            let names = changes.map(\.name)
            log.change { $0.append("actor \(names)") }
        }
    }

    func stop() { token = nil }
}
