import Foundation

/// The record of what a commit changes, if the store keeps a history.
extension WriteTransaction {
    /// Records are taken away when so many are more than has to be kept: taking away empties the
    /// commit log.
    private static let surplusCount: UInt64 = 256
    /// And so many at once at most.
    private static let removalLimit: UInt64 = 4096
    /// A larger record is not written; the history begins anew instead.
    private static let recordByteLimit = 256 << 20

    /// Begins, changes or ends the keeping of a history; this commit is the first to be in a new one.
    func setHistory(_ limit: HistoryLimit?) throws(StorageError) {
        guard let limit else {
            if let history { try deleteSpace(history.space) }
            history = nil
            noteSchemaChange()
            return
        }
        if history == nil {
            history = HistorySettings(space: takeSpace(), limit: limit, first: version)
        }
        history?.limit = limit
        noteSchemaChange()
    }

    /// Writes the record of this commit, and takes away what need not be kept any longer.
    ///
    /// - Parameter tables: What the commit makes of them.
    /// - Complexity: as the differences of the tables that have changed.
    func recordHistory(_ tables: [TableSnapshot?]) throws(StorageError) {
        guard var settings = history else {
            if base.history != nil { try delete(HistorySettings.address) }
            return
        }
        var record = HistoryRecord(
            HistoryRecord.Head(
                date: Date().timeIntervalSinceReferenceDate,
                mark: .random(in: .min ... .max),
                author: reader.author,
                changesSchema: reader.tables.contains { $0?.pending?.schemaChanged ?? false }
            )
        )
        for case let table? in tables {
            let changes = try changes(of: table)
            if !changes.isEmpty { record.tables.append(changes) }
        }
        var writer = record.encoded()
        if writer.bytes.count > Self.recordByteLimit {
            // Whoever asks for it from an older token is told to look at everything.
            try deleteSpace(settings.space)
            settings = HistorySettings(space: takeSpace(), limit: settings.limit, first: version)
            noteSchemaChange()
            record.tables = []
            writer = record.encoded()
        }
        try write(writer.blob(), settings.address(of: version))
        try trim(&settings)
        if settings != base.history { try write(settings.encoded(), HistorySettings.address) }
        history = settings
    }

    private func changes(of table: TableSnapshot) throws(StorageError) -> HistoryRecord.Table {
        var changes = HistoryRecord.Table(id: table.definition.id)
        let old = (base.tables[safe: table.definition.id] ?? nil) ?? TableSnapshot(before: table)
        // The old rows are read as the new schema has them.
        let primaryKey = table.definition.primaryKey
        var keys: [MixedValue] = []
        let difference = try TableDifference(from: old, at: base, to: table, at: self) {
            (row: inout ClusterRows) throws(StorageError) in
            if let primaryKey { keys.append(try row.primaryKey(primaryKey)) }
        }
        changes.inserted = KeyRuns(difference.inserted)
        changes.deleted = KeyRuns(difference.deleted)
        if primaryKey != nil, !keys.isEmpty { changes.primaryKeys = keys }
        for key in difference.modified.keys.sorted() {
            guard let columns = difference.modified[key] else { continue }
            changes.modified[columns, default: KeyRuns()].append(key)
        }
        return changes
    }

    /// Takes away the oldest records as far as the limit allows, some at a time.
    private func trim(_ settings: inout HistorySettings) throws(StorageError) {
        let end = min(settings.first + Self.removalLimit, version)
        var first = settings.first
        switch settings.limit {
        case .unlimited: return
        case .commits(let count):
            guard version > count, version - count >= first + Self.surplusCount else { return }
            first = min(end, version - count)
        case .seconds(let count):
            guard version.isMultiple(of: Self.surplusCount) else { return }
            let now = Date().timeIntervalSinceReferenceDate
            // A version is what tokens are made of until the next one comes. One that was written
            // while a clock was ahead is as old as those behind it say.
            for next in (first..<end).map({ $0 + 1 }) {
                let date = try date(of: next, settings)
                if date < now - Double(count) { first = next } else if date <= now { break }
            }
        }
        for version in settings.first..<first { try delete(settings.address(of: version)) }
        settings.first = first
    }

    private func date(
        of version: UInt64,
        _ settings: HistorySettings
    ) throws(StorageError) -> Double {
        let address = settings.address(of: version)
        let buffer = try load(address)
        defer { withExtendedLifetime(buffer) {} }
        var reader = ByteReader(
            buffer.payloadBytes,
            damage: base.damaged(address, "record of the history makes no sense")
        )
        return try HistoryRecord.Head(&reader).date
    }
}

extension ClusterRows {
    /// The primary key of the row at hand.
    mutating func primaryKey(_ column: ColumnDefinition) throws(StorageError) -> MixedValue {
        guard let view, column.id < view.columnCount, view.state(column.id, row) != 1 else {
            return .none
        }
        switch column.type {
        case .int: return .int(view.int(column.id, row))
        case .uuid: return .uuid(Array(view.fixed(column.id, row)))
        case .objectId: return .objectId(Array(view.fixed(column.id, row)))
        default:
            if view.state(column.id, row) == 2, let long = try longReference(column.id) {
                let blob = try longValue(long.number)
                defer { withExtendedLifetime(blob) {} }
                return .string(Array(blob.payloadBytes))
            }
            return .string(Array(ClusterView.bytes(try heap(), column.id, row)))
        }
    }
}
