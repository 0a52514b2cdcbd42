import Workloads

extension SQLitePeer {
    private static let columns = "SELECT name, age, score FROM person"

    package func firstObject(_ data: DataSet) throws -> [Int]? {
        let select = try connection.prepare(Self.columns + " WHERE id = ?")
        select.bind(data.lookups.first, at: 1)
        defer { select.reset() }
        return try select.step() ? [select.int(1)] : [-1]
    }

    package func lookUp(_ data: DataSet) throws -> [Int]? {
        let select = try connection.prepare(Self.columns + " WHERE id = ?")
        var sum = Checksum()
        try connection.snapshot {
            for id in data.lookups {
                select.bind(id, at: 1)
                if try select.step() { add(select, to: &sum) }
                select.reset()
            }
        }
        return [sum.value]
    }

    package func readColumns() throws -> [Int]? {
        let select = try connection.prepare(Self.columns + " ORDER BY key")
        var sum = Checksum()
        while try select.step() { add(select, to: &sum) }
        return [sum.value]
    }

    /// SQLite has no objects: ``readColumns()`` is what theirs is compared with.
    package func readObjects() -> [Int]? { nil }
    package func readObjectsOnQueue() -> [Int]? { nil }
    package func readObjectsOnActor() -> [Int]? { nil }

    private func add(_ select: Statement, to sum: inout Checksum) {
        sum.add(select.string(0))
        sum.add(select.int(1))
        sum.add(select.double(2))
    }
}
