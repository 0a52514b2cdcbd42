/// Keys of objects, ascending, each once, as runs without gaps.
///
/// **Threads.** A value.
struct KeyRuns: Hashable, Sendable {
    private(set) var runs: [Range<ObjectKey>] = []

    init() {}

    /// - Parameter keys: ascending, each once.
    init(_ keys: some Sequence<ObjectKey>) {
        for key in keys { append(key) }
    }

    var isEmpty: Bool { runs.isEmpty }

    var count: Int { runs.reduce(0) { $0 + $1.count } }

    /// One more than the last key; 0 if there is none.
    var end: ObjectKey { runs.last?.upperBound ?? 0 }

    /// - Precondition: `key` is above all others.
    mutating func append(_ key: ObjectKey) {
        if let last = runs.last, last.upperBound == key {
            runs[runs.count - 1] = last.lowerBound..<(key + 1)
        } else {
            runs.append(key..<(key + 1))
        }
    }

    func forEach(_ body: (ObjectKey) -> Void) {
        for run in runs { for key in run { body(key) } }
    }

    // MARK: - Coding

    func encode(into writer: inout ByteWriter) {
        writer.append(runs.count)
        var previous: ObjectKey = 0
        for run in runs {
            writer.append(Int(run.lowerBound - previous))
            writer.append(run.count)
            previous = run.upperBound
        }
    }

    init(_ reader: inout ByteReader) throws(StorageError) {
        let limit = 1 << 60
        let runCount = try reader.int(below: limit)
        var previous = 0
        for _ in 0..<runCount {
            let start = previous + (try reader.int(below: limit))
            let count = try reader.int(below: limit)
            // A run begins behind a gap, or it would be part of the one before.
            guard start > previous, count > 0, start + count < limit else { throw reader.damage }
            runs.append(Int64(start)..<Int64(start + count))
            previous = start + count
        }
    }
}
