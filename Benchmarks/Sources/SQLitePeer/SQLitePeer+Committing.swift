import Workloads

extension SQLitePeer {
    package func commitOneByOne(_ data: DataSet) throws -> [Int]? {
        let insert = try prepareInsert()
        let persons = data.additionalPersons.prefix(DataSet.commitCount)
        for person in persons {
            try connection.transaction { try add(person, with: insert) }
        }
        return [persons.count]
    }

    package func updateOneByOne(_ data: DataSet) throws -> [Int]? {
        let update = try connection.prepare("UPDATE person SET score = ? WHERE id = ?")
        var changedCount = 0
        for (number, id) in data.lookups.prefix(DataSet.commitCount).enumerated() {
            try connection.transaction {
                update.bind(Double(number) / 1000, at: 1)
                update.bind(id, at: 2)
                try update.run()
                changedCount += connection.changeCount
            }
        }
        return [changedCount]
    }

    package func updateOneObject(_ data: DataSet) -> [Int]? { nil }

    package func beginObserving(_ data: DataSet) -> Bool { false }
}
