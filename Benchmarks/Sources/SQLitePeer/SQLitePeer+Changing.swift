import Workloads

extension SQLitePeer {
    package func updateMany(_ data: DataSet) throws -> [Int]? {
        try connection.transaction {
            let update = try connection.prepare("UPDATE person SET age = age + 1 WHERE id = ?")
            for id in data.updates {
                update.bind(id, at: 1)
                try update.run()
            }
        }
        return [try connection.prepare("SELECT sum(age) FROM person").number()]
    }

    package func deleteHalf() throws -> [Int]? {
        // What a foreign key with ON DELETE SET NULL does, in two statements: that needs no index
        // on the owner, which W1b and W10 would pay for, and was the faster of the two.
        try connection.transaction {
            try connection.execute(
                """
                UPDATE dog SET owner = NULL
                WHERE owner IN (SELECT key FROM person WHERE active = 1)
                """
            )
            let unlinkedCount = connection.changeCount
            try connection.execute("DELETE FROM person WHERE active = 1")
            return [connection.changeCount, unlinkedCount]
        }
    }
}
