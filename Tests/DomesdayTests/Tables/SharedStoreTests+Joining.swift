import Foundation
import Glibc
import Testing

@testable import Domesday

// Who joins, who leaves, and of which format and schema the store is meanwhile.
extension SharedStoreTests {
    @Test("a process is alone again once the other one was killed, and works as before")
    func aloneAgain() async throws {
        let opened = try Opened(path)
        try opened.insert([1])
        #expect(!opened.store.pages.isShared)
        let other = Task(executorPreference: OwnThreads.shared) { [meeting, path] in
            _ = await #expect(processExitsWith: .signal(SIGKILL)) {
                [meeting = meeting.folder as String, path = path as String] in
                let meeting = Meeting(folder: meeting)
                let opened = try Opened(path)
                try opened.insert([2])
                meeting.tell("joined")
                try meeting.wait(for: "never")
                withExtendedLifetime(opened) {}
            }
        }
        let processes = try await onThread { [meeting, path] in
            try meeting.wait(for: "joined")
            let lock = try StoreLock(StoreFile(path: path), isReadOnly: true)
            defer { lock.release() }
            return SharedPage.processes(in: lock)
        }
        #expect(processes.count == 2)
        #expect(opened.store.pages.isShared)
        for process in processes where process != getpid() { kill(process, SIGKILL) }
        await other.value
        try opened.insert([3])
        try await onThread { [meeting, store = opened.store] in
            try meeting.wait("being alone") { !store.pages.isShared }
        }
        try opened.insert([4])
        #expect(try opened.values() == [1, 2, 3, 4])
        // It may do what needs the store alone.
        try opened.store.pages.keepOthersOut()
        opened.store.pages.letOthersIn()
    }

    @Test("a store of an older format is brought up by one process alone")
    func olderFormat() async throws {
        let opened = try Opened(path)
        try opened.insert([1])
        await #expect(processExitsWith: .success) {
            [path = path as String, pid = getpid() as Int32] in
            // As if the other process were an older release.
            let connection = try SQLiteConnection(
                file: path,
                path: path,
                role: .writer(.full),
                busyTimeout: .seconds(5)
            )
            try connection.execute("PRAGMA user_version=4")
            connection.close()
            let error = #expect(throws: StorageError.self) { try SQLitePageStore(path: path) }
            guard error?.code == .busy,
                error?.detail.contains("process \(pid) has the store open, which is of format 4")
                    == true
            else { exit(3) }
        }
        try opened.insert([2])
        try opened.store.close()
        let again = try Opened(path)
        #expect(try again.values() == [1, 2])
    }

    @Test(
        "a column that another process adds is seen; one that it removes ends the use of the store"
    )
    func otherSchemas() async throws {
        let other = Task(executorPreference: OwnThreads.shared) { [meeting, path] in
            _ = await #expect(processExitsWith: .success) {
                [meeting = meeting.folder as String, path = path as String] in
                // Changes the table as no release does while others have the store open.
                let meeting = Meeting(folder: meeting)
                try meeting.wait(for: "open")
                let store = try Store(pages: SQLitePageStore(path: path), cacheByteLimit: 1 << 18)
                let reader = StoreReader(store: store)
                try reader.beginWrite()
                let table = try #require(reader.table(named: "Thing"))
                var column = try #require(table.definition.column(named: "a"))
                column.name = "c"
                try reader.write?.addColumn(column, to: table)
                try table.writer(of: table.insert()).setInt(7, 0)
                try reader.commitWrite()
                meeting.tell("added")
                try meeting.wait(for: "seen")
                try reader.beginWrite()
                try reader.write?.removeColumn(1, from: table)
                try reader.commitWrite()
                meeting.tell("removed")
            }
        }
        try await onThread { [meeting, path] in
            var configuration = Realm.Configuration(
                fileURL: URL(fileURLWithPath: path),
                objectTypes: []
            )
            configuration.objectSchemas = [
                ObjectSchema(
                    className: "Thing",
                    properties: ["a", "b"].map { Property($0, .int) }
                )
            ]
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.dynamicCreate("Thing", value: ["a": 1, "b": 2]) }
            meeting.tell("open")
            try meeting.wait(for: "added")
            #expect(realm.refresh())
            #expect(realm.dynamicObjects("Thing").map { $0["a"] as? Int } == [1, 7])
            let columns = realm.state.reader.tables[0]?.definition.columns.map(\.name)
            #expect(columns == ["a", "b", "c"])
            try realm.write { realm.dynamicCreate("Thing", value: ["a": 8]) }
            meeting.tell("seen")
            try meeting.wait(for: "removed")
            // It stays where it is, and reads what it read.
            #expect(!realm.refresh())
            #expect(realm.dynamicObjects("Thing").map { $0["b"] as? Int } == [2, 0, 0])
            let error = #expect(throws: Realm.Error.self) { try realm.write {} }
            #expect(error?.code == .schemaMismatch)
            #expect(error?.description.contains("'Thing'") == true)
            #expect(!realm.isInWriteTransaction)
            #expect(realm.dynamicObjects("Thing").count == 3)
        }
        await other.value
    }

    @Test("a process that only reads sees what another one writes")
    func reading() async throws {
        let opened = try Opened(path)
        try opened.insert([1])
        let other = Task(executorPreference: OwnThreads.shared) { [meeting, path] in
            _ = await #expect(processExitsWith: .success) {
                [meeting = meeting.folder as String, path = path as String] in
                let meeting = Meeting(folder: meeting)
                let pages = try SQLitePageStore(path: path, options: .init(isReadOnly: true))
                let store = try Store(pages: pages, cacheByteLimit: 1 << 18)
                let reader = StoreReader(store: store)
                func count() throws -> Int { try #require(reader.tables[0]).count }
                guard try count() == 1 else { exit(3) }
                meeting.tell("read")
                try meeting.wait("the commit") {
                    try reader.refresh()
                    return try count() == 2
                }
                let error = #expect(throws: StorageError.self) { try reader.beginWrite() }
                guard error?.code == .readOnly else { exit(4) }
            }
        }
        try await onThread { [meeting] in _ = try meeting.wait(for: "read") }
        try opened.insert([2])
        await other.value
    }

    @Test("what dead processes left in the lock file is of no consequence")
    func leftovers() async throws {
        for round in 0..<3 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                let opened = try Opened(path)
                try opened.insert([1])
                try opened.reader.beginWrite()
                kill(getpid(), SIGKILL)
            }
            if round == 1 { try Data("123\n".utf8).write(to: URL(fileURLWithPath: path + ".lock")) }
            if round == 2 {
                let noise = Data((0..<4096).map { _ in UInt8.random(in: 0...255) })
                try noise.write(to: URL(fileURLWithPath: path + ".lock"))
            }
            let start = Date()
            let opened = try Opened(path)
            try opened.insert([2])
            #expect(-start.timeIntervalSinceNow < 2)
            #expect(try opened.values().count == 2 * round + 2)
            try opened.store.close()
        }
    }
}
