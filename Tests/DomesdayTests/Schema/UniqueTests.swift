import Foundation
import Testing

@testable import Domesday

private final class Account: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(unique: true) var email: String?
    @Persisted(unique: true) var number: Int
    @Persisted var country: String?
    @Persisted var code: Int
    @Persisted(unique: true) var token: UUID?

    override class func uniqueTogether() -> [[String]] { [["country", "code"]] }
}

private final class PlainAccount: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var email: String?
    @Persisted var number: Int
    @Persisted var country: String?
    @Persisted var code: Int
    @Persisted var token: UUID?
    override class func _realmObjectName() -> String? { "Account" }
}

@Suite("Unique properties")
struct UniqueTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ type: Object.Type = Account.self) throws -> Realm {
        try Realm(
            configuration: .init(
                fileURL: folder.url.appendingPathComponent("store.domesday"),
                objectTypes: [type]
            )
        )
    }

    private func add(_ realm: Realm, _ id: Int, email: String? = nil, code: Int? = nil) {
        realm.create(
            Account.self,
            value: [
                "id": id, "email": email as Any, "number": id, "code": code ?? id,
                "country": code == nil ? NSNull() : "X",
            ]
        )
    }

    /// Expects a refusal whose text has `part` in it.
    private func refuses(_ part: String, _ body: () throws -> Void) {
        let text = message(body)
        #expect(text.contains(part))
    }

    private func message(_ body: () throws -> Void) -> String {
        let error = #expect(throws: Realm.Error.self) { try body() }
        #expect(error?.code == .fail)
        return "\(error.map { "\($0)" } ?? "")"
    }

    @Test("a write that leaves one value in two objects is undone, with class, property and value")
    func refusal() throws {
        let realm = try open()
        try realm.write { add(realm, 1, email: "a@b") }
        let text = message {
            try realm.write {
                add(realm, 2, email: "a@b")
                add(realm, 3, email: "c@d")
            }
        }
        #expect(
            text == "Property 'Account.email' is unique, and two objects have the value 'a@b': "
                + "those with the keys 1 and 2."
        )
        #expect(realm.objects(Account.self).map(\.id) == [1])
        #expect(!realm.isInWriteTransaction)
        refuses("Property 'Account.number' is unique, and two objects have the value 1") {
            try realm.write {
                add(realm, 2); realm.objects(Account.self).last?.number = 1
            }
        }
        // Both in one write.
        refuses("'Account.email' is unique, and two objects have the value 'x'") {
            try realm.write {
                add(realm, 8, email: "x"); add(realm, 9, email: "x")
            }
        }
        let token = UUID()
        refuses("'Account.token' is unique") {
            try realm.write {
                add(realm, 2)
                for account in realm.objects(Account.self) { account.token = token }
            }
        }
        #expect(try realm.findings == [])
    }

    @Test("nil is like nothing, and values may be exchanged within a write")
    func nilAndExchange() throws {
        let realm = try open()
        try realm.write {
            for id in 0..<300 { add(realm, id, email: id < 2 ? "mail \(id)" : nil) }
        }
        let all = realm.objects(Account.self)
        try realm.write { (all[0].email, all[1].email) = (all[1].email, all[0].email) }
        #expect(all[0].email == "mail 1" && all[1].email == "mail 0")
        try realm.write {
            realm.delete(all[0])
            add(realm, 400, email: "mail 1")
        }
        try realm.write { for account in all { account.number += 1 } }
        #expect(all.filter("email == 'mail 1'").map(\.id) == [400])
        #expect(all.filter("email == 'mail 1'").explain().contains("index on Account.email"))
        #expect(try realm.findings == [])
    }

    @Test("the least integer beside many nils")
    func leastInteger() throws {
        let realm = try open()
        try realm.write {
            add(realm, 1)
            realm.objects(Account.self)[0].number = .min
        }
        refuses("the value -9223372036854775808") {
            try realm.write {
                add(realm, 2); realm.objects(Account.self)[1].number = .min
            }
        }
    }

    @Test("a transaction stays open and can be mended")
    func mending() throws {
        let realm = try open()
        realm.beginWrite()
        add(realm, 1, email: "a")
        add(realm, 2, email: "a")
        refuses("'a'") { try realm.commitWrite() }
        #expect(realm.isInWriteTransaction)
        realm.objects(Account.self)[1].email = "b"
        try realm.commitWrite()
        #expect(realm.objects(Account.self).map(\.email) == ["a", "b"])
    }

    @Test("several properties together")
    func together() throws {
        let realm = try open()
        try realm.write {
            add(realm, 1, code: 5)
            add(realm, 2, code: 6)
            add(realm, 3)
        }
        refuses(
            "Properties 'Account.country', 'Account.code' are unique together, and two objects "
                + "have the values 'X', 5: those with the keys 1 and 2."
        ) { try realm.write { realm.objects(Account.self)[1].code = 5 } }
        // Without a country there is no collision.
        try realm.write {
            realm.objects(Account.self)[1].country = nil
            realm.objects(Account.self)[1].code = 5
            realm.objects(Account.self)[2].code = 5
        }
        #expect(try realm.findings == [])
    }

    @Test("asynchronous writes are given the error, and nothing is left open")
    @MainActor func asynchronous() async throws {
        let realm = try await Realm(
            configuration: .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [Account.self]
            )
        )
        await #expect(throws: Realm.Error.self) {
            try await realm.asyncWrite {
                add(realm, 1, email: "a")
                add(realm, 2, email: "a")
            }
        }
        #expect(!realm.isInWriteTransaction && realm.objects(Account.self).isEmpty)
        let error = await withCheckedContinuation { (done: CheckedContinuation<String, Never>) in
            realm.writeAsync {
                add(realm, 1, email: "a")
                add(realm, 2, email: "a")
            } onComplete: {
                done.resume(returning: $0.map { "\($0)" } ?? "none")
            }
        }
        #expect(error.contains("'Account.email' is unique"))
        #expect(!realm.isInWriteTransaction && realm.objects(Account.self).isEmpty)
    }

    @Test("a store with duplicates cannot be opened with a class that forbids them")
    func adding() throws {
        try autoreleased {
            let realm = try open(PlainAccount.self)
            try realm.write {
                for id in 1...3 {
                    realm.create(
                        PlainAccount.self,
                        value: ["id": id, "number": id == 3 ? 1 : id] as [String: Any]
                    )
                }
            }
        }
        try autoreleased {
            refuses("'Account.number' is unique") { _ = try open() }
            let realm = try open(PlainAccount.self)
            try realm.write { realm.objects(PlainAccount.self)[2].number = 3 }
        }
        try autoreleased {
            let realm = try open()
            #expect(
                realm.schema["Account"]?.properties.first { $0.name == "number" }?.isUnique == true
            )
            refuses("unique") { try realm.write { realm.objects(Account.self)[2].number = 1 } }
            #expect(try realm.findings == [])
        }
        try autoreleased {
            // The store remembers it without the class.
            let realm = try Realm(
                configuration: .stored(at: folder.url.appendingPathComponent("store.domesday"))
            )
            refuses("'Account.number' is unique") {
                try realm.write { realm.dynamicObjects("Account")[2]["number"] = 1 }
            }
        }
        try autoreleased {
            let realm = try open(PlainAccount.self)
            try realm.write { realm.objects(PlainAccount.self)[2].number = 1 }
            #expect(try realm.findings == [])
        }
    }

    @Test("the check finds what is not unique, if it ever stands there")
    func check() throws {
        let realm = try open()
        try realm.write { add(realm, 1, email: "a") }
        // Past the Realm, which would look.
        let reader = realm.state.reader
        try reader.beginWrite()
        let table = try #require(reader.table(named: "Account"))
        let column = try #require(table.definition.column(named: "number")).id
        let key = try table.insert()
        try table.writer(of: key).setInt(1, column)
        try reader.commitWrite()
        #expect(try realm.findings == ["Account.number: key \(key) has a value that is not unique"])
    }
}
