import Foundation
import Testing

@testable import Domesday

private enum Grade: Int, PersistableEnum {
    case low = 1
    case high = 7
}

private class Zoo: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var i8: Int8
    @Persisted var i16: Int16
    @Persisted var i32: Int32
    @Persisted var i64: Int64
    var plain = "plain"
    @Persisted var flag: Bool
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var objectId: ObjectId
    @Persisted var grade: Grade
    @Persisted var optInt: Int?
    @Persisted var optBool: Bool?
    @Persisted var optFloat: Float?
    @Persisted var optDouble: Double?
    @Persisted var optString: String?
    @Persisted var optData: Data?
    @Persisted var optDate: Date?
    @Persisted var optUUID: UUID?
    @Persisted var optObjectId: ObjectId?
    @Persisted var optGrade: Grade?
}

private class Writer: Object {
    nonisolated(unsafe) static var defaultCount = 0
    nonisolated(unsafe) static var seenInInit: [String] = []
    @Persisted var name = Writer.makeDefault()
    @Persisted var count = 5
    @Persisted var items: List<Int>
    var helper = Writer.Helper()
    var helperName: String

    required init() {
        helperName = helper.title
        super.init()
        Writer.seenInInit.append(name)
        count = 77
        items.append(1)
    }

    static func makeDefault() -> String {
        defaultCount += 1
        return "default"
    }

    final class Helper: Object {
        @Persisted var title = "helper"
        @Persisted var numbers: List<Int>
    }
}

@Suite("Objects, managed")
struct ManagedObjectsTests {
    @Test("every scalar type comes back bit for bit after moving into the store and being set")
    func scalars() throws {
        let realm = try makeRealmState([Zoo.self])
        let zoo = Zoo()
        fill(zoo, 1)
        zoo.id = 1
        try realm.write { try realm.add(zoo, update: .error) }
        check(zoo, 1)
        let other = try #require(try realm.object(Zoo.self, key: 1))
        #expect(other !== zoo && other == zoo && other.plain == "plain")
        check(other, 1)
        try realm.write { fill(other, 2) }
        check(zoo, 2)
        try realm.write { clear(zoo) }
        #expect(other.optInt == nil && other.optBool == nil && other.optFloat == nil)
        #expect(other.optDouble == nil && other.optString == nil && other.optData == nil)
        #expect(other.optDate == nil && other.optUUID == nil && other.optObjectId == nil)
        #expect(other.optGrade == nil)
    }

    private func fill(_ zoo: Zoo, _ n: Int) {
        let odd = n % 2 == 1
        zoo.i8 = odd ? .min : .max
        zoo.i16 = odd ? .min : .max
        zoo.i32 = odd ? .min : .max
        zoo.i64 = odd ? .min : .max
        zoo.flag = odd
        zoo.float = odd ? -.zero : .infinity
        zoo.double = odd ? -.zero : .leastNonzeroMagnitude
        zoo.string = odd ? "e\u{301}\0\u{1F600}" : String(repeating: "x", count: 100_000)
        zoo.data = odd ? Data() : Data(repeating: 7, count: 300)
        zoo.date = Date(timeIntervalSinceReferenceDate: odd ? 0.1 : -1e300)
        zoo.uuid = UUID(uuid: (UInt8(n), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        zoo.objectId = odd ? ObjectId("507f1f77bcf86cd799439011") : ObjectId()
        zoo.grade = odd ? .high : .low
        zoo.optInt = n
        zoo.optBool = odd
        zoo.optFloat = Float(n)
        zoo.optDouble = Double(n)
        zoo.optString = "\(n)"
        zoo.optData = Data([UInt8(n)])
        zoo.optDate = Date(timeIntervalSinceReferenceDate: Double(n))
        zoo.optUUID = zoo.uuid
        zoo.optObjectId = zoo.objectId
        zoo.optGrade = zoo.grade
    }

    private func check(_ zoo: Zoo, _ n: Int) {
        let twin = Zoo()
        fill(twin, n)
        #expect(zoo.i8 == twin.i8 && zoo.i16 == twin.i16 && zoo.i32 == twin.i32)
        #expect(zoo.i64 == twin.i64 && zoo.flag == twin.flag)
        #expect(zoo.float.bitPattern == twin.float.bitPattern)
        #expect(zoo.double.bitPattern == twin.double.bitPattern)
        #expect(Array(zoo.string.utf8) == Array(twin.string.utf8) && zoo.data == twin.data)
        #expect(zoo.date == twin.date && zoo.uuid == twin.uuid && zoo.objectId == twin.objectId)
        #expect(zoo.grade == twin.grade && zoo.optInt == n && zoo.optBool == twin.optBool)
        #expect(zoo.optFloat == Float(n) && zoo.optDouble == Double(n))
        #expect(zoo.optString == "\(n)" && zoo.optData == twin.optData)
        #expect(zoo.optDate == twin.optDate && zoo.optUUID == twin.optUUID)
        #expect(zoo.optObjectId == twin.optObjectId && zoo.optGrade == twin.optGrade)
    }

    private func clear(_ zoo: Zoo) {
        zoo.optInt = nil
        zoo.optBool = nil
        zoo.optFloat = nil
        zoo.optDouble = nil
        zoo.optString = nil
        zoo.optData = nil
        zoo.optDate = nil
        zoo.optUUID = nil
        zoo.optObjectId = nil
        zoo.optGrade = nil
    }

    @Test("making an accessor runs no default, and an init body cannot write to the row")
    func initBodies() throws {
        let realm = try makeRealmState([Writer.self, Writer.Helper.self])
        let writer = Writer()
        writer.count = 6
        writer.name = "stored"
        try realm.write { try realm.add(writer, update: .error) }
        #expect(Array(writer.items) == [1])
        let defaults = Writer.defaultCount
        let seen = Writer.seenInInit.count
        try realm.write {
            let accessor = try #require(try realm.object(Writer.self, key: 1))
            #expect(accessor.count == 6 && accessor.name == "stored")
            #expect(Array(accessor.items) == [1])
            // A model built by a default is an ordinary unmanaged one.
            #expect(accessor.helper.title == "helper" && accessor.helperName == "helper")
            accessor.helper.title = "changed"
            #expect(accessor.helper.title == "changed" && accessor.helper.realm == nil)
            accessor.helper.numbers.append(3)
            #expect(accessor.helper.numbers.count == 1)
        }
        #expect(Writer.defaultCount == defaults)
        #expect(Writer.seenInInit[seen...] == ["default"])
    }

    @Test("objects of a cancelled write are invalid, deleted ones too; another accessor sees it")
    func invalidated() throws {
        let realm = try makeRealmState([Zoo.self])
        let cancelled = Zoo()
        try realm.beginWrite()
        try realm.add(cancelled, update: .error)
        #expect(!cancelled.isInvalidated && cancelled.realm == Realm(state: realm))
        realm.cancelWrite()
        #expect(cancelled.isInvalidated && cancelled.realm == nil)
        let zoo = Zoo()
        try realm.write { try realm.add(zoo, update: .error) }
        #expect(cancelled.isInvalidated)
        let other = try #require(try realm.only(Zoo.self))
        #expect(other.isSameObject(as: zoo))
        try realm.write { try realm.delete(zoo) }
        #expect(zoo.isInvalidated && other.isInvalidated)
        #expect(zoo.description == "[invalid object]")
    }

    @Test("invalidate ends accessors, the Realm stays usable")
    func invalidateRealm() throws {
        let realm = try makeRealmState([Zoo.self])
        let zoo = Zoo()
        try realm.write { try realm.add(zoo, update: .error) }
        realm.invalidate()
        #expect(zoo.isInvalidated)
        let again = try #require(try realm.object(Zoo.self, key: 1))
        #expect(again.string == "" && !again.isInvalidated)
        try realm.write { again.string = "still" }
        #expect(again.string == "still")
    }

    @Test("a managed object is encoded as a copy of itself")
    func encodingManaged() throws {
        let realm = try makeRealmState([Encoded.self])
        let object = Encoded()
        try realm.write { try realm.add(object, update: .error) }
        let data = try JSONEncoder().encode(object)
        #expect(String(decoding: data, as: UTF8.self) == #"{"x":0}"#)
    }

    @Test("accessors may be released on another thread")
    func releasedElsewhere() async throws {
        struct Carrier: @unchecked Sendable { var object: Zoo? }
        // @unchecked: the object is only released.
        var realm: RealmState? = try makeRealmState([Zoo.self])
        try realm?.write { try realm?.add(Zoo(), update: .error) }
        let carrier = Carrier(object: try realm?.object(Zoo.self, key: 1))
        weak let weakRealm = realm
        realm = nil
        #expect(weakRealm != nil)
        await Task.detached { [carrier] in _ = carrier }.value
    }
}

private class Encoded: Object, Codable { @Persisted var x = 0 }
