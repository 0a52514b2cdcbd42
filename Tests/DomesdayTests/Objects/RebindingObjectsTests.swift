import Testing

@testable import Domesday

/// What an iterator does with the accessor it returned last.
@Suite("Rebinding accessors")
struct RebindingObjectsTests {
    final class Stop: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var name: String
        @Persisted var lines: List<String>
        @Persisted(originProperty: "stops") var routes: LinkingObjects<Route>
    }

    final class Route: Object {
        @Persisted var stops: List<Stop>
    }

    final class Marked: Object {
        @Persisted var number: Int
        var isMarked = false
    }

    final class Inheriting: Base {
        @Persisted var name: String
    }

    class Base: Object {
        @Persisted var number: Int
        var note = ""
    }

    final class Holder {
        weak var weakly: Stop?
        unowned let unownedly: Stop
        init(_ stop: Stop) { unownedly = stop }
    }

    let realm: RealmState

    init() throws {
        realm = try makeRealmState([Stop.self, Route.self, Marked.self, Inheriting.self])
        try realm.write {
            let route = Route()
            for number in 1...300 {
                let stop = Stop()
                stop.number = number
                stop.name = "stop \(number)"
                stop.lines.append("line \(number)")
                if number % 2 == 0 { route.stops.append(stop) }
                try realm.add(stop, update: .error)
            }
            try realm.add(route, update: .error)
            for number in 1...3 {
                let marked = Marked()
                marked.number = number
                try realm.add(marked, update: .error)
                let inheriting = Inheriting()
                inheriting.number = number
                try realm.add(inheriting, update: .error)
            }
        }
    }

    /// Hands all objects of a class to `body`, as an iterator would.
    func forEach<T: ObjectBase>(_ type: T.Type, _ body: (T) throws -> Void) throws {
        let table = realm.requireTable(of: type)
        var accessor: ObjectBase?
        for ordinal in 0..<table.reader.clusterCount {
            let view = try table.reader.cluster(ordinal)
            for row in 0..<view.rowCount {
                table.rebind(&accessor, view.key(row), cluster: view.payload, row: row)
                try body(unsafeDowncast(try #require(accessor), to: type))
            }
        }
    }

    @Test("a loop that keeps nothing uses one accessor")
    func oneAccessor() throws {
        var seen: Set<ObjectIdentifier> = []
        var sum = 0
        try forEach(Stop.self) { stop in
            seen.insert(ObjectIdentifier(stop))
            sum += stop.number
            #expect(stop.name == "stop \(stop.number)")
        }
        #expect(seen.count == 1)
        #expect(sum == 300 * 301 / 2)
    }

    @Test("accessors that are kept stay what they are")
    func kept() throws {
        var kept: [Stop] = []
        try forEach(Stop.self) { if $0.number % 3 == 0 { kept.append($0) } }
        #expect(kept.map(\.number) == Array(stride(from: 3, through: 300, by: 3)))
    }

    @Test("weak and unowned references keep an accessor from being reused")
    func weakReferences() throws {
        var holders: [Holder] = []
        var weakly: [Int?] = []
        try forEach(Stop.self) { stop in
            if let last = holders.last, last.weakly == nil { weakly.append(nil) }
            if stop.number == 1 || stop.number == 5 {
                let holder = Holder(stop)
                if stop.number == 1 { holder.weakly = stop }
                holders.append(holder)
            }
        }
        // Nobody else held them: they are gone, not somebody else's.
        #expect(holders[0].weakly == nil)
        #expect(!weakly.isEmpty)
    }

    @Test("lists and linking objects taken in a loop show the row they came from")
    func views() throws {
        var lists: [List<String>] = []
        var counts: [Int] = []
        try forEach(Stop.self) { stop in
            #expect(stop.lines.first == "line \(stop.number)")
            lists.append(stop.lines)
            counts.append(stop.routes.count)
        }
        #expect(lists.map { $0.first } == (1...300).map { "line \($0)" })
        #expect(counts == (1...300).map { $0 % 2 == 0 ? 1 : 0 })
    }

    @Test("accessors with plain properties, inherited ones too, are never reused")
    func plainProperties() throws {
        var marks: [Bool] = []
        try forEach(Marked.self) {
            marks.append($0.isMarked)
            $0.isMarked = true
        }
        #expect(marks == [false, false, false])
        var notes: [String] = []
        try forEach(Inheriting.self) {
            notes.append($0.note)
            $0.note = "seen"
        }
        #expect(notes == ["", "", ""])
    }

    @Test("an accessor that was reused lives as long as its Realm's objects do")
    func lifetime() throws {
        weak var state: AnyObject?
        do {
            let realm = try makeRealmState([Marked.self, Stop.self, Route.self])
            state = realm
            try realm.write {
                for number in 1...3 {
                    let stop = Stop()
                    stop.number = number
                    try realm.add(stop, update: .error)
                }
            }
            let table = realm.requireTable(of: Stop.self)
            var accessor: ObjectBase?
            let view = try table.reader.cluster(0)
            for row in 0..<3 {
                table.rebind(&accessor, view.key(row), cluster: view.payload, row: row)
            }
            #expect((accessor as? Stop)?.number == 3)
        }
        #expect(state == nil)
    }
}
