import Foundation
import Workloads

/// What the command line asks for.
struct Options {
    static let usage = """
        usage: bench [--count N]... [--runs R] [--peer NAME]... [--directory DIR] [--output DIR]

          --count N        persons and dogs; 200000 unless given, may be repeated
          --runs R         fresh processes per figure, of which the median counts; 3
          --peer NAME      sqlite, domesday; all that are built in
          --directory DIR  where the stores are made; a temporary directory
          --output DIR     writes RESULTS.md, chart.svg and baseline-N.json there
        """

    var counts: [Int] = []
    var runCount = 3
    var peers: [String] = []
    var directory = FileManager.default.temporaryDirectory
    var output: URL?
    /// Set in the processes that measure: they run one phase and print what they measured.
    var phase: Phase?

    /// - Throws: ``UsageError`` when the arguments make no sense.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = Array(arguments.reversed())
        while let option = rest.popLast() {
            guard let value = rest.popLast() else {
                throw UsageError(description: "\(option) needs a value, or is unknown")
            }
            try set(option, to: value)
        }
        if counts.isEmpty { counts = [200_000] }
    }

    private mutating func set(_ option: String, to value: String) throws(UsageError) {
        func number() throws(UsageError) -> Int {
            if let number = Int(value), number > 0 { return number }
            throw UsageError(description: "\(option) needs a number, not '\(value)'")
        }
        switch option {
        case "--count": counts.append(try number())
        case "--runs": runCount = try number()
        case "--peer": peers.append(value)
        case "--directory": directory = URL(filePath: value)
        case "--output": output = URL(filePath: value)
        case "--phase":
            guard let phase = Phase(rawValue: value) else {
                throw UsageError(description: "there is no phase '\(value)'")
            }
            self.phase = phase
        default: throw UsageError(description: "'\(option)' is not understood")
        }
    }
}

/// Thrown when the command line makes no sense.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}
