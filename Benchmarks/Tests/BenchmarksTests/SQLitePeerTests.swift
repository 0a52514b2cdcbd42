import Foundation
import SQLitePeer
import Testing

@testable import Workloads

/// What the workloads must answer, computed from plain arrays in the most obvious way.
struct NaiveAnswers {
    private let data: DataSet

    init(_ data: DataSet) { self.data = data }

    var all: [Workload: Int] {
        let persons = data.persons
        func count(_ isMatch: (PersonData) -> Bool) -> Int { persons.filter(isMatch).count }
        let ageSum = persons.map(\.age).reduce(0, +)
        return [
            .insertPersons: persons.count,
            .insertDogs: data.dogs.count,
            .commitOneByOne: DataSet.commitCount,
            .updateOneByOne: DataSet.commitCount,
            .countTwoConditions: count { $0.age > 40 && $0.score < 0.25 },
            .coldCount: count { $0.age > 40 && $0.score < 0.25 },
            .countEqualName: count { $0.name == data.targetName },
            .countContaining: count { $0.name.contains("an") },
            .countBeginning: count { $0.name.lowercased().hasPrefix("al") },
            .countAmong: count { $0.email.map(Set(data.someEmails).contains) ?? false },
            .queryIndex: persons.count * 10,
            .aggregate: ageSum,
            .updateMany: ageSum + data.updates.count,
            .countByLink: data.dogs.filter { persons[$0.owner].age > 50 }.count,
            .deleteHalf: count(\.isActive),
            .readColumns: read(persons),
            .lookUp: read(data.lookups.compactMap { id in persons.first { $0.id == id } }),
            .sortAll: names(sorted),
            .sortFirst: names(sorted.prefix(100)),
        ]
    }

    private var sorted: [PersonData] {
        data.persons.sorted { ($1.age, $0.name) < ($0.age, $1.name) }
    }

    private func read(_ persons: [PersonData]) -> Int {
        var sum = Checksum()
        for person in persons {
            sum.add(person.name)
            sum.add(person.age)
            sum.add(person.score)
        }
        return sum.value
    }

    private func names(_ persons: some Sequence<PersonData>) -> Int {
        var sum = Checksum()
        for person in persons { sum.add(person.name) }
        return sum.value
    }
}

/// Runs all phases of a peer in one process, in stores of their own.
@MainActor
func samples<P: Peer>(of peer: P.Type, _ data: DataSet) throws -> [Sample] {
    var result: [Sample] = []
    var directory = FileManager.default.temporaryDirectory
    for phase in Phase.allCases {
        if !phase.continuesStore {
            directory = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
            try FileManager.default.createDirectory(
                at: directory,
                withIntermediateDirectories: true
            )
        }
        var run = PhaseRun(data: data, directory: directory)
        result += try run.run(phase, of: peer)
    }
    return result
}

@Suite("SQLitePeer")
struct SQLitePeerTests {
    @Test("every workload answers what plain arrays answer")
    @MainActor
    func answers() throws {
        let data = DataSet(count: 2000, lookupCount: 1000)
        let measured = try samples(of: SQLitePeer.self, data)
        let expected = NaiveAnswers(data).all
        for (workload, answer) in expected {
            let sample = measured.first { $0.workload == workload }
            #expect(sample?.check.first == answer, "\(workload.rawValue)")
        }
        #expect(measured.first { $0.workload == .fileSize }?.figure ?? 0 > 100_000)
        #expect(measured.first { $0.workload == .coldSort }?.check.first == expected[.sortFirst])
    }
}
