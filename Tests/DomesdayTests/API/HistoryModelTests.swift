import Foundation
import Testing

@testable import Domesday

/// Random commits, and beside them what each version looked like.
private final class HistoryWorld {
    private struct Image: Equatable {
        let className: String
        let primaryKey: String?
        /// In the order of declaration.
        let properties: [(name: String, value: String)]

        static func == (a: Image, b: Image) -> Bool {
            a.properties.elementsEqual(b.properties) { $0 == $1 }
        }

        func differing(from other: Image) -> Set<String> {
            Set(zip(properties, other.properties).filter { $0.value != $1.value }.map(\.0.name))
        }
    }

    /// By class and number.
    private typealias State = [String: [Int64: Image]]

    private let configuration: Realm.Configuration
    private(set) var realm: Realm
    private var random: SplitMix64
    private var states: [(token: Realm.HistoryToken, state: State)] = []
    private var nextName = 0
    private(set) var checkCount = 0

    init(_ configuration: Realm.Configuration, seed: UInt64) throws {
        self.configuration = configuration
        random = SplitMix64(seed: seed)
        realm = try Realm(configuration: configuration)
        try note()
    }

    private func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private func note() throws { states.append((try realm.historyToken, state())) }

    private func number(_ object: ObjectBase?) -> String {
        object.map { "\($0.objectBinding.key)" } ?? "-"
    }

    private func state() -> State {
        var state: State = ["HistoryItem": [:], "HistoryNote": [:], "HistoryPart": [:]]
        for item in realm.objects(HistoryItem.self) {
            state["HistoryItem"]?[item.objectBinding.key] = Image(
                className: "HistoryItem",
                primaryKey: item.name,
                properties: [
                    ("name", item.name), ("number", "\(item.number)"),
                    ("text", item.text ?? "-"), ("numbers", "\(Array(item.numbers))"),
                    ("friend", number(item.friend)), ("part", number(item.part)),
                ]
            )
            guard let part = item.part else { continue }
            state["HistoryPart"]?[part.objectBinding.key] = Image(
                className: "HistoryPart",
                primaryKey: nil,
                properties: [("size", "\(part.size)")]
            )
        }
        for note in realm.objects(HistoryNote.self) {
            state["HistoryNote"]?[note.objectBinding.key] = Image(
                className: "HistoryNote",
                primaryKey: nil,
                properties: [("text", note.text)]
            )
        }
        return state
    }

    func step() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: try reopen()
        case 1:
            realm.beginWrite()
            try change()
            realm.cancelWrite()
        case 2...4: try check()
        default:
            let before = states.count
            try realm.write { try change() }
            try note()
            // A commit that changes nothing makes no version.
            if states[before - 1].token == states[before].token { states.removeLast() }
        }
    }

    private func reopen() throws {
        var configuration = configuration
        // Who does not ask for a history keeps it as well.
        if chance(2) { configuration.historyRetention = nil }
        realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: "none", objectTypes: [])
        )
        realm = try Realm(configuration: configuration)
    }

    private func change() throws {
        let isLarge = chance(15)
        for _ in 0..<(isLarge ? 400 : Int.random(in: 1...4, using: &random)) { try changeOne() }
    }

    private func anyItem() -> HistoryItem? {
        realm.objects(HistoryItem.self).randomElement(using: &random)
    }

    private func changeOne() throws {
        switch Int.random(in: 0..<14, using: &random) {
        case 0...2:
            nextName += 1
            // Often one that was there before.
            let name = chance(2) ? "n\(nextName)" : "n\(Int.random(in: 0...20, using: &random))"
            realm.create(HistoryItem.self, value: ["name": name], update: .modified)
        case 3: realm.create(HistoryNote.self, value: ["text": "t\(nextName)"])
        case 4:
            let count = realm.objects(HistoryItem.self).count
            if count > 30 || chance(3), let item = anyItem() { realm.delete(item) }
        case 5:
            if let note = realm.objects(HistoryNote.self).randomElement(using: &random) {
                if chance(2) { realm.delete(note) } else { note.text += "x" }
            }
        case 6, 7: anyItem()?.number = Int.random(in: 0...3, using: &random)
        case 8:
            let texts = [nil, "a", String(repeating: "long", count: 3000)]
            anyItem()?.text = texts.randomElement(using: &random) ?? nil
        case 9:
            if let item = anyItem() {
                if item.numbers.count > 3 { item.numbers.removeAll() }
                item.numbers.append(Int.random(in: 0...3, using: &random))
            }
        case 10: anyItem()?.friend = chance(3) ? nil : anyItem()
        case 11: anyItem()?.part = chance(3) ? nil : HistoryPart()
        case 12: anyItem()?.part?.size += 1
        default:
            // There and back.
            if let item = anyItem() {
                item.number += 1
                item.number -= 1
            }
        }
    }

    /// Compares the history since a random token with the states since then.
    func check() throws {
        let index = Int.random(in: 0..<states.count, using: &random)
        let history = try realm.history(since: states[index].token)
        checkCount += 1
        #expect(history.token == states[states.count - 1].token)
        #expect(history.commits.count == states.count - 1 - index)
        var found: [String] = []
        for change in history.changes {
            let key = change.primaryKey.map { "\($0)" } ?? ""
            found.append("\(change.kind) \(change.className) \(change.objectNumber) \(key)")
            if change.kind != .deleted {
                let object = realm.dynamicObject(for: change)
                #expect(object?.objectBinding.key == change.objectNumber)
            }
        }
        #expect(found == expected(since: index))
    }

    private func expected(since index: Int) -> [String] {
        let (old, new) = (states[index].state, states[states.count - 1].state)
        var parts: [[String]] = [[], [], []]
        func add(_ part: Int, _ kind: Realm.History.Change.Kind, _ image: Image, _ key: Int64) {
            let name = image.primaryKey.map { "\(Realm.History.PrimaryKey.string($0))" } ?? ""
            parts[part].append("\(kind) \(image.className) \(key) \(name)")
        }
        for className in new.keys.sorted() {
            let (before, after) = (old[className] ?? [:], new[className] ?? [:])
            for key in before.keys.sorted() where after[key] == nil {
                if let image = before[key] { add(0, .deleted, image, key) }
            }
            for key in after.keys.sorted() {
                guard let image = after[key] else { continue }
                if before[key] == nil {
                    add(1, .inserted, image, key)
                    continue
                }
                var changed: Set<String> = []
                for step in index..<(states.count - 1) {
                    guard let a = states[step].state[className]?[key],
                        let b = states[step + 1].state[className]?[key]
                    else { continue }
                    changed.formUnion(a.differing(from: b))
                }
                let names = image.properties.map(\.name).filter { changed.contains($0) }
                if !names.isEmpty { add(2, .modified(names), image, key) }
            }
        }
        return parts.flatMap { $0 }
    }
}

/// A copy of a store, kept up by its history alone.
struct HistoryReplica {
    private(set) var token: Realm.HistoryToken
    private var rows: [String: [String]] = [:]
    private(set) var commitCount = 0

    static func image(_ item: HistoryItem) -> [String] {
        [item.name, "\(item.number)", item.text ?? "-", "\(Array(item.numbers))"]
    }

    /// A copy of what there is.
    init(_ realm: Realm) throws {
        token = try realm.historyToken
        for item in realm.objects(HistoryItem.self) { rows[item.name] = Self.image(item) }
    }

    /// Catches up; throws if the history does not fit the copy.
    mutating func follow(_ realm: Realm) throws {
        func fail(_ text: String) -> MeetingError { MeetingError(description: text) }
        let history = try realm.history(since: token)
        for change in history.changes where change.className == "HistoryItem" {
            guard case .string(let name)? = change.primaryKey else { throw fail("no key") }
            if change.kind == .deleted {
                if rows.removeValue(forKey: name) == nil { throw fail("deleted \(name)") }
                continue
            }
            guard let item = realm.object(ofType: HistoryItem.self, for: change) else {
                throw fail("\(name) is gone")
            }
            let (old, new) = (rows[name], Self.image(item))
            rows[name] = new
            switch change.kind {
            case .inserted: if old != nil { throw fail("inserted \(name) again") }
            case .modified(let names):
                guard let old else { throw fail("modified \(name)") }
                for (index, property) in ["name", "number", "text", "numbers"].enumerated()
                where old[index] != new[index] && !names.contains(property) {
                    throw fail("\(property) of \(name) was not told")
                }
            case .deleted: break
            }
        }
        commitCount += history.commits.count
        token = history.token
        let present = realm.objects(HistoryItem.self).map { ($0.name, Self.image($0)) }
        if Dictionary(uniqueKeysWithValues: present) != rows { throw fail("the copy differs") }
    }
}

@Suite("History against a model", .serialized)
struct HistoryModelTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("history.domesday")
    }

    static func configuration(
        _ path: String,
        _ retention: Realm.HistoryRetention?
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path),
            objectTypes: [HistoryItem.self, HistoryNote.self, HistoryPart.self]
        )
        configuration.historyRetention = retention
        configuration.busyTimeout = .seconds(60)
        return configuration
    }

    @Test("the history is what a model of random commits says", arguments: [nil, 1 << 14])
    func randomCommits(cacheByteLimit: Int?) throws {
        print("seed \(Scale.seed)")
        var configuration = Self.configuration(path, .unlimited)
        // So small that clusters leave the cache in between.
        if let cacheByteLimit { configuration.cacheByteLimit = cacheByteLimit }
        let world = try HistoryWorld(configuration, seed: Scale.seed)
        for _ in 0..<(300 * min(Scale.factor, 20)) { try world.step() }
        for _ in 0..<20 { try world.check() }
        try world.realm.verify()
        print("checked \(world.checkCount) histories")
    }

    /// Random commits on this thread; follows all that happens by the history.
    static func change(
        _ path: String,
        seed: UInt64,
        commits: Int,
        replica: inout HistoryReplica?
    ) throws {
        var random = SplitMix64(seed: seed)
        // Who writes need not ask for a history.
        let realm = try Realm(configuration: configuration(path, nil))
        for number in 0..<commits {
            try realm.write {
                let items = realm.objects(HistoryItem.self)
                for _ in 0..<(number % 20 == 7 ? 300 : 2) {
                    let name = "n\(Int.random(in: 0..<60, using: &random))"
                    let item = items.where { $0.name == name }.first
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: if let item { realm.delete(item) }
                    case 1: item?.number += 1
                    case 2: item?.numbers.append(number)
                    default:
                        let value: [String: Any] = ["name": name, "text": "\(number)"]
                        realm.create(HistoryItem.self, value: value, update: .modified)
                    }
                }
            }
            if Int.random(in: 0..<5, using: &random) == 0 { try replica?.follow(realm) }
        }
        realm.refresh()
        try replica?.follow(realm)
    }

    @Test("two processes follow each other by the history alone")
    func processes() async throws {
        let commits = min(60 * Scale.factor, 2000)
        let meeting = Meeting(folder: folder.url.path)
        let other = Task(executorPreference: OwnThreads.shared) { [meeting, path] in
            _ = await #expect(processExitsWith: .success) {
                [
                    meeting = meeting.folder as String, path = path as String,
                    commits = commits as Int
                ] in
                let meeting = Meeting(folder: meeting)
                // The token of the other process is good here.
                let text = try meeting.wait(for: "token")
                let token = try #require(Realm.HistoryToken(text))
                let realm = try Realm(configuration: HistoryModelTests.configuration(path, nil))
                var replica: HistoryReplica? = try HistoryReplica(realm)
                guard try realm.history(since: token).commits.isEmpty else { exit(3) }
                meeting.tell("ready")
                try HistoryModelTests.change(
                    path,
                    seed: Scale.seed,
                    commits: commits,
                    replica: &replica
                )
                meeting.tell("done")
            }
        }
        try await onThread { [path] in
            let realm = try Realm(configuration: Self.configuration(path, .unlimited))
            var replica: HistoryReplica? = try HistoryReplica(realm)
            meeting.tell("token", try realm.historyToken.description)
            try meeting.wait(for: "ready")
            try Self.change(path, seed: Scale.seed &+ 9, commits: commits, replica: &replica)
            try meeting.wait(for: "done")
            realm.refresh()
            try replica?.follow(realm)
            let count = try #require(replica?.commitCount)
            print("followed \(count) commits of two processes")
            #expect(count > commits)
            try realm.verify()
        }
        await other.value
    }

    /// Opens the store anew and catches up.
    private static func follow(_ path: String, _ replica: inout HistoryReplica?) throws {
        let realm = try Realm(configuration: configuration(path, .commits(100_000)))
        if replica == nil { replica = try HistoryReplica(realm) }
        try replica?.follow(realm)
        try realm.verify()
    }

    @Test("after a killed writer the history tells what the store holds")
    func killed() async throws {
        var replica: HistoryReplica?
        let rounds = min(6 * Scale.factor, 100)
        for round in 0..<rounds {
            try Self.follow(path, &replica)
            OpenRealms.waitForClosing(path)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, seed = Scale.seed &+ UInt64(round) as UInt64] in
                let slowness: UInt32 = ProcessMemory.isSanitized ? 8 : 1
                let killer = Thread {
                    usleep(100_000 * slowness + UInt32(seed % 7) * 23_000)
                    kill(getpid(), SIGKILL)
                }
                var nobody: HistoryReplica?
                // On a busy machine opening may take longer than any delay.
                try HistoryModelTests.change(path, seed: seed, commits: 1, replica: &nobody)
                killer.start()
                while true {
                    try HistoryModelTests.change(path, seed: seed, commits: 100, replica: &nobody)
                }
            }
        }
        try Self.follow(path, &replica)
        let count = replica?.commitCount ?? 0
        print("kills: \(rounds), followed \(count) commits")
        #expect(count > 0)
    }

    @Test("a damaged record is an error, and nothing is read beyond it")
    func damage() throws {
        var record = HistoryRecord(.init(date: 1, mark: 2, author: "me", changesSchema: true))
        var table = HistoryRecord.Table(id: 3)
        table.inserted = KeyRuns([5, 6, 7, 900])
        table.deleted = KeyRuns([1, 3])
        table.primaryKeys = [.string([65, 66]), .none]
        var columns = ColumnSet()
        columns.insert(2)
        columns.insert(70)
        table.modified[columns] = KeyRuns([4, 8])
        columns.insert(3)
        table.modified[columns] = KeyRuns([10])
        record.tables = [table]
        let bytes = record.encoded().bytes
        let error = StorageError(.damaged, path: "", detail: "")
        func decode(_ bytes: [UInt8]) throws -> HistoryRecord {
            var writer = ByteWriter()
            bytes.withUnsafeBytes { writer.append(raw: $0) }
            let blob = writer.blob()
            defer { withExtendedLifetime(blob) {} }
            return try HistoryRecord(blob, damage: error)
        }
        #expect(try decode(bytes) == record)
        for end in 0..<bytes.count {
            #expect(throws: StorageError.self) { try decode(Array(bytes[..<end])) }
        }
        var random = SplitMix64(seed: Scale.seed)
        var refused = 0
        for _ in 0..<20_000 * Scale.factor {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<changed.count, using: &random)
                changed[index] = UInt8.random(in: 0...255, using: &random)
            }
            if (try? decode(changed)) == nil { refused += 1 }
        }
        #expect(refused > 1000)
    }

    @Test("records that contradict the store are found by the check and refused when read")
    func contradiction() throws {
        let realm = try Realm(configuration: Self.configuration(path, .unlimited))
        let token = try realm.historyToken
        try realm.write { realm.create(HistoryItem.self, value: ["name": "a"]) }
        let reader = realm.state.reader
        let history = try #require(reader.snapshot.history)
        var record = HistoryRecord(.init(date: 0, mark: 0, author: "", changesSchema: false))
        var table = HistoryRecord.Table(id: 0)
        table.inserted = KeyRuns([1_000_000])
        record.tables = [table]
        let writer = try reader.store.pages.beginWrite()
        let blob = record.encoded().blob()
        blob.version = reader.snapshot.version
        try writer.write(blob, at: history.address(of: reader.snapshot.version))
        try writer.commit()
        #expect(throws: Realm.Error.self) { try realm.history(since: token) }
        #expect(try StoreCheck.findings(in: reader.store).contains { $0.contains("never given") })
    }
}
