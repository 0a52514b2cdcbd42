import Domesday
import Foundation
import Workloads

extension DomesdayPeer {
    package func insertPersons(_ data: DataSet) throws -> [Int]? {
        try realm.write {
            for person in data.persons { realm.add(Person(person)) }
        }
        return [realm.objects(Person.self).count]
    }

    package func insertDogs(_ data: DataSet) throws -> [Int]? {
        let persons = realm.objects(Person.self)
        try realm.write {
            for dog in data.dogs {
                let object = Dog()
                object.id = dog.id
                object.name = dog.name
                object.owner = persons[dog.owner]
                realm.add(object)
            }
        }
        return [realm.objects(Dog.self).count]
    }
}

extension Person {
    convenience init(_ data: PersonData) {
        self.init()
        id = data.id
        name = data.name
        age = data.age
        score = data.score
        createdAt = Date(timeIntervalSince1970: data.createdAt)
        active = data.isActive
        email = data.email
    }
}
