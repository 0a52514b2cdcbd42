/// What one workload took in one process.
///
/// **Threads.** A value; any thread.
package struct Sample: Codable, Hashable, Sendable {
    package let workload: Workload
    /// Seconds by the clock, or bytes: see ``Workload/unit-swift.property``.
    package let figure: Double
    /// Seconds of processor time, of all threads and of the system in our name.
    package let cpuSeconds: Double
    /// How many objects or commits it was about; for a rate.
    package let operationCount: Int
    /// What was computed.
    package let check: [Int]
    /// The highest resident memory meanwhile, above what the data set itself takes.
    package let peakByteCount: Int
    /// Bytes handed to the system in writes.
    package let writtenByteCount: Int
    /// Writes.
    package let writeCount: Int

    /// A sample made by hand, for a size or a test.
    package init(
        workload: Workload,
        figure: Double,
        cpuSeconds: Double = 0,
        operationCount: Int = 1,
        check: [Int] = [],
        peakByteCount: Int = 0,
        writtenByteCount: Int = 0,
        writeCount: Int = 0
    ) {
        self.workload = workload
        self.figure = figure
        self.cpuSeconds = cpuSeconds
        self.operationCount = operationCount
        self.check = check
        self.peakByteCount = peakByteCount
        self.writtenByteCount = writtenByteCount
        self.writeCount = writeCount
    }

    /// Whether something else took the processor: the clock ran over 10 % longer than we did.
    ///
    /// Times too short to tell are never noisy.
    package var isNoisy: Bool {
        workload.unit == .seconds && !workload.waitsForDisk && figure > 0.02
            && figure > cpuSeconds * 1.1
    }
}

/// What several fresh processes measured for one peer.
///
/// **Threads.** A value; any thread.
package struct PeerResult: Codable, Hashable, Sendable {
    package let peer: String
    /// The median of each workload, in the order of ``Workload``.
    package let medians: [Sample]

    /// Takes the median of every workload that was measured.
    ///
    /// - Precondition: All checks of one workload agree; see ``disagreement(_:)``.
    package init(peer: String, samples: [Sample]) {
        self.peer = peer
        medians = Workload.allCases.compactMap { workload in
            let sorted = samples.filter { $0.workload == workload }
                .sorted { $0.figure < $1.figure }
            return sorted.isEmpty ? nil : sorted[(sorted.count - 1) / 2]
        }
    }

    /// The median of one workload, if it was measured.
    public subscript(workload: Workload) -> Sample? {
        medians.first { $0.workload == workload }
    }
}

/// Says in words where checks differ, from the known ones or from each other.
///
/// - Returns: One line for each workload that is wrong somewhere; empty if all is well.
package func disagreements(of samples: [String: [Sample]], count: Int) -> [String] {
    Workload.allCases.compactMap { workload in
        let answers = samples.mapValues { list in
            Set(
                list.filter { [workload, workload.counterpart].contains($0.workload) }.map(\.check)
            ).filter { !$0.isEmpty }
        }
        let all = answers.values.reduce(into: Set<[Int]>()) { $0.formUnion($1) }
        let known = workload.knownCheck(count: count)
        let isWrong = all.count > 1 || all.contains { known != nil && $0.first != known }
        guard isWrong else { return nil }
        let said = answers.sorted { $0.key < $1.key }.map { "\($0.key): \(Array($0.value))" }
        let expected = known.map { ", expected \($0)" } ?? ""
        return "\(workload.rawValue): \(said.joined(separator: ", "))\(expected)"
    }
}
