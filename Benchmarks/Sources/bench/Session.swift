import Foundation
import Workloads

/// Measures one peer at one size, each phase in a process of its own.
@MainActor
struct Session {
    let peer: any Peer.Type
    let count: Int
    /// Where stores are made and removed again.
    let directory: URL

    /// A phase that something disturbed is repeated so many times.
    private static let repetitionCount = 2

    /// One run: every phase once, in stores of its own.
    func run() throws -> [Sample] {
        var samples: [Sample] = []
        var store = try makeDirectory()
        defer { try? FileManager.default.removeItem(at: store) }
        for phase in Phase.allCases {
            if !phase.continuesStore { try empty(&store) }
            var result = try measure(phase, in: store)
            // Only a store that is made anew can be measured again from the start.
            if !phase.continuesStore {
                for _ in 0..<Self.repetitionCount where result.contains(where: \.isNoisy) {
                    report(result.filter(\.isNoisy))
                    try empty(&store)
                    result = try measure(phase, in: store)
                }
            }
            samples += result
        }
        return samples
    }

    private func measure(_ phase: Phase, in store: URL) throws -> [Sample] {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [
            "--phase", phase.rawValue, "--peer", peer.name, "--count", "\(count)",
            "--directory", store.path,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError(
                description: "\(peer.name), \(phase): ended with \(process.terminationStatus)"
            )
        }
        return try JSONDecoder().decode([Sample].self, from: data)
    }

    private func makeDirectory() throws -> URL {
        let url = directory.appending(path: "bench-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    private func empty(_ store: inout URL) throws {
        try FileManager.default.removeItem(at: store)
        store = try makeDirectory()
    }

    private func report(_ noisy: [Sample]) {
        let names = noisy.map(\.workload.rawValue).joined(separator: ", ")
        log("\(peer.name): something else ran during \(names); again")
    }
}

/// Thrown when a sample cannot be trusted, or was not made.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
}

/// Tells whoever waits; the results go to standard output.
func log(_ text: String) { FileHandle.standardError.write(Data("bench: \(text)\n".utf8)) }
