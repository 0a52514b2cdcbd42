import Domesday
import Workloads

extension DomesdayPeer {
    package func updateMany(_ data: DataSet) throws -> [Int]? {
        try realm.write {
            for id in data.updates {
                realm.object(ofType: Person.self, forPrimaryKey: id)?.age += 1
            }
        }
        return [realm.objects(Person.self).sum(of: \.age)]
    }

    package func deleteHalf() throws -> [Int]? {
        try realm.write {
            let dogs = realm.objects(Dog.self).filter("owner == nil")
            let orphanCount = dogs.count
            let active = realm.objects(Person.self).where { $0.active == true }
            let deletedCount = active.count
            realm.delete(active)
            return [deletedCount, dogs.count - orphanCount]
        }
    }
}
