import Foundation
import Testing

@testable import Domesday

private struct Settings: PersistableCodable, Hashable {
    enum Theme: String, Codable { case dark, light }

    var theme = Theme.dark
    var sizes: [Int] = []
    var ratios: [String: Double] = [:]
    var inner: [Settings] = []
    var since: Date?
    var bytes = Data()
}

/// What `Settings` may have become.
private struct NewerSettings: PersistableCodable, Hashable {
    var theme: Int
}

private final class Customer: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var settings = Settings()
    @Persisted var maybe: Settings?
    @Persisted var former: List<Settings>
    @Persisted var named: Map<String, Settings?>
    @Persisted var distinct: MutableSet<Settings>
}

private final class NewerCustomer: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var settings = NewerSettings(theme: 1)
    @Persisted var maybe: NewerSettings?
    override class func _realmObjectName() -> String? { "Customer" }
}

@Suite("Codable values stored whole")
struct CodableValueTests {
    private static let rich = Settings(
        theme: .light,
        sizes: [1, -5, .max],
        ratios: [
            "é/\"": 0.1 + 0.2, "π": .pi, "least": .leastNonzeroMagnitude, "inf": .infinity,
            "-inf": -.infinity,
        ],
        inner: [Settings(), Settings(sizes: [7])],
        since: Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7),
        bytes: Data([0, 1, 255])
    )

    @Test("are what they were, in properties and all collections, unmanaged, added and retrieved")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("store.domesday")
        func expect(_ customer: Customer) {
            #expect(customer.settings == Self.rich)
            #expect(customer.maybe == Settings())
            #expect(Array(customer.former) == [Self.rich, Settings(), Self.rich])
            #expect(customer.named["a"] == .some(Self.rich) && customer.named["b"] == .some(nil))
            #expect(Set(customer.distinct) == [Self.rich, Settings()])
        }
        try autoreleased {
            let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [Customer.self]))
            let customer = Customer()
            customer.settings = Self.rich
            customer.maybe = Settings()
            customer.former.append(objectsIn: [Self.rich, Settings(), Self.rich])
            customer.named["a"] = Self.rich
            customer.named.updateValue(nil, forKey: "b")
            customer.distinct.insert(objectsIn: [Self.rich, Settings(), Self.rich])
            expect(customer)
            try realm.write { realm.add(customer) }
            expect(customer)
            let all = realm.objects(Customer.self)
            #expect(all.where { $0.settings == Self.rich }.count == 1)
            #expect(all.where { $0.settings != Self.rich }.isEmpty)
            #expect(all.where { $0.former.contains(Settings()) }.count == 1)
            #expect(all.where { $0.maybe == nil }.isEmpty)
            try realm.write {
                customer.settings.sizes.append(9)
                customer.maybe = nil
            }
            #expect(customer.settings.sizes == [1, -5, .max, 9] && customer.maybe == nil)
            try realm.write {
                customer.settings = Self.rich
                customer.maybe = Settings()
            }
        }
        try autoreleased {
            let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [Customer.self]))
            expect(try #require(realm.objects(Customer.self).first))
            #expect(try realm.findings == [])
        }
    }

    @Test("NaN comes back")
    func nan() throws {
        let realm = try Realm(
            configuration: .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [Customer.self]
            )
        )
        let customer = try realm.write { realm.create(Customer.self, value: ["id": 1]) }
        try realm.write { customer.settings.ratios["x"] = .nan }
        #expect(customer.settings.ratios["x"]?.isNaN == true)
    }

    @Test("what cannot be decoded any more is nil if optional, else an error that names it")
    func changed() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("store.domesday")
        try autoreleased {
            let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [Customer.self]))
            try realm.write {
                realm.create(Customer.self, value: ["id": 1, "maybe": Settings()])
            }
        }
        try autoreleased {
            let realm = try Realm(
                configuration: .init(
                    fileURL: url,
                    schemaVersion: 1,
                    objectTypes: [NewerCustomer.self]
                )
            )
            let customer = try #require(realm.objects(NewerCustomer.self).first)
            #expect(customer.maybe == nil)
            let error = #expect(throws: (any Error).self) {
                try customer.tryValue(forKey: "settings")
            }
            #expect("\(error.map { "\($0)" } ?? "")".contains("NewerSettings"))
            try realm.write { customer.settings = NewerSettings(theme: 5) }
            #expect(customer.settings.theme == 5)
        }
    }
}
