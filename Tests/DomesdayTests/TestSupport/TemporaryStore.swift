import Foundation

@testable import Domesday

/// A folder of its own for one test, removed when the test lets go of it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("domesday-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        LeakCheck.begin(url.path)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}

/// How long the long proofs run: 1 in `make test`, more in `make soak`.
enum Scale {
    static let factor = Int(ProcessInfo.processInfo.environment["DOMESDAY_SCALE"] ?? "") ?? 1
    static let seed = UInt64(ProcessInfo.processInfo.environment["DOMESDAY_SEED"] ?? "") ?? 42
}

/// The generator of all random tests: the same seed gives the same test.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
