// Links inside values of any type. The index of such a column holds their images, so that a deleted
// object's links are found; nothing else asks it.

extension TableReader {
    /// Where a row's values of any type lead, in order.
    func mixedLinks(
        of column: ColumnDefinition,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> [MixedLink] {
        let bytes = try bytes(view.payload, column: column.id, row: row)
        let links =
            column.shape == .none
            ? MixedValue.links(in: bytes) : MixedValue.links(inList: bytes)
        guard let links else { throw damagedMixed(view) }
        return links
    }

    func damagedMixed(_ view: ClusterView) -> StorageError {
        reader.snapshot.damaged(
            BlobAddress(space: spaces.heap, id: view.firstKey),
            "value of any type"
        )
    }

    /// Makes none of all links inside values of any type that lead to objects of this table.
    func endMixedLinks(to keys: [ObjectKey]) throws(StorageError) {
        for source in reader.tables.compactMap({ $0 }) {
            for column in source.definition.columns where column.isMixed {
                for key in keys {
                    let link = MixedLink(table: definition.id, key: key)
                    let found = try source.index(column.id)?.keys(
                        equalTo: link.image,
                        from: source
                    )
                    var previous: ObjectKey?
                    for from in found ?? [] where from != previous {
                        previous = from
                        try source.endLink(from, column, to: link)
                    }
                }
            }
        }
    }

    private func endLink(
        _ key: ObjectKey,
        _ column: ColumnDefinition,
        to link: MixedLink
    ) throws(StorageError) {
        let writer = try writer(of: key)
        let view = writer.cluster.view
        let stored = Array(try bytes(view.payload, column: column.id, row: writer.row))
        let isList = column.shape == .list
        let changed = stored.withUnsafeBytes { bytes -> [UInt8]? in
            if !isList { return MixedValue(bytes)?.removing(link).encoded }
            guard let parts = MixedValue.parts(of: bytes) else { return nil }
            var list: [UInt8] = []
            for part in parts {
                guard let value = MixedValue(part)?.removing(link) else { return nil }
                value.encoded.withUnsafeBytes { MixedValue.listLayout.append($0, to: &list) }
            }
            return list
        }
        guard let changed else { throw damagedMixed(view) }
        let result = changed.withUnsafeBytes { bytes -> Result<Void, StorageError> in
            do throws(StorageError) {
                guard isList else { return .success(try writer.setBytes(bytes, column.id)) }
                return .success(
                    try writer.splice(
                        column.id,
                        at: 0,
                        removing: stored.count,
                        inserting: bytes
                    )
                )
            } catch { return .failure(error) }
        }
        try result.get()
    }
}

extension MixedValue {
    fileprivate func removing(_ link: MixedLink) -> MixedValue {
        replacingLinks { $0 == link ? nil : $0 }
    }
}

extension RowWriter {
    /// Keeps the index of links right when a value of any type is replaced.
    func changeMixedLinks(_ column: Int, to bytes: UnsafeRawBufferPointer) throws(StorageError) {
        let stored = try table.bytes(cluster.view.payload, column: column, row: row)
        try changeMixedLinks(column, MixedValue.links(in: stored), MixedValue.links(in: bytes))
    }

    /// Keeps the index of links right when elements of a list of such values are replaced.
    func spliceMixedLinks(
        _ column: Int,
        at byteOffset: Int,
        removing byteCount: Int,
        inserting bytes: UnsafeRawBufferPointer
    ) throws(StorageError) {
        let stored = try table.bytes(cluster.view.payload, column: column, row: row)
        let removed = UnsafeRawBufferPointer(
            rebasing: stored[byteOffset..<(byteOffset + byteCount)]
        )
        try changeMixedLinks(
            column,
            MixedValue.links(inList: removed),
            MixedValue.links(inList: bytes)
        )
    }

    private func changeMixedLinks(
        _ column: Int,
        _ old: [MixedLink]?,
        _ new: [MixedLink]?
    ) throws(StorageError) {
        guard let old, let new else { throw table.damagedMixed(cluster.view) }
        if old.isEmpty, new.isEmpty { return }
        let overlay = changes.overlay(column)
        for link in old { overlay?.remove(value: link.image, key: UInt64(key)) }
        for link in new { overlay?.insert(value: link.image, key: UInt64(key)) }
    }
}
