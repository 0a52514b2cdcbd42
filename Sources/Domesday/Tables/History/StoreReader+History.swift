/// A place in a store's history: a version, and what tells it from another one of that number.
struct HistoryPoint: Hashable, Sendable {
    let version: UInt64
    /// That of the version's record.
    let mark: UInt64
}

/// What a store's history says about the time since a point.
enum HistoryAnswer {
    /// The records of the versions behind it, up to the reader's, and the point reached.
    case records([HistoryRecord], upTo: HistoryPoint)
    /// There is no history.
    case notKept
    /// The point is older than what is kept; the oldest version that is not.
    case expired(oldest: UInt64)
    /// The store has never been there, or was put back since.
    case unknown
}

extension StoreReader {
    /// Where the reader stands; nil if no history is kept. Within a write it is the version before.
    func historyPoint() throws(StorageError) -> HistoryPoint? {
        guard let history = snapshot.history else { return nil }
        return try point(snapshot.version, history)
    }

    private func point(
        _ version: UInt64,
        _ history: HistorySettings
    ) throws(StorageError) -> HistoryPoint {
        HistoryPoint(version: version, mark: try record(version, history).head.mark)
    }

    /// What the commits behind a point have changed, up to the version that the reader shows.
    ///
    /// - Complexity: a blob for each commit.
    func history(since start: HistoryPoint) throws(StorageError) -> HistoryAnswer {
        guard let history = snapshot.history else { return .notKept }
        guard start.version <= snapshot.version else { return .unknown }
        guard start.version >= history.first else { return .expired(oldest: history.first) }
        guard try point(start.version, history) == start else { return .unknown }
        var records: [HistoryRecord] = []
        var end = start
        while end.version < snapshot.version {
            let record = try record(end.version + 1, history)
            end = HistoryPoint(version: end.version + 1, mark: record.head.mark)
            records.append(record)
        }
        return .records(records, upTo: end)
    }

    private func record(
        _ version: UInt64,
        _ history: HistorySettings
    ) throws(StorageError) -> HistoryRecord {
        let address = history.address(of: version)
        let buffer = try snapshot.load(address)
        defer { withExtendedLifetime(buffer) {} }
        let damage = snapshot.damaged(address, "record of the history makes no sense")
        let record = try HistoryRecord(buffer, damage: damage)
        for table in record.tables {
            guard let known = snapshot.tables[safe: table.id] ?? nil,
                ([table.inserted, table.deleted] + table.modified.values)
                    .allSatisfy({ $0.end <= known.nextKey }),
                table.modified.keys.allSatisfy({
                    $0.ids.allSatisfy { $0 < known.definition.columns.count }
                })
            else { throw damage }
        }
        return record
    }

    /// Sees to it that the store keeps a history with this limit, none if it is nil.
    ///
    /// - Throws: As `beginWrite` and `commitWrite`, with nothing changed.
    func keepHistory(_ limit: HistoryLimit?) throws(StorageError) {
        // Who commits in between may have set it.
        while snapshot.history?.limit != limit {
            guard try beginWrite(unlessOutdated: true), let write else {
                try refresh()
                continue
            }
            do throws(StorageError) { try write.setHistory(limit) } catch {
                cancelWrite()
                throw error
            }
            try commitWrite()
        }
    }

    /// The primary key of an object that the reader sees.
    func primaryKey(
        _ key: ObjectKey,
        of table: TableReader
    ) throws(StorageError) -> MixedValue? {
        guard let column = table.definition.primaryKey else { return nil }
        safePoint()
        guard let place = try table.locate(key) else { return nil }
        let view = ClusterView(place.cluster)
        if view.state(column.id, place.row) == 1 { return MixedValue.none }
        switch column.type {
        case .int: return .int(view.int(column.id, place.row))
        case .uuid: return .uuid(Array(view.fixed(column.id, place.row)))
        case .objectId: return .objectId(Array(view.fixed(column.id, place.row)))
        default:
            let bytes = try table.bytes(place.cluster, column: column.id, row: place.row)
            return .string(Array(bytes))
        }
    }
}
