/// One paragraph of a Debian control file: fields in no particular order.
///
/// **Threads.** A value; any thread.
package struct Stanza: Hashable, Sendable {
    /// The line its first field is on, from 1.
    package let line: Int
    private var fields: [String: String] = [:]

    init(line: Int) { self.line = line }

    /// The value of a field; names are compared without regard to case, as Debian's policy says.
    ///
    /// Lines of a continued field are separated by `\n`, each without its leading blank.
    package subscript(name: String) -> String? { fields[name.lowercased()] }

    mutating func set(_ name: String, to value: String) { fields[name.lowercased()] = value }

    mutating func extend(_ name: String, by line: String) {
        fields[name.lowercased(), default: ""] += "\n" + line
    }
}

/// Turns lines into stanzas: a line goes in, at most one finished stanza comes out.
///
/// Does no reading itself, so that it can be tested with text. See ``StatusFile`` for files.
package struct StanzaParser {
    private var current: Stanza?
    /// The field that a line beginning with a blank continues.
    private var openField: String?
    private var lineNumber = 0

    package init() {}

    /// Takes the next line, without its end.
    ///
    /// - Returns: The stanza that this line ends, if it is blank and one was open.
    /// - Throws: ``StatusFileError`` when the line is neither a field, nor continues one.
    package mutating func consume(_ line: some StringProtocol) throws(StatusFileError) -> Stanza? {
        lineNumber += 1
        let isContinuation = line.first == " " || line.first == "\t"
        guard line.contains(where: { !$0.isWhitespace }) else { return finish() }
        if isContinuation, let openField {
            current?.extend(openField, by: String(line.dropFirst()))
            return nil
        }
        guard !isContinuation, let colon = line.firstIndex(of: ":"), colon != line.startIndex,
            !line[..<colon].contains(where: \.isWhitespace)
        else { throw StatusFileError(line: lineNumber, problem: "this line is no field") }
        let name = String(line[..<colon])
        if current == nil { current = Stanza(line: lineNumber) }
        current?.set(name, to: String(line[line.index(after: colon)...].trimmed))
        openField = name
        return nil
    }

    /// Ends the input, and the stanza that is open.
    package mutating func finish() -> Stanza? {
        defer { (current, openField) = (nil, nil) }
        return current
    }
}

extension StringProtocol {
    /// Without blanks at both ends.
    var trimmed: SubSequence {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
