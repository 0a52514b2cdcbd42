import Testing

@testable import Domesday

private class Member: Object {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var club: Club?
}

private class Club: Object {
    @Persisted var members: List<Member>
    @Persisted(originProperty: "club") var belonging: LinkingObjects<Member>
}

private enum Kind: CaseIterable, Sendable {
    case results, list, linkingObjects, filtered
}

/// A loop sees what there was when it began and still is, over each kind of collection.
@Suite("Deleting inside of loops")
struct DeletingInLoopsTests {
    private func makeClub(_ name: String) throws -> (Realm, Club) {
        let realm = try Realm(
            configuration: .init(
                inMemoryIdentifier: name,
                objectTypes: [Member.self, Club.self]
            )
        )
        let club = Club()
        realm.beginWrite()
        realm.add(club)
        for number in 0..<600 {
            let member = Member()
            member.number = number
            member.club = club
            realm.add(member)
            club.members.append(member)
        }
        return (realm, club)
    }

    /// Visits the members, the way `kind` says.
    private func visit(_ realm: Realm, _ club: Club, _ kind: Kind, _ body: (Member) -> Void) {
        switch kind {
        case .results: for member in realm.objects(Member.self) { body(member) }
        case .list: for member in club.members { body(member) }
        case .linkingObjects: for member in club.belonging { body(member) }
        case .filtered: for member in club.members.filter("number >= 0") { body(member) }
        }
    }

    @Test("what is deleted meanwhile is passed over", arguments: Kind.allCases)
    fileprivate func deleted(_ kind: Kind) throws {
        let (realm, club) = try makeClub("deleted \(kind)")
        var numbers: [Int] = []
        visit(realm, club, kind) { member in
            #expect(!member.isInvalidated)
            numbers.append(member.number)
            // The one behind it, and itself.
            realm.delete(realm.objects(Member.self).filter("number == %d", member.number + 1))
            realm.delete(member)
        }
        #expect(numbers == Array(stride(from: 0, to: 600, by: 2)))
        #expect(club.members.isEmpty && club.belonging.isEmpty)
        try realm.commitWrite()
    }

    @Test("what is added or taken out meanwhile changes nothing", arguments: Kind.allCases)
    fileprivate func changed(_ kind: Kind) throws {
        let (realm, club) = try makeClub("changed \(kind)")
        var numbers: [Int] = []
        visit(realm, club, kind) { member in
            numbers.append(member.number)
            if member.number == 0 {
                for other in realm.objects(Member.self) { other.club = nil }
                club.members.removeAll()
            }
            let late = Member()
            late.number = 1000 + member.number
            late.club = club
            realm.add(late)
            club.members.append(late)
        }
        #expect(numbers == Array(0..<600))
        realm.cancelWrite()
    }

    @Test("the owner may go inside the loop; its objects are visited", arguments: Kind.allCases)
    fileprivate func ownerDeleted(_ kind: Kind) throws {
        let (realm, club) = try makeClub("owner \(kind)")
        var count = 0
        visit(realm, club, kind) { _ in
            if count == 0 { realm.delete(club) }
            count += 1
        }
        #expect(count == 600)
        realm.cancelWrite()
    }

    @Test("what is held after the loop is each its own object")
    func kept() throws {
        let (realm, club) = try makeClub("kept")
        #expect(Array(club.members).map(\.number) == Array(0..<600))
        #expect(Array(club.belonging).map(\.number) == Array(0..<600))
        #expect(club.members.lazy.filter { $0.number % 2 == 0 }.count == 300)
        realm.cancelWrite()
    }
}
