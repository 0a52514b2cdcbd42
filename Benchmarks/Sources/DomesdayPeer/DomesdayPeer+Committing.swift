import Domesday
import Workloads

extension DomesdayPeer {
    package func commitOneByOne(_ data: DataSet) throws -> [Int]? {
        let persons = data.additionalPersons.prefix(DataSet.commitCount)
        for person in persons {
            try realm.write { realm.add(Person(person)) }
        }
        return [persons.count]
    }

    package func updateOneByOne(_ data: DataSet) throws -> [Int]? {
        var changedCount = 0
        for (number, id) in data.lookups.prefix(DataSet.commitCount).enumerated() {
            try realm.write {
                guard let person = realm.object(ofType: Person.self, forPrimaryKey: id) else {
                    return
                }
                person.score = Double(number) / 1000
                changedCount += 1
            }
        }
        return [changedCount]
    }
}
