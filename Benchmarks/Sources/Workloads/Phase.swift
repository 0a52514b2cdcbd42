import Foundation

/// The part of a run that happens in one process.
package enum Phase: String, CaseIterable, Codable, Sendable {
    /// W1 to W12 but for W7 in one store, one after another: later workloads see what earlier ones
    /// did.
    case main
    /// W7, in a store of its own: the others are measured without the index.
    case index
    /// W21, in a store of its own.
    case lists
    /// A store as W1 and W1b leave it, for the two phases behind; only its size is kept.
    case prepare
    /// W14: a process that has never seen the store.
    case cold
    /// W2, W15 and W22, one durable commit after another.
    case commits

    /// Whether the phase goes on in the store of the phase before it.
    package var continuesStore: Bool { self == .cold || self == .commits }
}

/// Runs the workloads of one phase and measures each.
@MainActor
package struct PhaseRun {
    private let data: DataSet
    private let directory: URL
    /// Resident memory once the data set is made, before there is a store.
    private let baseByteCount: Int
    private var samples: [Sample] = []

    /// Prepares a run in a directory that exists.
    package init(data: DataSet, directory: URL) {
        self.data = data
        self.directory = directory
        baseByteCount = ProcessFigures.residentByteCount
    }

    /// Runs all workloads of the phase.
    ///
    /// - Throws: Whatever the peer throws; nothing else.
    package mutating func run<P: Peer>(_ phase: Phase, of peer: P.Type) throws -> [Sample] {
        samples = []
        switch phase {
        case .main: try runMain(peer)
        case .index: try runIndex(peer)
        case .lists: try runLists(peer)
        case .prepare: try runPrepare(peer)
        case .cold: try runCold(peer)
        case .commits: try runCommits(peer)
        }
        return samples
    }

    private mutating func runMain<P: Peer>(_: P.Type) throws {
        let data = data
        let count = data.persons.count
        let peer = try P(directory: directory)
        try measure(.insertPersons, count) { try peer.insertPersons(data) }
        try measure(.insertDogs, count) { try peer.insertDogs(data) }
        try measure(.lookUp, data.lookups.count) { try peer.lookUp(data) }
        try measure(.readColumns, count) { try peer.readColumns() }
        try measure(.readObjects, count) { try peer.readObjects() }
        try measure(.readObjectsOnQueue, count) { try peer.readObjectsOnQueue() }
        try measure(.readObjectsOnActor, count) { try peer.readObjectsOnActor() }
        try measure(.countTwoConditions, count) { try peer.countTwoConditions() }
        try measure(.countEqualName, count) { try peer.countEqualName(data.targetName) }
        try measure(.countContaining, count) { try peer.countContaining("an") }
        try measure(.countBeginning, count) { try peer.countBeginning("al") }
        try measure(.countAmong, count) { try peer.countAmong(data.someEmails) }
        try measure(.sortFirst, count) { try peer.sortFirst() }
        try measure(.sortAll, count) { try peer.sortAll() }
        try measure(.aggregate, count) { try peer.aggregate() }
        // Before the updates: its known answer is of the ages as they were drawn.
        try measure(.countByLink, count) { try peer.countByLink() }
        try measure(.updateMany, data.updates.count) { try peer.updateMany(data) }
        try measure(.deleteHalf, count / 2) { try peer.deleteHalf() }
        let peak = samples.map(\.peakByteCount).max() ?? 0
        samples.append(Sample(workload: .peakMemory, figure: Double(peak)))
        try peer.close()
    }

    private mutating func runIndex<P: Peer>(_: P.Type) throws {
        let data = data
        let peer = try P(directory: directory)
        _ = try peer.insertPersons(data)
        _ = try peer.insertDogs(data)
        try measure(.buildIndex, data.persons.count) { try peer.buildIndex() }
        try measure(.queryIndex, 1000) { try peer.queryIndex() }
        try peer.close()
    }

    private mutating func runLists<P: Peer>(_: P.Type) throws {
        let peer = try P(directory: directory)
        let count = data.persons.count
        let some = min(DataSet.listChangeCount, count / 20)
        try peer.makeTeam(count)
        try measure(.insertInList, some) { try peer.insertInList(some) }
        try measure(.deleteMembers, some) { try peer.deleteMembers(some) }
        try measure(.changeListOneByOne, DataSet.commitCount) { try peer.changeListOneByOne() }
        try measure(.deleteTarget, count) { try peer.deleteTarget() }
        try peer.close()
    }

    private mutating func runPrepare<P: Peer>(_: P.Type) throws {
        let peer = try P(directory: directory)
        _ = try peer.insertPersons(data)
        _ = try peer.insertDogs(data)
        try peer.close()
        samples = [Sample(workload: .fileSize, figure: Double(storeByteCount()))]
    }

    private mutating func runCold<P: Peer>(_: P.Type) throws {
        let (data, directory) = (data, directory)
        let count = data.persons.count
        var opened: P?
        try measure(.coldOpen, 1) {
            let peer = try P(directory: directory)
            opened = peer
            return try peer.firstObject(data)
        }
        guard let peer = opened else { return }
        try measure(.coldCount, count) { try peer.countTwoConditions() }
        try measure(.coldLookUp, data.lookups.count) { try peer.lookUp(data) }
        try measure(.coldSort, count) { try peer.sortFirst() }
        try peer.close()
    }

    private mutating func runCommits<P: Peer>(_: P.Type) throws {
        let data = data
        let peer = try P(directory: directory)
        try measure(.commitOneByOne, DataSet.commitCount) { try peer.commitOneByOne(data) }
        try measure(.updateOneByOne, DataSet.commitCount) { try peer.updateOneByOne(data) }
        try measure(.updateUnobserved, DataSet.commitCount) { try peer.updateOneObject(data) }
        if try peer.beginObserving(data) {
            try measure(.updateObserved, DataSet.commitCount) { try peer.updateOneObject(data) }
        }
        try peer.close()
    }

    private mutating func measure(
        _ workload: Workload,
        _ operationCount: Int,
        _ work: () throws -> [Int]?
    ) throws {
        ProcessFigures.resetPeak()
        let writes = ProcessFigures.writes
        let cpuSeconds = ProcessFigures.cpuSeconds
        let clock = ContinuousClock()
        let start = clock.now
        let check = try work()
        let (seconds, attoseconds) = (clock.now - start).components
        let cpuSecondsAfter = ProcessFigures.cpuSeconds
        guard let check else { return }
        let writesAfter = ProcessFigures.writes
        samples.append(
            Sample(
                workload: workload,
                figure: Double(seconds) + Double(attoseconds) * 1e-18,
                cpuSeconds: cpuSecondsAfter - cpuSeconds,
                operationCount: operationCount,
                check: check,
                peakByteCount: max(0, ProcessFigures.peakByteCount - baseByteCount),
                writtenByteCount: writesAfter.byteCount - writes.byteCount,
                writeCount: writesAfter.callCount - writes.callCount
            )
        )
    }

    /// All files the store left in its directory.
    ///
    /// The peer is closed: no lock of its can be lost by looking.
    private func storeByteCount() -> Int {
        let files = try? FileManager.default.contentsOfDirectory(
            at: directory,
            includingPropertiesForKeys: [.fileSizeKey]
        )
        return (files ?? []).reduce(0) { sum, file in
            sum + ((try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0)
        }
    }
}
