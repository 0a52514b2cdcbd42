import Testing

@testable import DebianPackages

/// All stanzas of a text.
func stanzas(_ text: String) throws -> [Stanza] {
    var parser = StanzaParser()
    var result: [Stanza] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        if let stanza = try parser.consume(line) { result.append(stanza) }
    }
    if let stanza = parser.finish() { result.append(stanza) }
    return result
}

@Suite("Stanza")
struct StanzaTests {
    @Test("blank lines, however many, separate stanzas")
    func separation() throws {
        let parsed = try stanzas("\n\nPackage: a\nVersion: 1\n\n \n\nPackage: b")
        #expect(parsed.map { $0["Package"] } == ["a", "b"])
        #expect(parsed.map(\.line) == [3, 8])
    }

    @Test("a line that begins with a blank continues the field above it")
    func continuation() throws {
        let stanza = try #require(
            stanzas("Description: short\n long: text\n .\n\ttab\nHomepage: x").first
        )
        #expect(stanza["Description"] == "short\nlong: text\n.\ntab")
        #expect(stanza["Homepage"] == "x")
    }

    @Test("a value may hold colons and may be empty, and names ignore case")
    func values() throws {
        let stanza = try #require(
            stanzas("Homepage: https://a.example:80/\nConffiles:\n /etc/a").first
        )
        #expect(stanza["homepage"] == "https://a.example:80/")
        #expect(stanza["CONFFILES"] == "\n/etc/a")
        #expect(stanza["Absent"] == nil)
    }

    @Test(
        "what is no field is an error that names the line",
        arguments: ["no colon", ": no name", "two words: x", " continues nothing"]
    )
    func noField(line: String) {
        let error = #expect(throws: StatusFileError.self) { try stanzas("\n\(line)") }
        #expect(error?.line == 2)
    }
}
