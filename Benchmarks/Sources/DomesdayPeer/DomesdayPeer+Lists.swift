import Domesday
import Workloads

extension DomesdayPeer {
    package func makeTeam(_ count: Int) throws {
        try addTeams()
        try realm.write {
            let team = Team()
            realm.add(team)
            for id in 0..<count { team.members.append(member(id)) }
            let captain = member(-1)
            for id in count..<(2 * count) { member(id).captain = captain }
        }
    }

    private func member(_ id: Int) -> Member {
        let member = Member()
        member.id = id
        realm.add(member)
        return member
    }

    private var members: List<Member> {
        guard let team = realm.objects(Team.self).first else {
            preconditionFailure("the team has not been made")
        }
        return team.members
    }

    package func insertInList(_ insertedCount: Int) throws -> [Int]? {
        let members = members
        let middle = members.count / 2
        try realm.write {
            for number in 0..<insertedCount {
                guard let member = realm.object(ofType: Member.self, forPrimaryKey: number) else {
                    continue
                }
                members.insert(member, at: middle + number)
            }
        }
        return [members.count, members[middle + 7].id, members[members.count - 1].id]
    }

    package func deleteMembers(_ deletedCount: Int) throws -> [Int]? {
        let members = members
        let step = members.count / deletedCount
        try realm.write {
            let gone = realm.objects(Member.self)
                .where { $0.id.in((0..<deletedCount).map { $0 * step }) }
            realm.delete(gone)
        }
        return [members.count, members[members.count / 2].id]
    }

    package func changeListOneByOne() throws -> [Int]? {
        let members = members
        guard let last = members.last else { return [0] }
        for number in 0..<DataSet.commitCount {
            let position = number * 7919 % members.count
            try realm.write { members.insert(last, at: position) }
        }
        return [members.count]
    }

    package func deleteTarget() throws -> [Int]? {
        try realm.write {
            if let captain = realm.object(ofType: Member.self, forPrimaryKey: -1) {
                realm.delete(captain)
            }
        }
        return [realm.objects(Member.self).where { $0.captain != nil }.count]
    }
}
