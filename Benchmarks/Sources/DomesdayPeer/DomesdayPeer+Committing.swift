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

    package func updateOneObject(_ data: DataSet) throws -> [Int]? {
        guard let id = data.lookups.first,
            let person = realm.object(ofType: Person.self, forPrimaryKey: id)
        else { return [] }
        let before = deliveredCount
        for number in 0..<DataSet.commitCount {
            try realm.write { person.score = Double(number) / 1000 }
            // Delivers what there is to be told.
            realm.refresh()
        }
        return [deliveredCount == before ? DataSet.commitCount : 0]
    }

    package func beginObserving(_ data: DataSet) throws -> Bool {
        guard let id = data.lookups.first else { return false }
        tokens = (0..<100).map { age in
            realm.objects(Person.self).where { $0.age == age && $0.id != id }
                .sorted(byKeyPath: "name")
                .observe { [unowned self] _ in deliveredCount += 1 }
        }
        // All of them are told what is there.
        realm.refresh()
        // At a first commit each looks its objects through, once.
        _ = try updateOneObject(data)
        return deliveredCount == tokens.count
    }
}
