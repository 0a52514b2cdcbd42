import Foundation
import Testing

@testable import Domesday

private enum Mood: String, PersistableEnum, Codable { case calm, angry }

private class Plain: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = "none"
    @Persisted var nickname: String?
    @Persisted var mood: Mood
    @Persisted var tags: List<String>
    @Persisted var identifier: ObjectId
    @Persisted var friend: Plain?

    enum CodingKeys: String, CodingKey { case id, name, nickname, mood, tags }
}

private class Named: Object {
    @Persisted var name = "none"

    override var description: String { "Named(\(name))" }
}

@Suite("Objects, unmanaged")
struct UnmanagedObjectsTests {
    @Test("properties without a default have their type's")
    func defaults() {
        let plain = Plain()
        #expect(plain.id == 0 && plain.name == "none" && plain.nickname == nil)
        #expect(plain.mood == .calm && plain.tags.isEmpty && plain.friend == nil)
        #expect(plain.identifier != ObjectId() && plain.identifier != Plain().identifier)
    }

    @Test("an object takes its values from a dictionary, an array and another object")
    func fromValues() {
        let plain = Plain(
            value: [
                "id": 3, "name": "x", "mood": "angry", "tags": ["a", "b"], "friend": ["id": 4],
            ] as [String: Any]
        )
        #expect(plain.id == 3 && plain.mood == .angry && plain.friend?.id == 4)
        #expect(Array(plain.tags) == ["a", "b"])
        let copy = Plain(value: plain)
        #expect(copy.name == "x" && copy.tags !== plain.tags && Array(copy.tags) == ["a", "b"])
        let array = Plain(value: [8, "eight"] as [Any])
        #expect(array.id == 8 && array.name == "eight" && array.nickname == nil)
    }

    @Test("Codable goes both ways, a missing optional is nil")
    func codable() throws {
        let plain = Plain()
        plain.id = 4
        plain.tags.append("t")
        let data = try JSONEncoder().encode(plain)
        let back = try JSONDecoder().decode(Plain.self, from: data)
        #expect(back.id == 4 && Array(back.tags) == ["t"] && back.mood == .calm)
        let text = #"{"id":1,"name":"n","mood":"angry","tags":[]}"#
        let short = try JSONDecoder().decode(Plain.self, from: Data(text.utf8))
        #expect(short.nickname == nil && short.mood == .angry)
        let defaulted = try JSONDecoder().decode(
            Plain.self,
            from: Data(#"{"id":1,"mood":"angry"}"#.utf8)
        )
        #expect(defaulted.name == "none" && defaulted.tags.isEmpty)
        let bad = #"{"name":"n","mood":"angry","tags":[]}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Plain.self, from: Data(bad.utf8))
        }
    }

    @Test("equality is identity")
    func equality() {
        let a = Plain()
        #expect(a == a && a != Plain() && a.isEqual(a) && !a.isEqual(nil))
        #expect(Set([a, a, Plain()]).count == 2)
        #expect(a.isSameObject(as: a) && !a.isSameObject(as: nil))
    }

    @Test("values are reached by name")
    func byName() {
        let a = Plain()
        a["name"] = "by name"
        #expect(a.name == "by name" && a["name"] as? String == "by name")
        a["nickname"] = nil
        #expect(a["nickname"] == nil)
    }

    // It could not be overridden: the property stood in an extension.
    @Test("a class may describe its objects itself")
    func ownDescription() {
        #expect(String(describing: Named(value: ["x"])) == "Named(x)")
    }

    @Test("a description of a cycle ends")
    func descriptionOfCycle() {
        let a = Plain()
        a.friend = a
        #expect(a.description.contains("<Maximum depth exceeded>"))
        #expect(a.description.hasPrefix("Plain {\n\tid = 0;"))
        a.friend = nil
    }

    @Test("key paths have names")
    func keyPathNames() {
        #expect(KeyPathName.name(of: \Plain.name) == "name")
        #expect(KeyPathName.name(of: \Plain.friend?.name) == "friend.name")
        #expect(KeyPathName.name(of: \Plain.friend?.friend?.id) == "friend.friend.id")
        #expect(KeyPathName.name(of: \Plain.tags) == "tags")
    }

    @Test("object ids are text, ordered by time, and Codable")
    func objectIds() throws {
        let id = try ObjectId(string: "507f1f77bcf86cd799439011")
        #expect(id.stringValue == "507f1f77bcf86cd799439011")
        #expect(id.timestamp == Date(timeIntervalSince1970: 0x507f_1f77))
        #expect(throws: Realm.Error.self) { try ObjectId(string: "xyz") }
        #expect(ObjectId().stringValue == String(repeating: "0", count: 24))
        let data = try JSONEncoder().encode([id])
        #expect(try JSONDecoder().decode([ObjectId].self, from: data) == [id])
        #expect(Set((0..<1000).map { _ in ObjectId.generate() }).count == 1000)
        id.withUnsafeBytes { #expect(ObjectId(bytes: $0) == id) }
    }
}
