/// The postings of the words that a search wants: a superset of its matches.
///
/// **Threads.** Its reader's.
struct WordProbe {
    private let table: TableReader
    private let index: ColumnIndex
    /// What the texts must have, the rarest first, and how many entries there are of it.
    private let words: [(word: WordSearch.Word, images: ClosedRange<UInt64>, count: Int)]

    /// - Returns: nil if nothing is wanted, but only unwanted, or there is no index.
    init?(_ search: WordSearch, _ table: TableReader, _ column: Int) throws(StorageError) {
        guard let index = table.index(column) else { return nil }
        var words: [(word: WordSearch.Word, images: ClosedRange<UInt64>, count: Int)] = []
        for word in Set(search.wanted.flatMap(\.words)) {
            let images = word.images(seed: table.seed)
            words.append((word, images, try index.count(in: images, from: table)))
        }
        if words.isEmpty { return nil }
        // By their texts where they are equally many, so that a plan is always the same.
        self.words = words.sorted { ($0.count, $0.word.text) < ($1.count, $1.word.text) }
        self.table = table
        self.index = index
    }

    var estimate: Int { words[0].count }

    /// For `explain`: the rarest word first.
    var description: String { words.map { "'\($0.word.text)'" }.joined(separator: ", ") }

    /// The objects that have all words, ascending, each once.
    ///
    /// - Complexity: O(entries of the rarest word, and of others that are not much more frequent).
    func keys() throws(StorageError) -> [ObjectKey] {
        var keys = try sortedKeys(words[0].images)
        for (_, images, count) in words.dropFirst() {
            // To read the texts costs less than long postings.
            if keys.isEmpty || count > keys.count * 32 { break }
            keys = Self.common(keys, try sortedKeys(images))
        }
        return keys
    }

    private func sortedKeys(_ images: ClosedRange<UInt64>) throws(StorageError) -> [ObjectKey] {
        let found = try index.keys(in: images, from: table)
        if images.lowerBound == images.upperBound { return found }
        return Set(found).sorted()
    }

    private static func common(_ a: [ObjectKey], _ b: [ObjectKey]) -> [ObjectKey] {
        var result: [ObjectKey] = []
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
            if a[i] == b[j] { result.append(a[i]) }
            let (x, y) = (a[i], b[j])
            if x <= y { i += 1 }
            if y <= x { j += 1 }
        }
        return result
    }
}

extension IndexProbe {
    /// The objects whose text has some words.
    static func words(
        _ search: WordSearch,
        _ table: any QueryTable,
        _ column: Int
    ) throws(StorageError) -> IndexProbe? {
        guard let probe = try WordProbe(search, table.reader, column) else { return nil }
        let name = table.propertyName(ofColumn: column)
        return IndexProbe(
            estimate: probe.estimate,
            isExact: false,
            description: {
                "full-text index on \(table.className).\(name) for \(probe.description)"
            },
            keys: probe.keys
        )
    }
}
