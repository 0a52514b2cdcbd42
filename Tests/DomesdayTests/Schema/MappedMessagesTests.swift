import Foundation
import Testing

@testable import Domesday

private final class Tenant: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(unique: true) var email: String?
    @Persisted(indexed: true) var age: Int
    @Persisted var street: String?
    @Persisted var number: Int
    @Persisted(indexed: .fullText) var notes: String
    @Persisted(deleteRule: .deny) var landlord: Tenant?
    @Persisted(originProperty: "landlord") var tenants: LinkingObjects<Tenant>

    override class func compoundIndexes() -> [[String]] { [["street", "number"]] }
    override class func propertiesMapping() -> [String: String] {
        [
            "email": "c_email", "age": "c_age", "street": "c_street", "number": "c_number",
            "notes": "c_notes", "landlord": "c_landlord",
        ]
    }
}

/// The same class, of which nothing is unique.
private final class LooseTenant: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var email: String?
    @Persisted(indexed: true) var age: Int
    @Persisted var street: String?
    @Persisted var number: Int
    @Persisted(indexed: .fullText) var notes: String
    @Persisted var landlord: LooseTenant?
    override class func _realmObjectName() -> String? { "Tenant" }
    override class func propertiesMapping() -> [String: String] { Tenant.propertiesMapping() }
}

@Suite("Messages about mapped properties")
struct MappedMessagesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ type: Object.Type) throws -> Realm {
        try Realm(
            configuration: .init(
                fileURL: folder.url.appendingPathComponent("store.domesday"),
                objectTypes: [type]
            )
        )
    }

    private func message(_ body: () throws -> Void) -> String {
        let error = #expect(throws: Realm.Error.self) { try body() }
        return error?.message ?? ""
    }

    @Test("what is unique is called by its Swift name, at a commit and when a class is opened")
    func unique() throws {
        let realm = try open(Tenant.self)
        let text = message {
            try realm.write {
                realm.create(Tenant.self, value: ["id": 1, "email": "a"])
                realm.create(Tenant.self, value: ["id": 2, "email": "a"])
            }
        }
        #expect(text.contains("Property 'Tenant.email' is unique"))
    }

    @Test("a store with duplicates is refused by the Swift name of the property")
    func uniqueAtOpening() throws {
        try autoreleased {
            let realm = try open(LooseTenant.self)
            try realm.write {
                realm.create(LooseTenant.self, value: ["id": 1, "email": "a"])
                realm.create(LooseTenant.self, value: ["id": 2, "email": "a"])
            }
        }
        #expect(message { _ = try open(Tenant.self) }.contains("Property 'Tenant.email' is unique"))
    }

    @Test("a delete rule that forbids is called by the Swift name of its property")
    func deleteRule() throws {
        let realm = try open(Tenant.self)
        let text = message {
            try realm.write {
                let tenant = realm.create(
                    Tenant.self,
                    value: ["id": 1, "email": "a", "landlord": ["id": 2]] as [String: Any]
                )
                try realm.tryDelete(tenant)
            }
        }
        #expect(text.contains("'Tenant.landlord', whose delete rule is 'deny'"))
    }

    @Test("plans call indexes and links by the Swift names of their properties")
    func plans() throws {
        let realm = try open(Tenant.self)
        try realm.write {
            for id in 0..<400 {
                realm.create(
                    Tenant.self,
                    value: [
                        "id": id, "email": "\(id)", "age": id % 50, "street": "road \(id % 20)",
                        "number": id % 30, "notes": "word\(id % 40) and more",
                    ] as [String: Any]
                )
            }
            let all = realm.objects(Tenant.self)
            for id in 1..<400 { all[id].landlord = all[id / 4] }
        }
        let all = realm.objects(Tenant.self)
        for (text, part) in [
            ("age == 5", "index on Tenant.age"),
            ("street == 'road 3' AND number == 3", "index on Tenant.(street, number)"),
            ("notes TEXT 'word7'", "full-text index on Tenant.notes"),
            ("landlord.id == 3", "links Tenant.landlord to "),
            ("ANY tenants.id == 350", "targets of Tenant.landlord of "),
        ] {
            let plan = all.filter(text).explain()
            #expect(plan.contains(part))
            #expect(!plan.contains("c_"))
        }
    }
}
