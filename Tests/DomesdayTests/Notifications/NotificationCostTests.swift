import Foundation
import Testing

@testable import Domesday

/// What observing costs; figures only where asked for by `DOMESDAY_MEASURE`.
@Suite(
    "Costs of notifications",
    .enabled(if: ProcessInfo.processInfo.environment["DOMESDAY_MEASURE"] != nil)
)
struct NotificationCostTests {
    /// Processor seconds of this thread's process.
    private static func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    private func observatory(_ folder: TemporaryFolder, _ count: Int) throws -> Realm.Configuration
    {
        let configuration = Realm.Configuration(
            fileURL: folder.url.appendingPathComponent("cost\(count)"),
            objectTypes: [Node.self, Tag.self]
        )
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<count {
                realm.add(Node(value: ["id": id, "group": id % 2, "rank": id % 100]))
            }
        }
        return configuration
    }

    private func commits(_ realm: Realm, _ count: Int, _ change: (Node, Int) -> Void) throws
        -> Double
    {
        let node = try #require(realm.object(ofType: Node.self, forPrimaryKey: 1001))
        let start = Self.processorTime()
        for round in 0..<count {
            try realm.write { change(node, round) }
            realm.refresh()
        }
        return (Self.processorTime() - start) / Double(count) * 1e6
    }

    @Test("a commit of one change beside a hundred unaffected results")
    func unaffected() throws {
        let folder = try TemporaryFolder()
        let configuration = try observatory(folder, 20_000)
        let queue = DispatchQueue(label: "cost")
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            for (name, change) in [
                ("a property that no condition reads", { $0.ratio = Double($1) }),
                ("the property that sorts", { $0.rank = $1 }),
            ] as [(String, (Node, Int) -> Void)] {
                _ = try commits(realm, 20, change)
                let alone = try commits(realm, 200, change)
                let one = realm.observe { _, _ in }
                let pinned = try commits(realm, 200, change)
                one.invalidate()
                let tokens = (0..<100).map { _ in
                    realm.objects(Node.self).filter("group == 0").sorted(byKeyPath: "rank")
                        .observe { change in
                            if case .update = change { Issue.record("affected") }
                        }
                }
                realm.refresh()
                // Once, each looks its objects' keys through.
                _ = try commits(realm, 20, change)
                let observed = try commits(realm, 200, change)
                print(
                    "cost: \(name): alone \(Int(alone)) us, one observer of the Realm \(Int(pinned)), "
                        + "100 results \(Int(observed)), ratio \(observed / alone)"
                )
                for token in tokens { token.invalidate() }
            }
        }
    }

    @Test("a refresh after one commit takes as long whatever the size of the table")
    func refresh() throws {
        let folder = try TemporaryFolder()
        var medians: [Double] = []
        for count in [2000, 20_000, 80_000] {
            let configuration = try observatory(folder, count)
            let queue = DispatchQueue(label: "cost")
            try queue.sync {
                let realm = try Realm(configuration: configuration, queue: queue)
                let writer = try Realm(configuration: configuration)
                let node = try #require(writer.objects(Node.self).first)
                var times: [Double] = []
                for round in 0..<100 {
                    try writer.write { node.ratio = Double(round) }
                    let start = DispatchTime.now().uptimeNanoseconds
                    realm.refresh()
                    times.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1000)
                }
                medians.append(times.sorted()[50])
                print("cost: refresh of \(count) objects: \(medians[medians.count - 1]) us")
            }
        }
        // Forty times the objects; other tests run meanwhile.
        #expect(medians[2] < medians[0] * 8 + 100)
    }
}
