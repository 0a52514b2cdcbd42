import Foundation
import Workloads

extension SQLitePeer {
    package func countTwoConditions() throws -> [Int]? {
        [try count("age > 40 AND score < 0.25")]
    }

    package func countEqualName(_ name: String) throws -> [Int]? { [try count("name = ?", name)] }

    package func countContaining(_ part: String) throws -> [Int]? {
        // LIKE would ignore case.
        [try count("instr(name, ?) > 0", part)]
    }

    package func countBeginning(_ start: String) throws -> [Int]? {
        [try count("name LIKE ?", start + "%")]
    }

    package func countAmong(_ emails: [String]) throws -> [Int]? {
        let marks = Array(repeating: "?", count: emails.count).joined(separator: ",")
        let select = try connection.prepare("SELECT count(*) FROM person WHERE email IN (\(marks))")
        for (index, email) in emails.enumerated() { select.bind(email, at: Int32(index + 1)) }
        return [try select.number()]
    }

    package func buildIndex() throws -> [Int]? {
        try connection.execute("CREATE INDEX personByAge ON person (age)")
        return []
    }

    package func queryIndex() throws -> [Int]? {
        let select = try connection.prepare("SELECT count(*) FROM person WHERE age = ?")
        var sum = 0
        try connection.snapshot {
            for number in 0..<1000 {
                select.bind(number % 100, at: 1)
                sum += try select.number()
            }
        }
        return [sum]
    }

    package func sortFirst() throws -> [Int]? { try sorted("LIMIT 100") }
    package func sortAll() throws -> [Int]? { try sorted("") }

    package func aggregate() throws -> [Int]? {
        let select = try connection.prepare(
            "SELECT avg(score), sum(age), max(createdAt) FROM person"
        )
        guard try select.step() else { return [] }
        defer { select.reset() }
        let latest = Date(timeIntervalSince1970: select.double(2))
        return [
            select.int(1), Int((select.double(0) * 1e6).rounded()),
            Int(latest.timeIntervalSince1970),
        ]
    }

    package func countByLink() throws -> [Int]? {
        let select = try connection.prepare(
            """
            SELECT count(*) FROM dog JOIN person ON person.key = dog.owner WHERE person.age > 50
            """
        )
        return [try select.number()]
    }

    private func count(_ condition: String, _ argument: String? = nil) throws -> Int {
        let select = try connection.prepare("SELECT count(*) FROM person WHERE \(condition)")
        if let argument { select.bind(argument, at: 1) }
        return try select.number()
    }

    private func sorted(_ limit: String) throws -> [Int] {
        let select = try connection.prepare(
            "SELECT name FROM person ORDER BY age DESC, name \(limit)"
        )
        var sum = Checksum()
        while try select.step() { sum.add(select.string(0)) }
        return [sum.value]
    }
}
