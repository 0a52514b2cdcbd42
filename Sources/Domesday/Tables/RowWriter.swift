import Foundation

/// Changes one object's values and keeps indexes and back-links right.
///
/// **Threads.** The writer's. Valid until the object's table is changed through anything else.
struct RowWriter {
    // Not retained, so that a writer can be handed on for nothing. The reader holds the table, the
    // table its changes, those the cluster: until they change, as said above.
    private let unretainedTable: Unmanaged<TableReader>
    private let unretainedChanges: Unmanaged<PendingTable>
    private let unretainedCluster: Unmanaged<MutableCluster>
    private let traits: UnsafePointer<ColumnTraits>
    let key: ObjectKey
    let row: Int
    /// Whether the object is being inserted and in no index yet (back-links aside).
    let isNew: Bool

    @inline(__always)
    init(
        table: TableReader,
        changes: PendingTable,
        cluster: MutableCluster,
        key: ObjectKey,
        row: Int,
        isNew: Bool
    ) {
        unretainedTable = .passUnretained(table)
        unretainedChanges = .passUnretained(changes)
        unretainedCluster = .passUnretained(cluster)
        traits = UnsafePointer(changes.traits)
        self.key = key
        self.row = row
        self.isNew = isNew
    }

    var table: TableReader { unretainedTable.takeUnretainedValue() }
    var changes: PendingTable { unretainedChanges.takeUnretainedValue() }
    var cluster: MutableCluster { unretainedCluster.takeUnretainedValue() }

    /// Runs `body` with the cluster, not retained.
    @inline(__always)
    private func inCluster<R>(_ body: (MutableCluster) -> R) -> R {
        unretainedCluster._withUnsafeGuaranteedRef { body($0) }
    }

    @inline(__always)
    private func noteChange(_ column: Int) {
        unretainedTable._withUnsafeGuaranteedRef { $0.changeCounts.noteChange(column) }
    }

    @inline(__always)
    private func column(_ id: Int) -> ColumnTraits { traits[id] }

    /// Whether a value of the column may be written without asking anybody else.
    @inline(__always)
    private func isPlain(_ traits: ColumnTraits) -> Bool {
        !traits.isLink && (isNew || !traits.entersIndex && !traits.isComponent)
    }

    func setNil(_ column: Int) throws(StorageError) {
        noteChange(column)
        let definition = self.column(column)
        if definition.isLink { return try setInt(0, column) }
        try replacing(column) {
            () throws(StorageError) in
            if definition.kind == .bytes {
                try dropLongValue(column)
                cluster.setBytes(column, row, UnsafeRawBufferPointer(start: nil, count: 0))
            }
            cluster.setState(column, row, 1)
        }
    }

    /// An integer, a Bool as 0 or 1, or a link: the target's key, 0 for none.
    @inline(__always)
    func setInt(_ value: Int64, _ column: Int) throws(StorageError) {
        noteChange(column)
        let definition = self.column(column)
        guard isPlain(definition) else { return try setGuardedInt(value, column, definition) }
        inCluster { cluster in
            cluster.setInt(column, row, value)
            if definition.isOptional { cluster.setState(column, row, 0) }
        }
    }

    @inline(never)
    private func setGuardedInt(
        _ value: Int64,
        _ column: Int,
        _ definition: ColumnTraits
    ) throws(StorageError) {
        if definition.isLink { return setLink(value, column) }
        try replacing(column) {
            () throws(StorageError) in
            cluster.setInt(column, row, value)
            cluster.setState(column, row, 0)
        }
    }

    private func setLink(_ value: Int64, _ column: Int) {
        inCluster { cluster in
            let old = cluster.view.int(column, row)
            if old == value { return }
            if old != 0 { changes.overlay(column)?.remove(value: UInt64(old), key: UInt64(key)) }
            if value != 0 { enter(UInt64(value), column) }
            cluster.setInt(column, row, value)
        }
    }

    @inline(__always)
    func setFloat(_ value: Float, _ column: Int) throws(StorageError) {
        noteChange(column)
        let definition = self.column(column)
        if isPlain(definition) {
            return inCluster { cluster in
                cluster.setFloat(column, row, value)
                if definition.isOptional { cluster.setState(column, row, 0) }
            }
        }
        try replacing(column) {
            () throws(StorageError) in
            cluster.setFloat(column, row, value)
            cluster.setState(column, row, 0)
        }
    }

    @inline(__always)
    func setDouble(_ value: Double, _ column: Int) throws(StorageError) {
        noteChange(column)
        let definition = self.column(column)
        if isPlain(definition) {
            return inCluster { cluster in
                cluster.setDouble(column, row, value)
                if definition.isOptional { cluster.setState(column, row, 0) }
            }
        }
        try replacing(column) {
            () throws(StorageError) in
            cluster.setDouble(column, row, value)
            cluster.setState(column, row, 0)
        }
    }

    /// Text, data, a UUID's 16 or an ObjectId's 12 bytes; for a list of links use `setLinks`.
    func setBytes(_ bytes: UnsafeRawBufferPointer, _ column: Int) throws(StorageError) {
        noteChange(column)
        let definition = self.column(column)
        if definition.isMixed { try changeMixedLinks(column, to: bytes) }
        if isNew, definition.kind == .bytes, cluster.appendBytes(bytes, column, row) { return }
        try replacing(column) {
            () throws(StorageError) in
            if definition.kind == .fixed {
                cluster.setFixed(column, row, bytes)
                cluster.setState(column, row, 0)
            } else {
                try storeBytes(bytes, column)
            }
        }
    }

    /// As `setBytes`, of a text's UTF-8.
    @inline(__always)
    func setText(_ value: String, _ column: Int) throws(StorageError) {
        let isAppended =
            isNew
            && inCluster { cluster in
                value.utf8.withContiguousStorageIfAvailable {
                    cluster.appendBytes(UnsafeRawBufferPointer($0), column, row)
                } ?? false
            }
        if isAppended { return }
        var value = value
        // `withUTF8` knows no typed errors.
        let result = value.withUTF8 { bytes -> Result<Void, StorageError> in
            do throws(StorageError) {
                return .success(try setBytes(UnsafeRawBufferPointer(bytes), column))
            } catch { return .failure(error) }
        }
        try result.get()
    }

    /// Puts bytes into the heap or, if long, into a blob of their own.
    func storeBytes(
        _ bytes: UnsafeRawBufferPointer,
        _ column: Int
    ) throws(StorageError) {
        try dropLongValue(column)
        if bytes.count <= LongValue.threshold {
            cluster.setState(column, row, 0)
            cluster.setBytes(column, row, bytes)
        } else {
            storeLong([UInt8](bytes), column)
        }
    }

    private func storeLong(_ value: [UInt8], _ column: Int) {
        let number = changes.takeLongNumber()
        changes.longValues[number] = value
        table.reader.write?.noteDirty(value.count)
        let reference = LongValue.encode(number: number, byteCount: value.count)
        cluster.setState(column, row, 2)
        reference.withUnsafeBytes { cluster.setBytes(column, row, $0) }
    }

    func dropLongValue(_ column: Int) throws(StorageError) {
        let isDropped = try table.dropLongValues(column, cluster.view, row)
        if isDropped {
            cluster.setBytes(column, row, UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// Replaces part of a text or data.
    func splice(
        _ column: Int,
        at byteOffset: Int,
        removing byteCount: Int,
        inserting bytes: UnsafeRawBufferPointer
    ) throws(StorageError) {
        noteChange(column)
        try replacing(column) {
            () throws(StorageError) in
            try spliceStored(column, at: byteOffset, removing: byteCount, inserting: bytes)
        }
    }

    /// Replaces some elements of a collection; back-links are kept right.
    ///
    /// - Precondition: `new` has the column's layout; sets and maps stay ascending.
    func replaceElements(
        _ column: Int,
        _ range: Range<Int>,
        with new: EncodedElements
    ) throws(StorageError) {
        noteChange(column)
        let stored = try table.sequence(column, cluster.view, row)
        // What is set to what it was is no change.
        if stored.tree != nil, stored.elements(range, equal: new) { return }
        if self.column(column).isLink {
            guard let old = stored.links(in: range) else {
                throw table.damagedSequence(cluster.view)
            }
            changeLinks(column, from: old, to: new.links)
        }
        if self.column(column).isMixed {
            try changeMixedLinks(column, replacing: range, of: stored, with: new)
        }
        if let tree = stored.tree { return try replaceInLeaves(column, range, new, tree) }
        guard let byteCount = stored.byteCount(replacing: range, with: new) else {
            throw table.damagedSequence(cluster.view)
        }
        if byteCount > table.reader.store.leafByteLimit {
            return try storeInLeaves(column, stored, range, new)
        }
        guard let change = stored.replacing(range, with: new) else {
            throw table.damagedSequence(cluster.view)
        }
        try change.inserted.withUnsafeBufferPointer { bytes throws(StorageError) in
            try spliceStored(
                column,
                at: change.removed.lowerBound,
                removing: change.removed.count,
                inserting: UnsafeRawBufferPointer(bytes)
            )
        }
    }

    /// Exchanges back-links; what stays is not touched.
    private func changeLinks(_ column: Int, from old: [ObjectKey], to new: [ObjectKey]) {
        let (old, new) = (old.sorted(), new.sorted())
        let links = changes.overlay(column)
        var (o, n) = (0, 0)
        while o < old.count || n < new.count {
            if o < old.count, n < new.count, old[o] == new[n] {
                o += 1
                n += 1
            } else if n == new.count || (o < old.count && old[o] < new[n]) {
                if old[o] != 0 { links?.remove(value: UInt64(old[o]), key: UInt64(key)) }
                o += 1
            } else {
                if new[n] != 0 { links?.insert(value: UInt64(new[n]), key: UInt64(key)) }
                n += 1
            }
        }
    }

    /// As `splice`, leaving indexes and back-links alone.
    private func spliceStored(
        _ column: Int,
        at byteOffset: Int,
        removing byteCount: Int,
        inserting bytes: UnsafeRawBufferPointer
    ) throws(StorageError) {
        let isLong = cluster.view.state(column, row) == 2
        let stored = try table.bytes(cluster.view.payload, column: column, row: row)
        let newCount = stored.count - byteCount + bytes.count
        if !isLong, newCount <= LongValue.threshold {
            cluster.splice(column, row, at: byteOffset, removing: byteCount, inserting: bytes)
            return
        }
        var value: [UInt8]
        if isLong, let heap = cluster.heap,
            let (number, _) = LongValue.decode(ClusterView.bytes(heap.payload, column, row)),
            let own = changes.longValues.removeValue(forKey: number)
        {
            // Written by this transaction: changed in place, under a new number.
            value = own
            value.replaceSubrange(byteOffset..<(byteOffset + byteCount), with: bytes)
        } else {
            value = [UInt8](stored)
            value.replaceSubrange(byteOffset..<(byteOffset + byteCount), with: bytes)
            try dropLongValue(column)
        }
        cluster.setState(column, row, 0)
        if newCount > LongValue.threshold {
            storeLong(value, column)
        } else {
            value.withUnsafeBytes { cluster.setBytes(column, row, $0) }
        }
    }

    // MARK: - Indexes

    @inline(__always)
    private func replacing(
        _ column: Int,
        _ change: () throws(StorageError) -> Void
    ) throws(StorageError) {
        guard !isNew, self.column(column).isComponent else {
            return try replacingValue(column, change)
        }
        try replacingComponent(column) { () throws(StorageError) in
            try replacingValue(column, change)
        }
    }

    @inline(__always)
    private func replacingValue(
        _ column: Int,
        _ change: () throws(StorageError) -> Void
    ) throws(StorageError) {
        if self.column(column).kind == .bytes { try table.loadHeap(of: cluster) }
        guard !isNew, self.column(column).entersIndex else {
            if !isNew, self.column(column).entersWords {
                return try replacingWords(column, change)
            }
            return try change()
        }
        let old = try table.indexValue(column, cluster.view, row)
        try change()
        let new = try table.indexValue(column, cluster.view, row)
        guard old != new, let index = changes.overlay(column) else { return }
        index.remove(value: old, key: UInt64(key))
        index.insert(value: new, key: UInt64(key))
    }

    /// Enters a new object's values into their indexes.
    ///
    /// - Precondition: called once, for a row that `insertRow` made.
    func enterIndexes() throws(StorageError) {
        let view = inCluster { $0.view }
        let count = unretainedChanges._withUnsafeGuaranteedRef { $0.traitCount }
        for column in 0..<count where traits[column].entersIndex {
            // Integers that cannot be nil need no error, which closures would have to carry.
            let isInt = traits[column].kind == .int && !traits[column].isOptional
            let value =
                isInt
                ? IndexValue.int(view.int(column, row)) : try table.indexValue(column, view, row)
            enter(value, column)
        }
        for column in 0..<count where traits[column].entersWords { try enterWords(column) }
    }

    @inline(__always)
    private func enter(_ value: UInt64, _ column: Int) {
        unretainedChanges._withUnsafeGuaranteedRef {
            $0.insert(value: value, key: UInt64(key), into: column)
        }
    }
}

extension ColumnDefinition {
    /// Whether each object has an entry of its value in an index (back-links aside).
    var entersIndex: Bool {
        (isIndexed || isPrimaryKey) && !isRemoved && !isLink && !isMixed
    }
}
