import Foundation
import Testing

@testable import Domesday

private enum Before {
    final class Part: EmbeddedObject {
        @Persisted var number = 0
    }

    final class Report: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var image = Data()
        @Persisted var lines: List<String>
        @Persisted var part: Part?
        @Persisted var parts: List<Part>
        override class func _realmObjectName() -> String? { "Report" }
    }
}

private enum After {
    final class Report: Object {
        @Persisted(primaryKey: true) var id = 0
        override class func _realmObjectName() -> String? { "Report" }
    }
}

@Suite("Removed properties")
struct RemovedColumnTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func reports(_ types: [ObjectBase.Type], version: UInt64) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: folder.url.appendingPathComponent("reports.domesday"),
                schemaVersion: version,
                objectTypes: types
            )
        )
    }

    /// How many long values, roots and leaves the store holds.
    private func longValueCount(_ realm: Realm) throws -> Int {
        let reader = realm.state.reader
        return reader.snapshot.tables.compactMap { $0 }.reduce(0) { count, table in
            count
                + (1..<max(1, table.nextLongValue)).count {
                    let address = BlobAddress(space: table.spaces.long, id: $0)
                    return (try? reader.load(address)) != nil
                }
        }
    }

    @Test("take their long values, long collections and embedded objects along")
    func leavesNothing() throws {
        do {
            let realm = try reports([Before.Report.self, Before.Part.self], version: 1)
            try realm.write {
                for id in 0..<3 {
                    let report = Before.Report()
                    report.id = id
                    report.image = Data(repeating: UInt8(id), count: 1 << 20)
                    report.lines.append(objectsIn: (0..<20_000).map { "line \($0)" })
                    report.part = Before.Part(value: ["number": id])
                    report.parts.append(
                        objectsIn: (0..<3).map { Before.Part(value: ["number": $0]) }
                    )
                    realm.add(report)
                }
            }
            #expect(try longValueCount(realm) > 6)
        }
        let realm = try reports([After.Report.self], version: 2)
        #expect(realm.objects(After.Report.self).map(\.id).sorted() == [0, 1, 2])
        #expect(try realm.findings == [])
        #expect(try longValueCount(realm) == 0)
    }
}
