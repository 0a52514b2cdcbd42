/// A piece of work that is measured; README.md says what each is.
package enum Workload: String, CaseIterable, Codable, Sendable {
    case insertPersons = "W1"
    case insertDogs = "W1b"
    case commitOneByOne = "W2"
    case lookUp = "W3"
    case readColumns = "W4"
    case readObjects = "W4o"
    case readObjectsOnQueue = "W4o queue"
    case readObjectsOnActor = "W4o actor"
    case countTwoConditions = "W5"
    case countEqualName = "W6"
    case countContaining = "W6 contains"
    case countBeginning = "W6b"
    case countAmong = "W6 in"
    case buildIndex = "W7 build"
    case queryIndex = "W7"
    case sortFirst = "W8"
    case sortAll = "W8a"
    case aggregate = "W9"
    case updateMany = "W10"
    case countByLink = "W11"
    case deleteHalf = "W12"
    case fileSize = "W13 file"
    case peakMemory = "W13 memory"
    case coldOpen = "W14 open"
    case coldLookUp = "W14 W3"
    case coldCount = "W14 W5"
    case coldSort = "W14 W8"
    case updateOneByOne = "W15"
    case insertInList = "W21 insert"
    case deleteMembers = "W21 delete"
    case changeListOneByOne = "W21 commits"
    case deleteTarget = "W21 target"
    case updateUnobserved = "W22"
    case updateObserved = "W22 observed"
}

extension Workload {
    /// What it is, for a table.
    package var title: String {
        switch self {
        case .insertPersons: "insert N persons, one transaction"
        case .insertDogs: "insert N dogs with their owner"
        case .commitOneByOne: "500 commits of one person each"
        case .lookUp: "100,000 gets by string key, three properties"
        case .readColumns: "read three properties of all"
        case .readObjects: "the same through objects, on a thread"
        case .readObjectsOnQueue: "the same through objects, on a queue"
        case .readObjectsOnActor: "the same through objects, in an actor"
        case .countTwoConditions: "count age > 40 && score < 0.25"
        case .countEqualName: "count name == X"
        case .countContaining: "count name CONTAINS \"an\""
        case .countBeginning: "count name BEGINSWITH[c] \"al\""
        case .countAmong: "count email IN 10,000 texts"
        case .buildIndex: "build an index on age"
        case .queryIndex: "1000 counts age == k"
        case .sortFirst: "sort by age and name, first 100"
        case .sortAll: "sort by age and name, read all"
        case .aggregate: "average, sum, maximum"
        case .updateMany: "update 100,000 at random, one transaction"
        case .countByLink: "count dogs by owner.age"
        case .deleteHalf: "delete half, links to them made nil"
        case .fileSize: "bytes on disk after W1 and W1b"
        case .peakMemory: "peak memory above the data set's"
        case .coldOpen: "new process: open to first object by key"
        case .coldLookUp: "new process: W3"
        case .coldCount: "new process: W5"
        case .coldSort: "new process: W8"
        case .updateOneByOne: "500 commits of one update each"
        case .insertInList: "insert 10,000 in the middle of a list of N"
        case .deleteMembers: "delete 10,000 of a list's N members"
        case .changeListOneByOne: "500 commits of one insertion into a list of N"
        case .deleteTarget: "delete what N objects link to"
        case .updateUnobserved: "500 commits of one update of one object each"
        case .updateObserved: "the same beside 100 observed results, not affected"
        }
    }

    /// What its figure is in.
    package enum Unit: Sendable {
        case seconds
        case bytes
    }

    /// Seconds for all but the sizes.
    package var unit: Unit { [.fileSize, .peakMemory].contains(self) ? .bytes : .seconds }

    /// The workload of the peer that this one is compared with, if the peer has none of its own.
    package var counterpart: Workload {
        switch self {
        case .readObjects, .readObjectsOnQueue, .readObjectsOnActor: .readColumns
        default: self
        }
    }

    /// Whether it may wait for the disk, so that wall and processor time may differ.
    package var waitsForDisk: Bool {
        switch self {
        case .insertPersons, .insertDogs, .commitOneByOne, .buildIndex, .updateMany, .deleteHalf,
            .coldOpen, .coldLookUp, .coldCount, .coldSort, .updateOneByOne, .updateUnobserved,
            .updateObserved, .insertInList, .deleteMembers, .changeListOneByOne, .deleteTarget:
            true
        default: false
        }
    }

    /// What the workload must answer, where that is known: at N = 200,000 and 1,000,000.
    ///
    /// A workload may answer with more numbers than these.
    package func knownCheck(count: Int) -> Int? {
        let values: (Int, Int)? =
            switch self {
            case .insertPersons, .insertDogs: (200_000, 1_000_000)
            case .commitOneByOne, .updateOneByOne, .updateUnobserved, .updateObserved: (500, 500)
            case .countTwoConditions, .coldCount: (29146, 146_883)
            case .countEqualName: (2, 11)
            case .countContaining: (40475, 202_914)
            case .countBeginning: (10130, 50665)
            case .queryIndex: (2_000_000, 10_000_000)
            case .aggregate: (9_906_807, 49_455_648)
            case .countByLink: (97948, 489_167)
            case .deleteHalf: (100_103, 499_651)
            default: nil
            }
        switch count {
        case 200_000: return values?.0
        case 1_000_000: return values?.1
        default: return nil
        }
    }

    /// What ours may take at most, as a part of SQLite's figure of the same run; a goal, judged
    /// from prototypes.
    package var goal: Double? {
        switch self {
        case .insertPersons, .buildIndex, .updateMany: 0.20
        case .insertDogs, .sortAll: 0.75
        case .commitOneByOne, .fileSize: 1.0
        case .lookUp, .readColumns, .deleteHalf: 0.30
        case .readObjects, .readObjectsOnQueue, .readObjectsOnActor: 0.60
        case .countTwoConditions: 0.06
        case .countEqualName, .countBeginning: 0.10
        case .countContaining: 0.09
        case .queryIndex, .countByLink: 0.01
        case .sortFirst: 0.12
        case .aggregate: 0.05
        case .coldCount: 0.8
        case .updateOneByOne: 1.5
        case .countAmong, .peakMemory, .coldOpen, .coldLookUp, .coldSort, .updateUnobserved,
            .updateObserved, .insertInList, .deleteMembers, .changeListOneByOne, .deleteTarget:
            nil
        }
    }
}
