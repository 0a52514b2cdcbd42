import Workloads

extension SQLitePeer {
    package func insertPersons(_ data: DataSet) throws -> [Int]? {
        try connection.transaction {
            let insert = try prepareInsert()
            for person in data.persons { try add(person, with: insert) }
        }
        return [try connection.prepare("SELECT count(*) FROM person").number()]
    }

    package func insertDogs(_ data: DataSet) throws -> [Int]? {
        try connection.transaction {
            let insert = try connection.prepare("INSERT INTO dog VALUES (?, ?, ?)")
            for dog in data.dogs {
                insert.bind(dog.id, at: 1)
                insert.bind(dog.name, at: 2)
                // Rowids begin at 1, in the order of the data set.
                insert.bind(dog.owner + 1, at: 3)
                try insert.run()
            }
        }
        return [try connection.prepare("SELECT count(*) FROM dog").number()]
    }

    func prepareInsert() throws -> Statement {
        try connection.prepare(
            """
            INSERT INTO person (id, name, age, score, createdAt, active, email)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """
        )
    }

    func add(_ person: PersonData, with insert: Statement) throws {
        insert.bind(person.id, at: 1)
        insert.bind(person.name, at: 2)
        insert.bind(person.age, at: 3)
        insert.bind(person.score, at: 4)
        insert.bind(person.createdAt, at: 5)
        insert.bind(person.isActive ? 1 : 0, at: 6)
        insert.bind(person.email, at: 7)
        try insert.run()
    }
}
