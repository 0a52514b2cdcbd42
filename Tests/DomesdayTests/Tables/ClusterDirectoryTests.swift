import Testing

@testable import Domesday

/// Directories of many clusters, beside arrays of them.
@Suite("Cluster directories")
struct ClusterDirectoryTests {
    private let cache = ClusterCache(byteLimit: 0)

    private func cell(_ key: ObjectKey) -> ClusterCell {
        let spaces = (Space(1), Space(2))
        return ClusterCell(
            fixed: BlobAddress(space: spaces.0, id: key),
            heap: BlobAddress(space: spaces.1, id: key),
            cache: cache
        )
    }

    private func expect(_ directory: ClusterDirectory, holds cells: [ClusterCell]) {
        #expect(directory.count == cells.count)
        for (ordinal, cell) in cells.enumerated() {
            let key = cell.fixedAddress.id
            let isThere =
                directory.cell(ordinal) === cell && directory.firstKey(ordinal) == key
                && directory.ordinal(of: key) == ordinal
                && directory.ordinal(of: key + 5) == ordinal
            #expect(isThere, "ordinal \(ordinal)")
        }
        #expect(directory.ordinal(of: 0) == -1)
    }

    @Test(
        "a version holds what was replaced and shares the rest, and older ones stay",
        arguments: [1, 15, 16, 17, 511, 512, 513, 1100, 3000]
    )
    func versions(_ count: Int) {
        var random = SplitMix64(seed: Scale.seed)
        // Some keys are missing, so that places are searched.
        var cells: [ClusterCell] = []
        var key: ObjectKey = 1
        for _ in 0..<count {
            cells.append(cell(key))
            key += Int.random(in: 0..<40, using: &random) == 0 ? 300 : 256
        }
        let entries = cells.map { ($0.fixedAddress.id, $0) }
        var directory = ClusterDirectory(chunks: ClusterDirectory.chunks(entries))
        expect(directory, holds: cells)
        for _ in 0..<20 {
            let (before, cellsBefore) = (directory, cells)
            var replaced: [Int: ClusterCell] = [:]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let ordinal = Int.random(in: 0..<count, using: &random)
                replaced[ordinal] = cell(cells[ordinal].fixedAddress.id)
            }
            for (ordinal, cell) in replaced { cells[ordinal] = cell }
            directory = directory.replacing(replaced)
            let changed = TableDifference.changedCells(before, directory)
            let ordinals = replaced.keys.sorted()
            #expect(changed.old.elementsEqual(ordinals.map { cellsBefore[$0] }) { $0 === $1 })
            #expect(changed.new.elementsEqual(ordinals.map { cells[$0] }) { $0 === $1 })
            #expect(before.cell(ordinals[0]) === cellsBefore[ordinals[0]])
        }
        expect(directory, holds: cells)
        let same = TableDifference.changedCells(directory, directory)
        #expect(same.old.isEmpty && same.new.isEmpty)
    }

    @Test("clusters added at the end are all that differs", arguments: [0, 16, 512, 700])
    func added(_ count: Int) {
        let cells = (0..<(count + 40)).map { cell(1 + ObjectKey($0) * 256) }
        func directory(_ count: Int) -> ClusterDirectory {
            let entries = cells[..<count].map { ($0.fixedAddress.id, $0) }
            return ClusterDirectory(chunks: ClusterDirectory.chunks(entries))
        }
        let changed = TableDifference.changedCells(directory(count), directory(count + 40))
        #expect(changed.old.isEmpty)
        #expect(changed.new.elementsEqual(cells[count...]) { $0 === $1 })
    }
}
