/// Where the elements of a collection of links lead, in order, with multiplicity.
///
/// **Shape.** 0 stands for nil, in maps.
/// **Threads.** As the bytes it was made of.
struct LinkList {
    private enum Form {
        /// Keys side by side, none of them 0: lists and sets.
        case packed(UnsafeRawBufferPointer)
        /// As packed, of each leaf.
        case leaves([UnsafeRawBufferPointer])
        case keys([ObjectKey])
    }

    private let form: Form
    let count: Int

    /// - Returns: nil if the bytes of the sequence are damaged.
    init?(_ sequence: StoredSequence) {
        if let bytes = sequence.packed {
            form = .packed(bytes)
            count = bytes.count / 8
        } else if let tree = sequence.tree, sequence.layout.stride > 0 {
            var leaves: [UnsafeRawBufferPointer] = []
            let isWhole = tree.forEachLeaf { leaf, _ in
                if let bytes = leaf.packed { leaves.append(bytes) }
                return true
            }
            if !isWhole { return nil }
            form = .leaves(leaves)
            count = tree.count
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
        case .packed(let bytes): return Self.contains(bytes, body)
        case .leaves(let leaves):
            for bytes in leaves where Self.contains(bytes, body) { return true }
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
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        forEach { keys.append($0) }
        return keys
    }

    @inline(__always)
    private static func contains(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (ObjectKey) -> Bool
    ) -> Bool {
        for offset in stride(from: 0, to: bytes.count, by: 8)
        // SAFETY: the bytes are whole keys; loadUnaligned needs no alignment.
        where body(bytes.loadUnaligned(fromByteOffset: offset, as: ObjectKey.self)) { return true }
        return false
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
