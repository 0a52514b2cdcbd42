// Links inside values of any type. The index of such a column holds their images, so that a deleted
// object's links are found; nothing else asks it.

extension TableReader {
    /// Where a row's values of any type lead, in order.
    func mixedLinks(
        of column: ColumnDefinition,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> [MixedLink] {
        let links =
            column.shape == .none
            ? MixedValue.links(in: try bytes(view.payload, column: column.id, row: row))
            : try sequence(column.id, view, row).mixedLinks()
        guard let links else { throw damagedMixed(view) }
        return links
    }

    func damagedMixed(_ view: ClusterView) -> StorageError {
        reader.snapshot.damaged(
            BlobAddress(space: spaces.heap, id: view.firstKey),
            "value of any type"
        )
    }

    /// Makes none of all links inside values of any type that lead to objects of this table; sets
    /// lose them.
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
        if column.shape != .none {
            guard let leaves = try sequence(column.id, view, writer.row).leafPositions else {
                throw damagedMixed(view)
            }
            for leaf in leaves.reversed() { try endLinks(writer, column.id, to: link, in: leaf) }
            return
        }
        let stored = try bytes(view.payload, column: column.id, row: writer.row)
        guard let changed = MixedValue(stored)?.removing(link).encoded else {
            throw damagedMixed(view)
        }
        try changed.withUnsafeBufferPointer { bytes throws(StorageError) in
            try writer.setBytes(UnsafeRawBufferPointer(bytes), column.id)
        }
    }
}

extension TableReader {
    /// Ends links in some elements of a collection.
    private func endLinks(
        _ writer: RowWriter,
        _ column: Int,
        to link: MixedLink,
        in range: Range<Int>
    ) throws(StorageError) {
        let view = writer.cluster.view
        let stored = try sequence(column, view, writer.row)
        guard let links = stored.mixedLinks(in: range) else { throw damagedMixed(view) }
        if !links.contains(link) { return }
        guard let rest = stored.without(link, in: range) else { throw damagedMixed(view) }
        try writer.replaceElements(column, range, with: rest)
    }
}

extension StoredSequence {
    /// The links in the values of some elements; nil if the bytes are damaged.
    func mixedLinks(in range: Range<Int>? = nil) -> [MixedLink]? {
        var links: [MixedLink] = []
        var areSound = true
        let isWhole = forEach(in: range) { element in
            guard let value = layout.value(of: element) else { return true }
            guard let found = MixedValue.links(in: value) else {
                areSound = false
                return false
            }
            links += found
            return true
        }
        return isWhole && areSound ? links : nil
    }

    /// Some elements without a link: none stands in its place, in a set nothing. nil if the bytes
    /// are damaged.
    fileprivate func without(_ link: MixedLink, in range: Range<Int>) -> EncodedElements? {
        var rest = EncodedElements(layout)
        var areSound = true
        let isWhole = forEach(in: range) { element in
            guard let bytes = layout.value(of: element), let value = MixedValue(bytes) else {
                areSound = false
                return false
            }
            if layout.shape == .set, value == .link(link) { return true }
            let key = layout.shape == .map ? layout.key(of: element) : nil
            value.removing(link).encoded.withUnsafeBytes {
                rest.append($0, key: key.map { String(decoding: $0, as: UTF8.self) })
            }
            return true
        }
        return isWhole && areSound ? rest : nil
    }
}

extension EncodedElements {
    /// The links in the values; nil if one is damaged.
    fileprivate var mixedLinks: [MixedLink]? {
        var links: [MixedLink] = []
        for index in 0..<count {
            let found = withElement(index) {
                layout.value(of: $0).map { MixedValue.links(in: $0) } ?? []
            }
            guard let found else { return nil }
            links += found
        }
        return links
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

    /// Keeps the index of links right when elements of a collection of such values are replaced.
    func changeMixedLinks(
        _ column: Int,
        replacing range: Range<Int>,
        of stored: StoredSequence,
        with new: EncodedElements
    ) throws(StorageError) {
        try changeMixedLinks(column, stored.mixedLinks(in: range), new.mixedLinks)
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
