import Workloads

// A list is a table of positions with gaps between them, so that an insertion moves nothing; the way
// back from a member has an index. An element's number is found by its neighbour's position, as an
// application that shows the list knows it: counting up to it would take far longer.
extension SQLitePeer {
    /// Between the positions of two neighbours at first.
    private static let gap = 1 << 20

    package func makeTeam(_ count: Int) throws {
        try connection.execute(
            """
            CREATE TABLE member (id INTEGER PRIMARY KEY, captain INTEGER);
            CREATE TABLE entry (position INTEGER PRIMARY KEY, member INTEGER NOT NULL);
            CREATE INDEX entry_member ON entry (member);
            CREATE INDEX member_captain ON member (captain);
            """
        )
        try connection.transaction {
            let member = try connection.prepare("INSERT INTO member VALUES (?, nullif(?, 0))")
            func add(_ id: Int, captain: Int) throws {
                member.bind(id, at: 1)
                member.bind(captain, at: 2)
                try member.run()
            }
            let entry = try connection.prepare("INSERT INTO entry VALUES (?, ?)")
            for id in 0..<count {
                try add(id, captain: 0)
                entry.bind(id * Self.gap, at: 1)
                entry.bind(id, at: 2)
                try entry.run()
            }
            try add(-1, captain: 0)
            for id in count..<(2 * count) { try add(id, captain: -1) }
        }
    }

    private func count() throws -> Int {
        try connection.prepare("SELECT count(*) FROM entry").number()
    }

    private func member(at index: Int) throws -> Int {
        try connection.prepare(
            "SELECT member FROM entry ORDER BY position LIMIT 1 OFFSET \(index)"
        ).number()
    }

    package func insertInList(_ insertedCount: Int) throws -> [Int]? {
        let middle = try count() / 2
        try connection.transaction {
            let insert = try connection.prepare("INSERT INTO entry VALUES (?, ?)")
            for number in 0..<insertedCount {
                insert.bind((middle - 1) * Self.gap + number + 1, at: 1)
                insert.bind(number, at: 2)
                try insert.run()
            }
        }
        return [try count(), try member(at: middle + 7), try member(at: count() - 1)]
    }

    package func deleteMembers(_ deletedCount: Int) throws -> [Int]? {
        let step = try count() / deletedCount
        try connection.transaction {
            let entry = try connection.prepare("DELETE FROM entry WHERE member = ?")
            let member = try connection.prepare("DELETE FROM member WHERE id = ?")
            for number in 0..<deletedCount {
                entry.bind(number * step, at: 1)
                try entry.run()
                member.bind(number * step, at: 1)
                try member.run()
            }
        }
        return [try count(), try member(at: count() / 2)]
    }

    package func changeListOneByOne() throws -> [Int]? {
        let last = try member(at: count() - 1)
        let highest = try connection.prepare("SELECT max(position) FROM entry").number()
        let neighbour = try connection.prepare(
            "SELECT min(position) FROM entry WHERE position >= ?"
        )
        let isTaken = try connection.prepare("SELECT count(*) FROM entry WHERE position = ?")
        let insert = try connection.prepare("INSERT INTO entry VALUES (?, ?)")
        for number in 0..<DataSet.commitCount {
            try connection.transaction {
                neighbour.bind(number * 7919 * Self.gap % highest, at: 1)
                var position = try neighbour.number() - 1
                repeat {
                    isTaken.bind(position, at: 1)
                    if try isTaken.number() == 0 { break }
                    position -= 1
                } while true
                insert.bind(position, at: 1)
                insert.bind(last, at: 2)
                try insert.run()
            }
        }
        return [try count()]
    }

    package func deleteTarget() throws -> [Int]? {
        try connection.transaction {
            try connection.execute(
                """
                UPDATE member SET captain = NULL WHERE captain = -1;
                DELETE FROM member WHERE id = -1
                """
            )
        }
        return [
            try connection.prepare("SELECT count(*) FROM member WHERE captain IS NOT NULL").number()
        ]
    }
}
