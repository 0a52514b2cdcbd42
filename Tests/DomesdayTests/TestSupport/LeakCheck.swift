import Foundation
import Testing

@testable import Domesday

/// Fails a run of tests that leaves anything open: a Realm, an object, a token, a frozen value or a
/// snapshot. Each of them keeps its store; so at the end of the process no store may be open.
///
/// Exit tests end as they like: theirs is another process, whose code belongs to no test.
///
/// **Threads.** Any.
enum LeakCheck {
    /// By the folder of a test's files, or the path of a store in memory: the test.
    private static let tests = Lock<[String: String]>([:])

    private static let isInstalled = Lock(false)

    /// Notes that the test that runs has its stores there.
    static func begin(_ place: String) {
        guard let test = Test.current else { return }
        tests.withLock { $0[place] = "\(test.id)" }
        isInstalled.withLock { isInstalled in
            if !isInstalled { isInstalled = atexit { LeakCheck.end() } == 0 }
        }
    }

    /// What is open, and the tests that left it.
    static var findings: [String] {
        let realms = OpenRealms.descriptions
        let others = OpenStores.paths.filter { path in !realms.contains { $0.hasPrefix(path) } }
        return (realms + others.map { "\($0): a page store" }).map { line in
            let test = tests.withLock { $0.first { line.hasPrefix($0.key) }?.value }
            return line + (test.map { ", of \($0)" } ?? "")
        }
    }

    private static func end() {
        // Turns that were asked for, and closings, end by themselves.
        for _ in 0..<100 where !findings.isEmpty { usleep(100_000) }
        let findings = findings
        if findings.isEmpty { return }
        for finding in findings { print("✘ leaked: \(finding)") }
        fflush(nil)
        _exit(70)
    }
}
