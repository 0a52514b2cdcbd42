import Foundation

/// What differs between two versions of a table.
///
/// **Shape.** Keys ascending. An object is modified if it is in both versions and a column of it has
/// another value; one that was set to the value it had is not.
/// **Threads.** Immutable; a class, since every observer asks it.
final class TableDifference {
    private(set) var inserted: ContiguousArray<ObjectKey> = []
    private(set) var deleted: ContiguousArray<ObjectKey> = []
    private(set) var modified: [ObjectKey: ColumnSet] = [:]
    /// All columns that were modified in any object.
    private(set) var columns = ColumnSet()

    var changesObjects: Bool { !inserted.isEmpty || !deleted.isEmpty }
    var isEmpty: Bool { !changesObjects && modified.isEmpty }

    init() {}

    /// Compares only the clusters whose cells differ.
    ///
    /// - Complexity: O(chunks + cells of changed chunks + rows of changed clusters * columns); loads
    ///   the changed clusters of both versions.
    /// - Parameter visitDeleted: Called with the old row of each object that is gone, ascending.
    init(
        from old: TableSnapshot,
        at oldVersion: any BlobSource,
        to new: TableSnapshot,
        at newVersion: any BlobSource,
        visitDeleted: (inout ClusterRows) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        if old === new { return }
        let (oldCells, newCells) = Self.changedCells(old.directory, new.directory)
        if oldCells.isEmpty, newCells.isEmpty { return }
        let columns = new.definition.columns
        let space = new.spaces.long
        var before = ClusterRows(oldCells, oldVersion, columns, longSpace: space)
        var after = ClusterRows(newCells, newVersion, columns, longSpace: space)
        try before.load()
        try after.load()
        var comparison = RowComparison(columns)
        while true {
            switch (before.key, after.key) {
            case (nil, nil): return
            case (let key?, nil):
                deleted.append(key)
                try visitDeleted(&before)
                try before.advance()
            case (nil, let key?):
                inserted.append(key)
                try after.advance()
            case (let oldKey?, let newKey?):
                if oldKey < newKey {
                    deleted.append(oldKey)
                    try visitDeleted(&before)
                    try before.advance()
                } else if newKey < oldKey {
                    inserted.append(newKey)
                    try after.advance()
                } else {
                    let differing = try comparison.columns(&before, &after)
                    if !differing.isEmpty {
                        modified[oldKey] = differing
                        self.columns.formUnion(differing)
                    }
                    try before.advance()
                    try after.advance()
                }
            }
        }
    }

    /// The cells that are in one version only.
    static func changedCells(
        _ old: ClusterDirectory,
        _ new: ClusterDirectory
    ) -> (old: [ClusterCell], new: [ClusterCell]) {
        var before = DirectoryCursor(old)
        var after = DirectoryCursor(new)
        var result: (old: [ClusterCell], new: [ClusterCell]) = ([], [])
        while let a = before.chunk, let b = after.chunk {
            if before.skipSharedGroup(with: &after) { continue }
            if a === b, before.index == 0, after.index == 0 {
                before.skipChunk()
                after.skipChunk()
                continue
            }
            let (oldCell, newCell) = (a.cells[before.index], b.cells[after.index])
            let (oldKey, newKey) = (a.firstKeys[before.index], b.firstKeys[after.index])
            if oldCell !== newCell {
                if oldKey <= newKey { result.old.append(oldCell) }
                if newKey <= oldKey { result.new.append(newCell) }
            }
            if oldKey <= newKey { before.advance() }
            if newKey <= oldKey { after.advance() }
        }
        while let chunk = before.chunk {
            result.old.append(chunk.cells[before.index])
            before.advance()
        }
        while let chunk = after.chunk {
            result.new.append(chunk.cells[after.index])
            after.advance()
        }
        return result
    }
}

/// Walks over the cells of a directory.
private struct DirectoryCursor {
    private let directory: ClusterDirectory
    private var position = 0
    private(set) var index = 0

    init(_ directory: ClusterDirectory) { self.directory = directory }

    /// nil at the end.
    var chunk: ClusterDirectory.Chunk? {
        position < directory.chunks.count ? directory.chunks[position] : nil
    }

    /// Skips a group of chunks that begins in both directories here; false if there is none.
    mutating func skipSharedGroup(with other: inout DirectoryCursor) -> Bool {
        let (chunks, others) = (directory.chunks, other.directory.chunks)
        guard index == 0, other.index == 0,
            chunks.sharesGroup(at: position, with: others, at: other.position)
        else { return false }
        let count = chunks.groupCount(at: position)
        position += count
        other.position += count
        return true
    }

    mutating func skipChunk() {
        position += 1
        index = 0
    }

    mutating func advance() {
        index += 1
        if index == directory.chunks[position].cells.count { skipChunk() }
    }
}

extension TableSnapshot {
    /// What a table was before it was made.
    convenience init(before table: TableSnapshot) {
        self.init(
            definition: table.definition,
            spaces: table.spaces,
            directory: ClusterDirectory(),
            count: 0,
            nextKey: 1,
            nextLongValue: 1,
            indexes: [:]
        )
    }
}
