import Foundation
import Testing

@testable import Domesday

private class Coded: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = "declared"
    @Persisted var token = UUID()
    @Persisted var flag: Bool
    @Persisted var date: Date
    @Persisted var data: Data
    @Persisted var objectId: ObjectId
    @Persisted var float: Float
    @Persisted var mood = DynamicMood.angry
    @Persisted var rank: DynamicRank?
    @Persisted var nickname: String? = "nick"
    @Persisted var optDate: Date?
    @Persisted var optData: Data?
    @Persisted var ints: List<Int>
    @Persisted var dates: List<Date?>
    @Persisted var next: Coded?
    @Persisted var others: List<Coded>
    @Persisted var part: CodedPart?
    var plain = "plain"
}

private class CodedPart: EmbeddedObject, Codable {
    @Persisted var size = 5
    @Persisted var label: String?
}

private class Renamed: Object, Codable {
    @Persisted var title = "untitled"
    @Persisted var count = 7
    @Persisted var note: String?

    enum CodingKeys: String, CodingKey {
        case title = "t"
        case count = "n"
        case note
    }
}

private class Writing: Object, Encodable {
    @Persisted var name = "w"
    @Persisted(originProperty: "target") var sources: LinkingObjects<Pointing>
}

private class Pointing: Object, Encodable {
    @Persisted var name = "p"
    @Persisted var target: Writing?

    enum CodingKeys: String, CodingKey { case name }
}

private struct Envelope: Encodable {
    let subject: Coded
    let other: Coded?
}

@Suite("Coding")
struct CodingTests {
    private func makeRealm(_ folder: TemporaryFolder) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: folder.path("coding.store")),
                objectTypes: [
                    Coded.self, CodedPart.self, Renamed.self, Writing.self, Pointing.self,
                ]
            )
        )
    }

    private func random(_ random: inout SplitMix64, depth: Int = 2) -> Coded {
        let coded = Coded()
        coded.id = Int.random(in: .min ... .max, using: &random)
        coded.name = "n\(Int.random(in: 0..<100, using: &random))\u{0}é"
        coded.flag = Bool.random(using: &random)
        coded.date = Date(
            timeIntervalSinceReferenceDate: Double.random(in: -1e10...1e10, using: &random)
        )
        coded.data = Data((0..<Int.random(in: 0..<9, using: &random)).map { UInt8($0) })
        coded.float = Float.random(in: -1...1, using: &random)
        coded.mood = Bool.random(using: &random) ? .calm : .angry
        coded.rank = Bool.random(using: &random) ? nil : .high
        coded.nickname = Bool.random(using: &random) ? nil : "x"
        coded.optDate = Bool.random(using: &random) ? nil : coded.date
        coded.optData = Bool.random(using: &random) ? nil : coded.data
        coded.ints.append(objectsIn: 0..<Int.random(in: 0..<4, using: &random))
        coded.dates.append(objectsIn: [coded.date, nil])
        coded.part = Bool.random(using: &random) ? nil : CodedPart(value: ["size": 9])
        if depth > 0 {
            coded.next = self.random(&random, depth: depth - 1)
            coded.others.append(self.random(&random, depth: depth - 1))
        }
        return coded
    }

    private func dump(_ coded: Coded?) -> String {
        guard let coded else { return "nil" }
        let links = ["next", "others", "part"]
        let values = coded.objectSchema.properties.filter { !links.contains($0.name) }
            .map { DynamicWorld.text(coded[$0.name]) }.joined(separator: "|")
        let part = coded.part.map { "\($0.size) \($0.label ?? "nil")" } ?? "nil"
        return "\(values) \(part) (\(dump(coded.next))) [\(coded.others.map { dump($0) })]"
    }

    @Test("random objects come back bit for bit, unmanaged and managed")
    func roundTrips() throws {
        var generator = SplitMix64(seed: Scale.seed)
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        for _ in 0..<(20 * Scale.factor) {
            let coded = random(&generator)
            let text = dump(coded)
            let data = try JSONEncoder().encode(coded)
            #expect(dump(try JSONDecoder().decode(Coded.self, from: data)) == text)
            let list = try PropertyListEncoder().encode(coded)
            #expect(dump(try PropertyListDecoder().decode(Coded.self, from: list)) == text)
            try realm.write { realm.add(coded, update: .all) }
            let managed = try JSONEncoder().encode(coded)
            #expect(dump(try JSONDecoder().decode(Coded.self, from: managed)) == text)
            let inStruct = try JSONEncoder().encode(Envelope(subject: coded, other: coded.next))
            #expect(inStruct.count > managed.count)
        }
        let all = realm.objects(Coded.self)
        let data = try JSONEncoder().encode(all)
        let back = try JSONDecoder().decode([Coded].self, from: data)
        #expect(back.map { dump($0) } == all.map { dump($0) })
        let list = try JSONEncoder().encode(try #require(all.first { $0.next != nil }).others)
        #expect(try JSONDecoder().decode(List<Coded>.self, from: list).count == 1)
        let erased = try JSONEncoder().encode(AnyRealmCollection(all))
        #expect(try JSONDecoder().decode([Coded].self, from: erased).count == all.count)
    }

    @Test("a coder's own ways with dates and data hold")
    func strategies() throws {
        let coded = Coded()
        coded.date = Date(timeIntervalSince1970: 1)
        coded.data = Data([1, 2, 3])
        coded.dates.append(Date(timeIntervalSince1970: 2))
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        let text = String(decoding: try encoder.encode(coded), as: UTF8.self)
        #expect(text.contains("\"date\":1,") || text.contains("\"date\":1}"))
        #expect(text.contains("\"dates\":[2]") && text.contains("\"data\":\"AQID\""))
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        #expect(try decoder.decode(Coded.self, from: Data(text.utf8)).dates.first == coded.dates[0])
    }

    @Test("a missing key is satisfied by a declared default, else it is an error")
    func missingKeys() throws {
        func decode(_ text: String) throws -> Coded {
            try JSONDecoder().decode(Coded.self, from: Data(text.utf8))
        }
        let required =
            #""id":1,"flag":true,"date":0,"data":"","objectId":"000000000000000000000000","float":1"#
        let coded = try decode("{\(required),\"plain\":\"p\"}")
        #expect(coded.name == "declared" && coded.mood == .angry && coded.nickname == "nick")
        #expect(coded.rank == nil && coded.next == nil && coded.ints.isEmpty && coded.part == nil)
        #expect(coded.plain == "p")
        #expect(try decode("{\(required),\"plain\":\"p\"}").token != coded.token)
        let null = try decode("{\(required),\"plain\":\"p\",\"nickname\":null,\"part\":{}}")
        #expect(null.nickname == nil && null.part?.size == 5)
        #expect(throws: DecodingError.self) { try decode(#"{"plain":"p"}"#) }
        #expect(throws: DecodingError.self) {
            try decode("{\(required),\"plain\":\"p\",\"name\":null}")
        }
        let renamed = try JSONDecoder().decode(Renamed.self, from: Data(#"{"n":3}"#.utf8))
        #expect(renamed.title == "untitled" && renamed.count == 3 && renamed.note == nil)
    }

    @Test("depth and cycles are errors")
    func depth() throws {
        let coded = Coded()
        coded.next = coded
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(coded) }
        coded.next = nil
        let first = Coded()
        var last = first
        for _ in 0..<200 {
            let next = Coded()
            last.next = next
            last = next
        }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(first) }
        let deep =
            String(repeating: "{\"next\":", count: 300) + "{}" + String(repeating: "}", count: 300)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Coded.self, from: Data(deep.utf8))
        }
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        try realm.write {
            realm.add(coded)
            coded.next = coded
        }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(coded) }
    }

    @Test("a managed object that is encoded without being seen as one says what to do")
    func hidden() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        let coded = try realm.write { realm.create(Coded.self, value: ["id": 1]) }
        let hidden: any Encodable = coded
        let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(hidden) }
        #expect("\(String(describing: error))".contains("Encode object.detached()"))
        let detached: any Encodable = coded.detached()
        #expect(try !JSONEncoder().encode(detached).isEmpty)
    }

    @Test("linking objects are encoded as an array")
    func linkingObjects() throws {
        let folder = try TemporaryFolder()
        let realm = try makeRealm(folder)
        let target = try realm.write {
            let target = realm.create(Writing.self)
            for name in ["a", "b"] {
                realm.create(
                    Pointing.self,
                    value: ["name": name, "target": target] as [String: Any]
                )
            }
            return target
        }
        let data = try JSONEncoder().encode(target.sources)
        #expect(String(decoding: data, as: UTF8.self) == #"[{"name":"a"},{"name":"b"}]"#)
    }
}
