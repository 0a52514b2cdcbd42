import Foundation
import Glibc
import Testing

@testable import Domesday

/// A process that dies at any moment of a write leaves whole transactions only.
@Suite("Killed writers")
struct KillTests {
    /// Each transaction adds some objects with one stamp, links them and deletes some old ones, so
    /// that half a transaction would show. Notes the version that each commit has made.
    static func writeUntilKilled(path: String, seed: UInt64, batch: Int) throws {
        let store = try Store(
            // In half of the rounds the commit log is folded again and again.
            pages: SQLitePageStore(
                path: path,
                options: .init(
                    loggedByteLimit: seed % 4 < 2 ? 64 << 10 : LoggedBlobs.byteLimit
                )
            ),
            cacheByteLimit: 1 << 18
        )
        let reader = StoreReader(store: store)
        var random = SplitMix64(seed: seed)
        if reader.tables.isEmpty {
            try reader.beginWrite()
            let write = try #require(reader.write)
            let table = write.addTable(named: "Thing", isEmbedded: false)
            for column in TableModelTests.columns { try write.addColumn(column, to: table) }
            try reader.commitWrite()
        }
        let table = try #require(reader.tables[0])
        // Sanitized code needs longer for its first commit.
        let limit: UInt32 = ProcessMemory.isSanitized ? 2_000_000 : 60_000
        let delay = UInt32.random(in: 0..<limit, using: &random)
        let killer = Thread {
            usleep(delay)
            kill(getpid(), SIGKILL)
        }
        // On a busy machine the first commit may take longer than any delay.
        var waitsForCommit = seed % 2 == 1
        if !waitsForCommit { killer.start() }
        let note = open(path + ".note", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        var stamp = Int64(table.count)
        while true {
            try reader.beginWrite()
            stamp += 1
            for _ in 0..<batch {
                let key = try table.insert()
                let writer = try table.writer(of: key)
                try writer.setInt(stamp, 0)
                try writer.setInt(key, 6)
                try writer.setInt(key, 4)
                let text = [UInt8](repeating: 97, count: Int(key % 400) * 30)
                try text.withUnsafeBytes { bytes throws in try writer.setBytes(bytes, 3) }
            }
            if table.count > 2000 { try table.delete(Array(try table.allKeys().prefix(batch))) }
            try reader.commitWrite()
            var version = store.newestVersion
            pwrite(note, &version, 8, 0)
            if waitsForCommit { killer.start() }
            waitsForCommit = false
        }
    }

    /// The last version whose commit has returned in the killed process.
    private func notedVersion(_ path: String) -> UInt64 {
        var version: UInt64 = 0
        let note = open(path + ".note", O_RDONLY | O_CLOEXEC)
        defer { close(note) }
        pread(note, &version, 8, 0)
        return version
    }

    // One object fits the commit log, 50 do not.
    @Test(
        "a writer killed at any moment leaves whole transactions and a sound store",
        arguments: [50, 1]
    )
    func killLoop(batch: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("killed.domesday")
        let rounds = min(10 * Scale.factor, 200)
        var lastCount = 0
        var lastVersion: UInt64 = 0
        for round in 0..<rounds {
            let seed = Scale.seed &+ UInt64(round)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, seed = seed as UInt64, batch = batch as Int] in
                try KillTests.writeUntilKilled(path: path, seed: seed, batch: batch)
            }
            let store = try Store(
                pages: SQLitePageStore(path: path, options: .init(foldsAtClose: round % 2 == 0)),
                cacheByteLimit: 1 << 20
            )
            #expect(try StoreCheck.findings(in: store) == [], "round \(round)")
            // Everything that was promised is there, and at most the commit that was under way.
            // A round that was killed before it noted its commit leaves no trace but the version.
            let promised = max(notedVersion(path), lastVersion)
            lastVersion = store.newestVersion
            if promised > 0 { #expect(promised...(promised + 1) ~= lastVersion, "round \(round)") }
            do {
                let reader = StoreReader(store: store)
                if let table = reader.tables.first ?? nil {
                    #expect(table.count % batch == 0, "round \(round): \(table.count) objects")
                    lastCount = table.count
                }
            }
            try store.close()
        }
        #expect(lastCount > 0)
        print("kills: \(rounds), seed \(Scale.seed)")
    }
}
