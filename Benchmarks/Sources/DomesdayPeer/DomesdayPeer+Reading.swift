import Dispatch
import Domesday
import Synchronization
import Workloads

extension DomesdayPeer {
    package func firstObject(_ data: DataSet) throws -> [Int]? {
        guard let id = data.lookups.first else { return [] }
        return [realm.object(ofType: Person.self, forPrimaryKey: id)?.age ?? -1]
    }

    package func lookUp(_ data: DataSet) throws -> [Int]? {
        var sum = Checksum()
        for id in data.lookups {
            if let person = realm.object(ofType: Person.self, forPrimaryKey: id) {
                sum.add(person)
            }
        }
        return [sum.value]
    }

    package func readColumns() throws -> [Int]? {
        var sum = Checksum()
        for (name, age, score) in realm.objects(Person.self).select(\.name, \.age, \.score) {
            sum.add(name)
            sum.add(age)
            sum.add(score)
        }
        return [sum.value]
    }

    package func readObjects() throws -> [Int]? { [sumOfObjects(in: realm)] }

    package func readObjectsOnQueue() throws -> [Int]? {
        let queue = DispatchQueue(label: "reader")
        let configuration = configuration
        return try queue.sync {
            [sumOfObjects(in: try Realm(configuration: configuration, queue: queue))]
        }
    }

    package func readObjectsOnActor() throws -> [Int]? {
        let configuration = configuration
        let isDone = DispatchSemaphore(value: 0)
        let result = Mutex<Result<Int, any Error>?>(nil)
        Task.detached {
            let sum: Result<Int, any Error>
            do { sum = .success(try await Reader().sum(configuration)) } catch {
                sum = .failure(error)
            }
            result.withLock { $0 = sum }
            isDone.signal()
        }
        isDone.wait()
        return try result.withLock { $0 }.map { [try $0.get()] }
    }
}

/// A part of an application that has a Realm of its own.
private actor Reader {
    func sum(_ configuration: Realm.Configuration) async throws -> Int {
        sumOfObjects(in: try await Realm(configuration: configuration, actor: self))
    }
}

private func sumOfObjects(in realm: Realm) -> Int {
    var sum = Checksum()
    for person in realm.objects(Person.self) { sum.add(person) }
    return sum.value
}

extension Checksum {
    fileprivate mutating func add(_ person: Person) {
        add(person.name)
        add(person.age)
        add(person.score)
    }
}
