import Foundation

/// A store that is measured; each method is one workload, written as its users would write it.
///
/// A method returns what it computed, for the check: the same numbers in every peer. `nil` means
/// that the peer has no such way of doing it.
///
/// **Threads.** The main thread: stores whose objects are confined to one are measured as they are.
@MainActor
package protocol Peer: AnyObject, Sendable {
    /// For tables and the command line.
    static var name: String { get }

    /// Opens the store in a directory of its own, and makes it if it is empty.
    init(directory: URL) throws

    /// Closes it; what is committed is then in the files of the directory.
    func close() throws

    // Inserting
    func insertPersons(_ data: DataSet) throws -> [Int]?
    func insertDogs(_ data: DataSet) throws -> [Int]?

    // Reading
    func firstObject(_ data: DataSet) throws -> [Int]?
    func lookUp(_ data: DataSet) throws -> [Int]?
    func readColumns() throws -> [Int]?
    func readObjects() throws -> [Int]?
    func readObjectsOnQueue() throws -> [Int]?
    func readObjectsOnActor() throws -> [Int]?

    // Querying
    func countTwoConditions() throws -> [Int]?
    func countEqualName(_ name: String) throws -> [Int]?
    func countContaining(_ part: String) throws -> [Int]?
    func countBeginning(_ start: String) throws -> [Int]?
    func countAmong(_ emails: [String]) throws -> [Int]?
    func buildIndex() throws -> [Int]?
    func queryIndex() throws -> [Int]?
    func sortFirst() throws -> [Int]?
    func sortAll() throws -> [Int]?
    func aggregate() throws -> [Int]?
    func countByLink() throws -> [Int]?

    // Changing
    func updateMany(_ data: DataSet) throws -> [Int]?
    func deleteHalf() throws -> [Int]?

    // Lists
    /// Makes a team with a list of so many members, and as many members that are in none; all of
    /// these have one captain.
    func makeTeam(_ count: Int) throws
    func insertInList(_ insertedCount: Int) throws -> [Int]?
    func deleteMembers(_ deletedCount: Int) throws -> [Int]?
    func changeListOneByOne() throws -> [Int]?
    func deleteTarget() throws -> [Int]?

    // Committing
    func commitOneByOne(_ data: DataSet) throws -> [Int]?
    func updateOneByOne(_ data: DataSet) throws -> [Int]?
    func updateOneObject(_ data: DataSet) throws -> [Int]?

    /// Has a hundred results observed, each of a hundredth of the persons, but for the one that
    /// `updateOneObject` changes.
    ///
    /// - Returns: false if the peer knows nothing like that.
    func beginObserving(_ data: DataSet) throws -> Bool
}
