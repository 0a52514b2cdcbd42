/// The index of a column as a reader sees it: a version's, or with a writer's changes on top.
///
/// **Threads.** As its reader's.
enum ColumnIndex {
    case stored(IndexSnapshot)
    case changed(IndexOverlay)

    /// The lowest key of a value that `accept` takes.
    @inline(__always)
    func first(
        equalTo value: UInt64,
        from source: TableReader,
        where accept: (ObjectKey) throws(StorageError) -> Bool
    ) throws(StorageError) -> ObjectKey? {
        let found: UInt64?
        switch self {
        case .stored(let index):
            found = try index.first(equalTo: value, from: source) { key throws(StorageError) in
                try accept(ObjectKey(key))
            }
        case .changed(let overlay):
            found = try overlay.first(equalTo: value, from: source) { key throws(StorageError) in
                try accept(ObjectKey(key))
            }
        }
        return found.map { ObjectKey($0) }
    }

    /// All keys of a value, ascending, with multiplicity.
    ///
    /// - Complexity: As `first`, plus the keys.
    func keys(equalTo value: UInt64, from source: TableReader) throws(StorageError) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        switch self {
        case .stored(let index):
            try index.forEach(equalTo: value, from: source) { key throws(StorageError) in
                keys.append(ObjectKey(key))
                return true
            }
        case .changed(let overlay):
            try overlay.forEach(equalTo: value, from: source) { key throws(StorageError) in
                keys.append(ObjectKey(key))
                return true
            }
            keys.sort()
        }
        return keys
    }

    /// How many entries a value has; leaves between its ends are not read.
    func count(equalTo value: UInt64, from source: TableReader) throws(StorageError) -> Int {
        switch self {
        case .stored(let index): try index.count(equalTo: value, from: source)
        case .changed(let overlay): try overlay.count(equalTo: value, from: source)
        }
    }

    /// How many entries have a value in the range; leaves between its ends are not read.
    func count(
        in range: ClosedRange<UInt64>,
        from source: TableReader
    ) throws(StorageError) -> Int {
        if range.lowerBound == range.upperBound {
            return try count(equalTo: range.lowerBound, from: source)
        }
        return switch self {
        case .stored(let index): try index.count(in: range, from: source)
        case .changed(let overlay): try overlay.count(in: range, from: source)
        }
    }

    /// The keys of all values in the range, in the order of values.
    func keys(
        in range: ClosedRange<UInt64>,
        from source: TableReader
    ) throws(StorageError) -> [ObjectKey] {
        if range.lowerBound == range.upperBound {
            return try keys(equalTo: range.lowerBound, from: source)
        }
        var keys: [ObjectKey] = []
        switch self {
        case .stored(let index):
            try index.forEach(in: range, from: source) { entry throws(StorageError) in
                keys.append(ObjectKey(entry.key))
                return true
            }
        case .changed(let overlay):
            try overlay.forEach(in: range, from: source) { entry throws(StorageError) in
                keys.append(ObjectKey(entry.key))
                return true
            }
        }
        return keys
    }
}
