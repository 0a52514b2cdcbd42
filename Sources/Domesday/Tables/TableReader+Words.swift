// The index of a text's words: an entry for each word and object, as `WordImage` has it.

extension TableReader {
    /// The images of the words in a row's text, each once, ascending; none for nil.
    func wordImages(
        _ column: Int,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> [UInt64] {
        if view.state(column, row) == 1 { return [] }
        let text = try bytes(view.payload, column: column, row: row)
        return TextWords(text).images(seed: seed)
    }

    /// Enters the rows of a cluster into a new index.
    func enterWords(
        _ column: Int,
        _ view: ClusterView,
        into index: IndexOverlay
    ) throws(StorageError) {
        for row in 0..<view.rowCount {
            for image in try wordImages(column, view, row) {
                index.insert(value: image, key: UInt64(view.key(row)))
            }
        }
    }
}

extension RowWriter {
    /// Enters a new object's words.
    func enterWords(_ column: Int) throws(StorageError) {
        for image in try table.wordImages(column, cluster.view, row) {
            changes.insert(value: image, key: UInt64(key), into: column)
        }
    }

    /// Changes a text, and its entries by the words that come and go.
    func replacingWords(
        _ column: Int,
        _ change: () throws(StorageError) -> Void
    ) throws(StorageError) {
        let old = try table.wordImages(column, cluster.view, row)
        try change()
        let new = try table.wordImages(column, cluster.view, row)
        guard let index = changes.overlay(column) else { return }
        var (a, b) = (0, 0)
        while a < old.count || b < new.count {
            if a < old.count, b < new.count, old[a] == new[b] {
                a += 1
                b += 1
            } else if b == new.count || a < old.count && old[a] < new[b] {
                index.remove(value: old[a], key: UInt64(key))
                a += 1
            } else {
                index.insert(value: new[b], key: UInt64(key))
                b += 1
            }
        }
    }
}
