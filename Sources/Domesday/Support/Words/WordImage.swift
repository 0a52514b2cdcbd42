/// The 64-bit image under which a word stands in a full-text index.
///
/// **Shape.** A byte for each of the first five characters (0 where there is none), then 24 bits of
/// the hash of all: equal words are found by one value, words with a common beginning by a range.
/// Others may share it: who looks up verifies against the text. Part of the file format.
enum WordImage {
    static let headCount = 5

    static func image(_ word: ArraySlice<UInt8>, seed: UInt64) -> UInt64 {
        word.withUnsafeBytes { image($0, seed: seed) }
    }

    static func image(_ word: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        head(word).bits | Hash.hash(word, seed: seed) & 0xFF_FFFF
    }

    /// The images of all words that begin so.
    static func range(beginningWith word: [UInt8]) -> ClosedRange<UInt64> {
        let (bits, count) = word.withUnsafeBytes { head($0) }
        return bits...(bits | UInt64.max >> UInt64(8 * count))
    }

    /// The characters' bytes from the highest on, and how many there are.
    private static func head(_ word: UnsafeRawBufferPointer) -> (bits: UInt64, count: Int) {
        var bits: UInt64 = 0
        var count = 0
        var index = 0
        while count < headCount, index < word.count {
            let first = word[index]
            var value = UInt32(first)
            index += 1
            if first >= 0x80 {
                while index < word.count, word[index] & 0xC0 == 0x80 {
                    value = value << 8 | UInt32(word[index])
                    index += 1
                }
                // Letters beyond ASCII share 128 numbers.
                value = 0x80 | (value &* 0x9E37_79B1) >> 25
            }
            bits |= UInt64(value) << UInt64(56 - 8 * count)
            count += 1
        }
        return (bits, count)
    }
}

extension TextWords {
    /// The images of all words, each once, ascending.
    func images(seed: UInt64) -> [UInt64] {
        var images = (0..<count).map { WordImage.image(bytes[range($0)], seed: seed) }
        images.sort()
        var last: UInt64?
        images.removeAll { image in
            defer { last = image }
            return image == last
        }
        return images
    }
}
