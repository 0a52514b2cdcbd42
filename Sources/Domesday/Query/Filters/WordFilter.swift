/// Rows whose text has some words.
///
/// Over whole clusters the matches are found once through the index; single rows are read.
final class WordFilter: RowFilter {
    private let column: Int
    private let search: WordSearch
    private var matches: MatchSet?

    init(_ table: TableReader, _ column: Int, _ search: WordSearch) {
        self.column = column
        self.search = search
        super.init(table)
    }

    /// A text is broken into words each time.
    override var cost: Double { matches == nil ? 1000 : 2 }

    override func prepare() throws(StorageError) {
        guard matches == nil, let probe = try WordProbe(search, table, column) else { return }
        var set = try MatchSet(of: table)
        for (index, key) in try probe.keys().enumerated() {
            if index & 255 == 0 { table.reader.safePoint() }
            guard let place = try table.locate(key) else { continue }
            if try hasWords(ClusterView(place.cluster), place.row) { set.insert(key) }
        }
        matches = set
    }

    override func narrow(_ mask: RowMask, _ view: ClusterView) throws(StorageError) {
        guard let matches else { return try super.narrow(mask, view) }
        for row in 0..<mask.count where mask.isSet(row) {
            mask.bytes[row] = matches.contains(view.key(row)) ? 1 : 0
        }
    }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        if let matches { return matches.contains(view.key(row)) }
        return try hasWords(view, row)
    }

    private func hasWords(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        if view.state(column, row) == 1 { return search.matchesNothing }
        return search.matches(try table.bytes(view.payload, column: column, row: row))
    }
}
