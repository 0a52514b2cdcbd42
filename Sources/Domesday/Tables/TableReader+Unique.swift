import Foundation

// Unique columns: what the open write entered into their indexes is looked at before the commit, so
// that values may be exchanged within it.

extension StoreReader {
    /// Looks for a value of a unique column that the open write leaves in two objects.
    ///
    /// - Throws: `.refused` that names class, column, value and keys; what the store throws. The
    ///   write stays open.
    /// - Complexity: O(values written to unique columns), each a look-up.
    func checkUnique() throws(StorageError) {
        for case let table? in tables where table.pending != nil { try table.checkUnique() }
    }
}

extension TableReader {
    fileprivate func checkUnique() throws(StorageError) {
        guard let pending else { return }
        for column in pending.definition.columns where column.isUnique && !column.isRemoved {
            guard let overlay = pending.existingOverlay(column.id) else { continue }
            for (value, added) in try overlay.crowdedValues(from: self) {
                try checkUnique(column, among: value, added.map { ObjectKey($0) })
            }
        }
    }

    /// Looks at the objects that share an image; nil, and other values that do, are none of it.
    private func checkUnique(
        _ column: ColumnDefinition,
        among value: UInt64,
        _ added: [ObjectKey]
    ) throws(StorageError) {
        var wanted: [[UInt8]: ObjectKey] = [:]
        for key in added {
            guard let bytes = try uniqueBytes(column, key) else { continue }
            if let other = wanted.updateValue(key, forKey: bytes) {
                throw try duplicate(column, other, key)
            }
        }
        if wanted.isEmpty { return }
        for key in try index(column.id)?.keys(equalTo: value, from: self) ?? [] {
            guard let bytes = try uniqueBytes(column, key), let other = wanted[bytes], other != key
            else { continue }
            throw try duplicate(column, key, other)
        }
    }

    /// What two objects may not both have; nil if any value is nil.
    private func uniqueBytes(
        _ column: ColumnDefinition,
        _ key: ObjectKey
    ) throws(StorageError) -> [UInt8]? {
        guard let place = try locate(key) else { return nil }
        let view = ClusterView(place.cluster)
        var result: [UInt8] = []
        for id in column.isCompound ? column.components : [column.id] {
            if view.state(id, place.row) == 1 { return nil }
            switch view.kind(id) {
            case .fixed: result += Array(view.fixed(id, place.row))
            case .bytes:
                let bytes = try bytes(view.payload, column: id, row: place.row)
                withUnsafeBytes(of: UInt64(bytes.count)) { result += Array($0) }
                result += Array(bytes)
            default:
                let image = try indexValue(id, view, place.row)
                withUnsafeBytes(of: image) { result += Array($0) }
            }
        }
        return result
    }

    private func duplicate(
        _ column: ColumnDefinition,
        _ first: ObjectKey,
        _ second: ObjectKey
    ) throws(StorageError) -> StorageError {
        let ids = column.isCompound ? column.components : [column.id]
        var values: [String] = []
        for id in ids { values.append(try valueText(id, of: first)) }
        let names = ids.map { "'\(title(ofColumn: $0))'" }
        let subject =
            ids.count == 1
            ? "Property \(names[0]) is unique, and two objects have the value"
            : "Properties \(names.joined(separator: ", ")) are unique together, and two objects "
                + "have the values"
        return StorageError(
            .refused,
            path: reader.store.path,
            detail: "\(subject) \(values.joined(separator: ", ")): those with the keys "
                + "\(min(first, second)) and \(max(first, second))."
        )
    }

    /// A stored value for messages: text in quotation marks.
    func valueText(_ column: Int, of key: ObjectKey) throws(StorageError) -> String {
        guard let place = try locate(key) else { return "nil" }
        let (view, row) = (ClusterView(place.cluster), place.row)
        if view.state(column, row) == 1 { return "nil" }
        switch definition.columns[column].type {
        case .bool: return view.int(column, row) == 0 ? "false" : "true"
        case .int, .link: return "\(view.int(column, row))"
        case .float: return "\(view.float(column, row))"
        case .double: return "\(view.double(column, row))"
        case .date: return "\(Date(timeIntervalSinceReferenceDate: view.double(column, row)))"
        case .string:
            let bytes = try bytes(view.payload, column: column, row: row)
            return "'\(String(decoding: bytes, as: UTF8.self))'"
        case .uuid, .objectId:
            return view.fixed(column, row).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                .joined()
        case .data, .decimal, .mixed: return "..."
        }
    }
}

extension IndexOverlay {
    /// The values that entries were added of and that have several by now, with the added ones'
    /// keys.
    ///
    /// - Complexity: O(*changes* * log *changes*), and a look-up in the base for each value added.
    fileprivate func crowdedValues(
        from source: some BlobSource
    ) throws(StorageError) -> [(value: UInt64, added: [UInt64])] {
        let changes = sortedChanges()
        var result: [(value: UInt64, added: [UInt64])] = []
        var start = 0
        while start < changes.count {
            let value = changes[start].value
            var (end, sum) = (start, 0)
            var added: [UInt64] = []
            while end < changes.count, changes[end].value == value {
                sum += changes[end].delta
                if changes[end].delta > 0 { added.append(changes[end].key) }
                end += 1
            }
            start = end
            if added.isEmpty { continue }
            if try base.count(equalTo: value, from: source) + sum > 1 {
                result.append((value, added))
            }
        }
        return result
    }
}
