import Foundation
import Testing

@testable import Domesday

/// The same table, as numbers and texts.
private final class RawValues: Object {
    override class func _realmObjectName() -> String? { "Values" }
    @Persisted var kind: Int
    @Persisted var maybeKind: Int?
    @Persisted var word: String
    @Persisted var letter: String
    @Persisted var maybeLetter: String?
    @Persisted var kinds: List<Int>
    @Persisted var maybeWords: List<String?>
    @Persisted var letters: List<String>
}

/// And as enums and types that not every text is.
private final class Values: Object {
    @Persisted var kind: ZooKind
    @Persisted var maybeKind: ZooKind?
    @Persisted var word: ZooWord
    @Persisted var letter = ZooLetter.a
    @Persisted var maybeLetter: ZooLetter?
    @Persisted var kinds: List<ZooKind>
    @Persisted var maybeWords: List<ZooWord?>
    @Persisted var letters: List<ZooLetter>
}

/// A file whose values are none of those types.
private func unknownValues(_ body: (Values) throws -> Void) throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appendingPathComponent("unknown.domesday")
    do {
        let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [RawValues.self]))
        try realm.write {
            realm.create(
                RawValues.self,
                value: [
                    "kind": 99, "maybeKind": 98, "word": "maybe", "letter": "long",
                    "maybeLetter": "longer", "kinds": [1, 97], "maybeWords": ["yes", "perhaps"],
                    "letters": ["a", "bc"],
                ] as [String: Any]
            )
        }
    }
    let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [Values.self]))
    try body(try #require(realm.objects(Values.self).first))
}

@Suite("Stored values that are none of the property's type")
struct UnknownValueTests {
    @Test("are nil where they may be")
    func optional() throws {
        try unknownValues { values in
            #expect(values.maybeKind == nil && values.maybeLetter == nil)
            #expect(Array(values.maybeWords) == [.yes, nil])
            #expect(values.kinds[0] == .cat && values.letters[0] == ZooLetter("a"))
        }
    }

    @Test(
        "can be tried, and tell class, property and value",
        arguments: [
            ("kind", "99", "ZooKind"), ("word", "maybe", "ZooWord"),
            ("letter", "long", "ZooLetter"),
            ("kinds", "97", "ZooKind"), ("letters", "bc", "ZooLetter"),
        ]
    )
    func trying(_ name: String, _ value: String, _ type: String) throws {
        try unknownValues { values in
            let kind = try values.tryValue(forKey: "maybeKind")
            let words = try values.tryValue(forKey: "maybeWords")
            #expect(kind == nil && words != nil)
            #expect {
                _ = try values.tryValue(forKey: name)
            } throws: { error in
                let text = (error as? Realm.Error)?.message ?? ""
                return text.hasPrefix(
                    "Failed to convert persisted value '\(value)' to type '\(type)' in a "
                        + "non-optional context."
                ) && text.contains("'Values.\(name)'")
            }
            #expect(throws: Realm.Error.self) { try values.tryValue(forKey: "nothing") }
        }
    }

    @Test("trap when they are read as an enum")
    func trapEnum() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            try unknownValues { _ = $0.kind }
        }
        expectStandardError(
            result,
            says: "Failed to convert persisted value '99' to type 'ZooKind'",
            "'Values.kind'"
        )
    }

    @Test("trap when they are read as a type of the user's, in a list too")
    func trapCustom() async {
        let single = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            try unknownValues { _ = $0.letter }
        }
        expectStandardError(
            single,
            says: "Failed to convert persisted value 'long' to type 'ZooLetter'",
            "'Values.letter'"
        )
        let element = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            try unknownValues { _ = $0.letters[1] }
        }
        expectStandardError(element, says: "persisted value 'bc' to type 'ZooLetter'")
    }
}
