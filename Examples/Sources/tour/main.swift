// The README's code, compiled and run: what it shows is quoted from here, in this order.

import Domesday

final class Person: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var name = ""
    @Persisted(indexed: true) var age: Int?
    @Persisted var dogs: List<Dog>
    @Persisted var home: Address?
}

final class Dog: Object {
    @Persisted var name = ""
    @Persisted var kind = Kind.mixed
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>

    enum Kind: String, PersistableEnum { case mixed, corgi, terrier }
}

final class Address: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var city = ""
}

// In memory, so that each run begins anew. Without this line it is a file.
Realm.Configuration.defaultConfiguration = .init(inMemoryIdentifier: "tour")

let realm = try Realm()

// A transaction happens as a whole, or, when something in it is thrown, not at all.
let ann = Person()
ann.name = "Ann"
ann.age = 31
try realm.write {
    realm.add(ann)
    ann.dogs.append(realm.create(Dog.self, value: ["name": "Rex", "kind": "corgi"]))
    realm.create(
        Person.self,
        value: [
            "name": "Bob", "age": 28, "home": ["street": "Mill Lane 1", "city": "Ely"],
            "dogs": [["name": "Fly"], ["name": "Alma", "kind": "terrier"]],
        ]
    )
    realm.create(Person.self, value: ["name": "Cleo"])
}
try realm.write {
    ann.home = Address(value: ["street": "Fen Road 7", "city": "Ely"])
    realm.create(Person.self, value: ["id": ann.id, "age": 32], update: .modified)
}
print(ann.age ?? 0, ann.home?.city ?? "nowhere")  // 32 Ely

// Links are followed like properties, and back through LinkingObjects.
for dog in realm.objects(Dog.self) {
    print(dog.name, dog.kind, dog.owners.first?.name ?? "a stray")  // Rex corgi Ann, ...
}

// The same question in Swift, as text, and as a predicate made elsewhere.
let people = realm.objects(Person.self)
let grown = people.where { $0.age > 28 && $0.dogs.kind == .corgi }
let same = people.filter("age > %@ AND ANY dogs.kind == %@", 28, "corgi")
let predicate = NSPredicate(format: "home.city ==[c] 'ELY' AND dogs.@count >= 2")
print(grown.count, same.first == ann, people.filter(predicate).map(\.name))  // 1 true ["Bob"]

// Sorting, and figures taken from a column.
let byAge = people.sorted(by: [SortDescriptor(keyPath: "age", ascending: false), "name"])
print(byAge.map(\.name), people.sorted(byKeyPath: "home.city").last?.name ?? "")
print(people.max(of: \.age) ?? 0, people.average(ofProperty: "age") ?? 0.0)  // 32 30.0

// Typed tuples, read from the columns: no objects are made.
for (name, age) in people.sorted(by: \.name).select(\.name, \.age) {
    print(name, age.map(String.init) ?? "ageless")
}

// How a query is answered.
print(people.where { $0.age == 28 && $0.name.starts(with: "B") }.explain())

// Text that comes from outside is tried.
do {
    _ = try people.tryFilter("nmae BEGINSWITH 'A'")
} catch {
    print(error)
}

// Observers are told exactly what changed; the main run loop takes turns here.
let token = byAge.observe { change in
    guard case .update(_, let deletions, let insertions, _) = change else { return }
    print("gone", deletions, "new", insertions)  // gone [2] new []
}
RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.2))

// What is frozen stays as it is, and may go to any thread.
let before = people.freeze()

// Objects and results are live: they follow every change.
try realm.write { realm.delete(people.where { $0.age == nil }) }
print(people.count, byAge.count, before.count)  // 2 2 3
RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.2))
token.invalidate()
