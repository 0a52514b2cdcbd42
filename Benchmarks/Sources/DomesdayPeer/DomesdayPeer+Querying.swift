import Domesday
import Foundation
import Workloads

extension DomesdayPeer {
    package func countTwoConditions() throws -> [Int]? {
        [realm.objects(Person.self).where { $0.age > 40 && $0.score < 0.25 }.count]
    }

    package func countEqualName(_ name: String) throws -> [Int]? {
        [realm.objects(Person.self).where { $0.name == name }.count]
    }

    package func countContaining(_ part: String) throws -> [Int]? {
        [realm.objects(Person.self).where { $0.name.contains(part) }.count]
    }

    package func countBeginning(_ start: String) throws -> [Int]? {
        let matches = realm.objects(Person.self).where {
            $0.name.starts(with: start, options: .caseInsensitive)
        }
        return [matches.count]
    }

    package func countAmong(_ emails: [String]) throws -> [Int]? {
        let wanted: [String?] = emails
        return [realm.objects(Person.self).where { $0.email.in(wanted) }.count]
    }

    package func queryIndex() throws -> [Int]? {
        var sum = 0
        for number in 0..<1000 {
            sum += realm.objects(IndexedPerson.self).where { $0.age == number % 100 }.count
        }
        return [sum]
    }

    package func sortFirst() throws -> [Int]? { sum(sorted.prefix(100).map(\.name)) }
    package func sortAll() throws -> [Int]? { sum(sorted.select(\.name)) }

    package func aggregate() throws -> [Int]? {
        let persons = realm.objects(Person.self)
        let average: Double = persons.average(of: \.score) ?? 0
        let latest = persons.max(of: \.createdAt) ?? .distantPast
        return [
            persons.sum(of: \.age), Int((average * 1e6).rounded()),
            Int(latest.timeIntervalSince1970),
        ]
    }

    package func countByLink() throws -> [Int]? {
        [realm.objects(Dog.self).where { $0.owner.age > 50 }.count]
    }

    private var sorted: Results<Person> {
        realm.objects(Person.self).sorted(by: [
            SortDescriptor(keyPath: "age", ascending: false), SortDescriptor(keyPath: "name"),
        ])
    }

    private func sum(_ names: some Sequence<String>) -> [Int] {
        var sum = Checksum()
        for name in names { sum.add(name) }
        return [sum.value]
    }
}
