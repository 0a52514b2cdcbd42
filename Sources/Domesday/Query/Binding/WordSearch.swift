/// What the text on the right of `TEXT` asks of another text's words.
///
/// **Shape.** `swan lake`: both words; `swa*`: one that begins so; `-swan`: none; `"swan lake"`: one
/// behind the other. What stands together without spaces is asked for in that order.
/// **Threads.** A value.
struct WordSearch {
    /// As written.
    let text: String
    /// What the text must have, and what it must not.
    private(set) var wanted: [Phrase] = []
    private(set) var unwanted: [Phrase] = []

    /// Words that follow each other.
    struct Phrase: Hashable {
        var words: [Word] = []
    }

    enum Word: Hashable {
        case whole([UInt8])
        case beginning([UInt8])
    }

    /// - Returns: nil if nothing is asked for.
    init?(_ text: String) {
        self.text = text
        var rest = Substring(text)
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
                continue
            }
            let isUnwanted = first == "-"
            if isUnwanted { rest.removeFirst() }
            let part: Substring
            if rest.first == "\"" {
                rest.removeFirst()
                part = rest.prefix { $0 != "\"" }
                rest = rest.dropFirst(part.count + 1)
            } else {
                part = rest.prefix { !$0.isWhitespace && $0 != "\"" }
                rest = rest.dropFirst(part.count)
            }
            let phrase = Phrase(part)
            if phrase.words.isEmpty { continue }
            if isUnwanted { unwanted.append(phrase) } else { wanted.append(phrase) }
        }
        if wanted.isEmpty, unwanted.isEmpty { return nil }
    }

    /// Whether a text without words, or nil, satisfies it.
    var matchesNothing: Bool { wanted.isEmpty }

    /// Whether a text has what is wanted and nothing of what is not.
    ///
    /// - Complexity: O(text * words asked for).
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        let words = TextWords(text)
        return wanted.allSatisfy { $0.occurs(in: words) }
            && !unwanted.contains { $0.occurs(in: words) }
    }
}

extension WordSearch.Phrase {
    /// Reads words; a star behind one makes it a beginning.
    fileprivate init(_ text: Substring) {
        let pieces = text.split(separator: "*", omittingEmptySubsequences: false)
        for (index, piece) in pieces.enumerated() {
            let found = TextWords(String(piece))
            let isStarred =
                index < pieces.count - 1 && piece.last.map { $0.isLetter || $0.isNumber } ?? false
            for number in 0..<found.count {
                let bytes = Array(found.bytes[found.range(number)])
                let isFinal = number == found.count - 1
                switch found.kinds[number] {
                case .word: words.append(isFinal && isStarred ? .beginning(bytes) : .whole(bytes))
                case .pair: words.append(.whole(bytes))
                // The pair before has it already; only another word behind needs its place.
                case .lastOfRun: if !isFinal { words.append(.whole(bytes)) }
                case .onlyOfRun: words.append(isFinal ? .beginning(bytes) : .whole(bytes))
                }
            }
        }
    }

    fileprivate func occurs(in text: TextWords) -> Bool {
        guard text.count >= words.count else { return false }
        return (0...(text.count - words.count)).contains { start in
            words.indices.allSatisfy { words[$0].matches(text, start + $0) }
        }
    }
}

extension WordSearch.Word {
    fileprivate func matches(_ text: TextWords, _ index: Int) -> Bool {
        let word = text.bytes[text.range(index)]
        switch self {
        case .whole(let bytes): return word.elementsEqual(bytes)
        case .beginning(let bytes): return word.starts(with: bytes)
        }
    }

    /// The word as written.
    var text: String {
        switch self {
        case .whole(let bytes): String(decoding: bytes, as: UTF8.self)
        case .beginning(let bytes): String(decoding: bytes, as: UTF8.self) + "*"
        }
    }

    /// Where it stands in an index.
    func images(seed: UInt64) -> ClosedRange<UInt64> {
        switch self {
        case .whole(let bytes):
            let image = WordImage.image(bytes[...], seed: seed)
            return image...image
        case .beginning(let bytes): return WordImage.range(beginningWith: bytes)
        }
    }
}
