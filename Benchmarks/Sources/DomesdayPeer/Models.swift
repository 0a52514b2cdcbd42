import Domesday
import Foundation

final class Person: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var score: Double
    @Persisted var createdAt: Date
    @Persisted var active: Bool
    @Persisted var email: String?
    @Persisted(originProperty: "owner") var dogs: LinkingObjects<Dog>
}

final class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var owner: Person?
}

final class Team: Object {
    @Persisted var members: List<Member>
}

final class Member: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var captain: Member?
    @Persisted(originProperty: "members") var teams: LinkingObjects<Team>
}

/// The same persons once the application asks for an index: what an upgrade of it does (W7).
final class IndexedPerson: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var name: String
    @Persisted(indexed: true) var age: Int
    @Persisted var score: Double
    @Persisted var createdAt: Date
    @Persisted var active: Bool
    @Persisted var email: String?
    @Persisted(originProperty: "owner") var dogs: LinkingObjects<IndexedDog>

    override class func _realmObjectName() -> String? { "Person" }
}

final class IndexedDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var owner: IndexedPerson?

    override class func _realmObjectName() -> String? { "Dog" }
}
