/// Where the elements of a collection of links lead, in order, with multiplicity.
///
/// **Shape.** 0 stands for nil, in maps.
/// **Threads.** As the bytes it was made of.
struct LinkList {
    private enum Form {
        /// Keys side by side, none of them 0: lists and sets.
        case packed(UnsafeRawBufferPointer)
        case keys([ObjectKey])
    }

    private let form: Form
    let count: Int

    /// - Returns: nil if the bytes of the sequence are damaged.
    init?(_ sequence: StoredSequence) {
        if let bytes = sequence.packed {
            form = .packed(bytes)
            count = bytes.count / 8
        } else {
            guard let keys = sequence.links() else { return nil }
            form = .keys(keys)
            count = keys.count
        }
    }

    /// Whether a link leads to an object for which `body` holds.
    @inline(__always)
    func contains(where body: (ObjectKey) -> Bool) -> Bool {
        switch form {
        case .packed: for index in 0..<count where body(self[index]) { return true }
        case .keys(let keys): for key in keys where key != 0 && body(key) { return true }
        }
        return false
    }

    /// Calls `body` with each object that a link leads to.
    @inline(__always)
    func forEach(_ body: (ObjectKey) -> Void) {
        _ = contains {
            body($0)
            return false
        }
    }

    /// All of them, 0 for nil.
    var keys: [ObjectKey] {
        if case .keys(let keys) = form { return keys }
        return (0..<count).map { self[$0] }
    }

    private subscript(index: Int) -> ObjectKey {
        switch form {
        // SAFETY: `index` is below the count; loadUnaligned needs no alignment.
        case .packed(let bytes): bytes.loadUnaligned(fromByteOffset: index * 8, as: Int64.self)
        case .keys(let keys): keys[index]
        }
    }
}

extension TableReader {
    /// The links in a collection of a row.
    ///
    /// - Parameter layout: the column's, for those who ask for many rows.
    @inline(__always)
    func linkList(
        _ column: Int,
        _ view: ClusterView,
        _ row: Int,
        layout: SequenceLayout? = nil
    ) throws(StorageError) -> LinkList {
        guard let links = LinkList(try sequence(column, view, row, layout: layout)) else {
            throw damagedSequence(view)
        }
        return links
    }
}
