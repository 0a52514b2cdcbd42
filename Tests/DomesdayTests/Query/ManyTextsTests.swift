import Domesday
import Foundation
import Testing

/// An object with a text, which may be missing, and bytes.
private final class TaggedText: Object {
    @Persisted var number = 0
    @Persisted var text: String?
    @Persisted var bytes = Data()
}

@Suite("IN with many texts")
struct ManyTextsTests {
    /// Texts of `length` characters that differ in one place, or in none.
    private static func text(_ number: Int, length: Int, at place: Int) -> String {
        var characters = Array(repeating: Character("x"), count: length)
        for (offset, digit) in "\(number % 1000)".enumerated() where place + offset < length {
            characters[place + offset] = digit
        }
        return String(characters)
    }

    @Test(
        "finds the members among texts of any length that differ in any place",
        arguments: [0, 1, 7, 8, 9, 15, 16, 24, 40, 5000],
        [0, 5, 12, 4990]
    )
    func places(length: Int, place: Int) throws {
        let memory = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString,
            objectTypes: [TaggedText.self]
        )
        let realm = try Realm(configuration: memory)
        let texts = (0..<300).map { number -> String? in
            number % 7 == 0 ? nil : Self.text(number, length: length, at: place)
        }
        try realm.write {
            for (number, text) in texts.enumerated() {
                let bytes = Data((text ?? "").utf8)
                realm.add(
                    TaggedText(
                        value: ["number": number, "text": text, "bytes": bytes] as [String: Any?]
                    )
                )
            }
        }
        // Every third, and others that no object has: of its length, shorter and longer.
        let wanted =
            stride(from: 0, to: 300, by: 3).compactMap { texts[$0] }
            + (300..<400).map { Self.text($0, length: length, at: place) }
            + (0..<20).map { Self.text($0, length: max(0, length - 1), at: place) }
            + (0..<20).map { Self.text($0, length: length + 1, at: place) + "!" }
        let members = Set(wanted)
        let found = texts.indices.filter { texts[$0].map(members.contains) ?? false }
        let tags = realm.objects(TaggedText.self)
        #expect(tags.filter("text IN %@", wanted).map(\.number) == found)
        #expect(tags.where { $0.text.in(wanted) }.map(\.number) == found)
        let missing = texts.indices.filter { texts[$0].map(members.contains) ?? true }
        #expect(tags.where { $0.text.in(wanted + [nil]) }.map(\.number) == missing)
        let data = wanted.map { Data($0.utf8) }
        let held = texts.indices.filter { members.contains(texts[$0] ?? "") }
        #expect(tags.filter("bytes IN %@", data).map(\.number) == held)
    }
}
