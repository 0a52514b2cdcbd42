// Measures the workloads of README.md in fresh processes and compares the peers.

import Foundation
import Reports
import Workloads

/// In a process that measures: one phase, its figures as JSON on standard output.
@MainActor
func runPhase(_ phase: Phase, _ options: Options) throws {
    let peers = try Peers.named(options.peers)
    let data = DataSet(count: options.counts[0])
    var run = PhaseRun(data: data, directory: options.directory)
    let samples = try run.run(phase, of: peers[0])
    FileHandle.standardOutput.write(try JSONEncoder().encode(samples))
}

/// All peers at one size; they take turns, so that what changes on the machine meets all.
@MainActor
func compare(count: Int, _ options: Options) throws -> Comparison {
    var samples: [String: [Sample]] = [:]
    let peers = try Peers.named(options.peers)
    for number in 1...options.runCount {
        for peer in peers {
            log("N = \(count), run \(number) of \(options.runCount), \(peer.name)")
            let session = Session(peer: peer, count: count, directory: options.directory)
            samples[peer.name, default: []] += try session.run()
        }
    }
    let wrong = disagreements(of: samples, count: count)
    guard wrong.isEmpty else {
        throw BenchmarkError(description: "checks differ\n  " + wrong.joined(separator: "\n  "))
    }
    let results = peers.compactMap { peer in
        samples[peer.name].map { PeerResult(peer: peer.name, samples: $0) }
    }
    return Comparison(count: count, runCount: options.runCount, results: results)
}

func write(_ comparisons: [Comparison], to directory: URL) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: directory.appending(path: name))
        log("wrote \(directory.appending(path: name).path)")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    for comparison in comparisons {
        let json = String(decoding: try encoder.encode(comparison), as: UTF8.self)
        try write(json + "\n", "baseline-\(comparison.count).json")
    }
    try write(markdown(of: comparisons, machine: .current()), "RESULTS.md")
    if let largest = comparisons.max(by: { $0.count < $1.count }) {
        try write(chart(of: largest), "chart.svg")
    }
}

do {
    let options = try Options(CommandLine.arguments.dropFirst())
    if let phase = options.phase {
        try runPhase(phase, options)
    } else {
        var comparisons: [Comparison] = []
        for count in options.counts {
            let comparison = try compare(count: count, options)
            print(plainText(of: comparison))
            comparisons.append(comparison)
        }
        if let output = options.output { try write(comparisons, to: output) }
    }
} catch let error as UsageError {
    log("\(error)\n\(Options.usage)")
    exit(2)
} catch {
    log("\(error)")
    exit(1)
}
