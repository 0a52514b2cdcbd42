/// Holds the history's records against the objects, with a decoder of its own.
extension StoreCheck {
    /// - Parameter keys: By table, the objects that there are.
    mutating func history(_ keys: [TableID: Set<ObjectKey>]) throws(StorageError) {
        guard let blob = try read(HistorySettings.address) else { return }
        var settings = RawRecord(blob)
        guard let space = settings.number(), settings.byte() != nil, settings.number() != nil,
            let first = settings.number(), first <= snapshot.version
        else { return report("the settings of the history make no sense") }
        var inserted: [TableID: Set<ObjectKey>] = [:]
        for version in first...snapshot.version {
            let address = BlobAddress(space: Space(Int(space)), id: Int64(version))
            guard let blob = try read(address) else {
                report("the history has no record of version \(version)")
                continue
            }
            var record = RawRecord(blob)
            guard let tables = record.tables(), record.isAtEnd else {
                report("the history's record of version \(version) makes no sense")
                continue
            }
            for table in tables {
                check(table, version, keys[table.id])
                inserted[table.id, default: []].formUnion(table.inserted)
                inserted[table.id]?.subtract(table.deleted)
            }
        }
        for (table, inserted) in inserted {
            let missing = inserted.subtracting(keys[table] ?? [])
            if !missing.isEmpty {
                report("the history knows \(missing.count) objects of table \(table) that are gone")
            }
        }
    }

    private mutating func check(
        _ table: RawRecord.Table,
        _ version: UInt64,
        _ keys: Set<ObjectKey>?
    ) {
        let place = "the history's version \(version), table \(table.id)"
        guard let known = snapshot.tables[safe: table.id] ?? nil, let keys else {
            return report("\(place): there is no such table")
        }
        let all = table.inserted + table.deleted + table.modified
        if all.contains(where: { $0 <= 0 || $0 >= known.nextKey }) {
            report("\(place): a key was never given")
        }
        if Set(all).count != all.count { report("\(place): a key stands there twice") }
        if !keys.isDisjoint(with: table.deleted) {
            report("\(place): a deleted object is there")
        }
        if table.columns.contains(where: { $0 >= known.definition.columns.count }) {
            report("\(place): there is no such column")
        }
    }
}

/// A record decoded after FORMAT.md rather than after the engine.
private struct RawRecord {
    struct Table {
        let id: Int
        var inserted: [ObjectKey] = []
        var deleted: [ObjectKey] = []
        var modified: [ObjectKey] = []
        var columns: [Int] = []
    }

    private let bytes: [UInt8]
    private var offset = 0

    init(_ blob: BlobBuffer) {
        bytes = Array(blob.payloadBytes)
        withExtendedLifetime(blob) {}
    }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func byte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        offset += 1
        return bytes[offset - 1]
    }

    mutating func number() -> UInt64? {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while let next = byte() {
            result |= UInt64(next & 127) << shift
            if next < 128 { return result < 1 << 60 ? result : nil }
            shift += 7
            if shift > 63 { return nil }
        }
        return nil
    }

    private mutating func skip(_ count: UInt64) -> Bool {
        guard count <= UInt64(bytes.count - offset) else { return false }
        offset += Int(count)
        return true
    }

    private mutating func keys() -> [ObjectKey]? {
        guard let count = number() else { return nil }
        var keys: [ObjectKey] = []
        var end: UInt64 = 0
        for _ in 0..<count {
            guard let distance = number(), distance > 0, let length = number(), length > 0,
                length < 1 << 40
            else { return nil }
            let start = end + distance
            end = start + length
            keys += (start..<end).map { ObjectKey($0) }
        }
        return keys
    }

    mutating func tables() -> [Table]? {
        guard byte() != nil, skip(16), let author = number(), skip(author),
            let count = number()
        else { return nil }
        var tables: [Table] = []
        for _ in 0..<count {
            guard let table = table(), table.id > (tables.last?.id ?? -1) else { return nil }
            tables.append(table)
        }
        return tables
    }

    private mutating func table() -> Table? {
        guard let id = number() else { return nil }
        var table = Table(id: Int(id))
        guard let inserted = keys(), let deleted = keys(), let hasKeys = byte() else { return nil }
        table.inserted = inserted
        table.deleted = deleted
        for _ in 0..<(hasKeys == 1 ? deleted.count : 0) {
            guard let length = number(), skip(length) else { return nil }
        }
        guard let groups = number() else { return nil }
        for _ in 0..<groups {
            guard let columns = number(), columns > 0 else { return nil }
            for _ in 0..<columns {
                guard let column = number() else { return nil }
                table.columns.append(Int(column))
            }
            guard let modified = keys() else { return nil }
            table.modified += modified
        }
        return table
    }
}
