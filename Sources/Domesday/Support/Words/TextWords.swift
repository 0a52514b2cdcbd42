/// The words of a text in their order, folded, as full-text search sees them.
///
/// Words are those of Unicode's annex 29. Where a script has no spaces (Chinese, Japanese, Korean)
/// each character is a word of two characters, itself and the next one; the last of a run is a word
/// of its own.
///
/// **Threads.** A value.
struct TextWords {
    enum Kind {
        case word
        /// A character of a script without spaces, and the one behind it.
        case pair
        /// The last character of such a run.
        case lastOfRun
        /// The only one.
        case onlyOfRun
    }

    /// All words, one behind the other.
    private(set) var bytes: [UInt8] = []
    private var ends: [Int] = []
    private(set) var kinds: [Kind] = []

    /// - Parameter text: UTF-8; what is none is replaced.
    /// - Complexity: O(bytes).
    init(_ text: UnsafeRawBufferPointer) {
        if text.contains(where: { $0 >= 0x80 }) {
            let folded = WordFolding.folded(String(decoding: text, as: UTF8.self))
            findWords(in: Array(folded.unicodeScalars))
        } else {
            findASCIIWords(in: text)
        }
    }

    init(_ text: String) {
        var text = text
        self = text.withUTF8 { TextWords(UnsafeRawBufferPointer($0)) }
    }

    var count: Int { ends.count }

    /// The bytes of one word.
    func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    /// The word as text.
    subscript(index: Int) -> String { String(decoding: bytes[range(index)], as: UTF8.self) }

    private mutating func end(_ kind: Kind) {
        ends.append(bytes.count)
        kinds.append(kind)
    }

    // MARK: - Breaking

    private mutating func findASCIIWords(in text: UnsafeRawBufferPointer) {
        var index = 0
        while index < text.count {
            let (length, isWord) = Self.extent(from: index, text.count) {
                WordClass(Unicode.Scalar(text[$0]))
            }
            guard isWord else {
                index += max(length, 1)
                continue
            }
            for byte in text[index..<(index + length)] { bytes.append(ASCII.lowercase(byte)) }
            end(.word)
            index += length
        }
    }

    private mutating func findWords(in scalars: [Unicode.Scalar]) {
        let classes = scalars.map { WordClass($0) }
        var index = 0
        while index < scalars.count {
            if classes[index] == .ideograph {
                var stop = index
                while stop < scalars.count, classes[stop] == .ideograph { stop += 1 }
                addRun(scalars[index..<stop])
                index = stop
                continue
            }
            let (length, isWord) = Self.extent(from: index, scalars.count) { classes[$0] }
            guard isWord else {
                index += max(length, 1)
                continue
            }
            for scalar in scalars[index..<(index + length)] where !Self.isIgnored(scalar) {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
            end(.word)
            index += length
        }
    }

    /// Characters that say how a word is shown, not what it is.
    private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x80 && scalar.properties.generalCategory == .format
    }

    private mutating func addRun(_ run: ArraySlice<Unicode.Scalar>) {
        for index in run.indices {
            bytes.append(contentsOf: UTF8.encode(run[index]) ?? UTF8.encodedReplacementCharacter)
            guard index + 1 < run.endIndex else {
                end(run.count == 1 ? .onlyOfRun : .lastOfRun)
                return
            }
            bytes.append(
                contentsOf: UTF8.encode(run[index + 1]) ?? UTF8.encodedReplacementCharacter
            )
            end(.pair)
        }
    }

    /// How many characters from an index on belong together, and whether they are a word.
    @inline(__always)
    private static func extent(
        from start: Int,
        _ count: Int,
        _ classOf: (Int) -> WordClass
    ) -> (length: Int, isWord: Bool) {
        var index = start
        /// Of the last character that was taken, marks aside.
        var last = WordClass.other
        /// Whether there is more than connectors.
        var isWord = false
        while index < count {
            let next = classOf(index)
            switch next {
            case .letter, .digit:
                isWord = true
                last = next
            case .connector: last = next
            case .mark where index > start: break
            case .between, .betweenLetters, .betweenDigits:
                // Only between two of a kind.
                var following = index + 1
                while following < count, classOf(following) == .mark { following += 1 }
                guard following < count, classOf(following) == last else {
                    return (index - start, isWord)
                }
                let isTaken =
                    switch next {
                    case .betweenLetters: last == .letter
                    case .betweenDigits: last == .digit
                    default: last == .letter || last == .digit
                    }
                if !isTaken { return (index - start, isWord) }
            default: return (index - start, isWord)
            }
            index += 1
        }
        return (index - start, isWord)
    }
}
