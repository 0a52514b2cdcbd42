public import Dispatch
public import Foundation

extension Realm {
    /// Opens the default configuration, for this thread or a serial queue.
    ///
    /// - Throws: As `init(configuration:queue:)`.
    public init(
        queue: DispatchQueue? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        try self.init(
            configuration: .defaultConfiguration,
            queue: queue,
            file: file,
            line: line
        )
    }

    /// Opens a file with the default configuration's other settings, for this thread.
    ///
    /// - Throws: As `init(configuration:queue:)`.
    public init(fileURL: URL, file: StaticString = #fileID, line: UInt = #line) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration, file: file, line: line)
    }

    /// Opens a Realm, or gives the one that is open here already.
    ///
    /// - Parameter queue: A serial queue to confine it to, which must be running this code; nil for
    ///   the current thread.
    /// - Throws: ``Realm/Error``: the file's, or `.schemaMismatch` with everything that is wrong.
    /// - Complexity: O(clusters) the first time in a process, no object is read.
    public init(
        configuration: Configuration,
        queue: DispatchQueue? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        let confinement = queue.map { Confinement.onQueue($0) } ?? .currentThread
        if !confinement.isCurrent { fatalError("Realm opened from incorrect dispatch queue.") }
        state = try Self.opened(configuration, confinement, "\(file):\(line)")
    }

    /// Whether a configuration's file exists.
    public static func fileExists(for configuration: Configuration) -> Bool {
        configuration.fileURL.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
    }

    /// Deletes a store with everything that belongs to it.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``Realm/Error`` `.alreadyOpen` while any Realm of it is open.
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        let path = try configuration.path
        if OpenRealms.isOpen(path) {
            throw Error(
                .alreadyOpen,
                "Cannot delete files of an open Realm: '\(path)' is still in use."
            )
        }
        OpenRealms.waitForClosing(path)
        do throws(StorageError) { return try SQLitePageStore.deleteFiles(path) } catch {
            if error.code == .busy {
                throw Error(
                    .alreadyOpen,
                    "Cannot delete files of an open Realm: '\(path)' is still in use."
                )
            }
            throw Error(storage: error)
        }
    }
}

extension Realm.Error {
    /// The page store's error as users meet it.
    init(storage error: StorageError) {
        let code: Code =
            switch error.code {
            case .notFound: .fileNotFound
            case .permissionDenied: .filePermissionDenied
            case .notAStore, .damaged: .invalidDatabase
            case .unsupportedFormat: .unsupportedFileFormatVersion
            case .full: .outOfDiskSpace
            case .busy: .alreadyOpen
            case .schemaChanged: .schemaMismatch
            case .readOnly, .inputOutput: .fileAccess
            case .closed, .refused: .fail
            }
        let url = URL(fileURLWithPath: error.path)
        if error.code == .refused {
            self.init(code, error.detail, fileURL: url)
            return
        }
        let place = error.address.map { " (blob \($0.id) of space \($0.space.number))" } ?? ""
        self.init(
            code,
            "Failed to use Realm file at path '\(error.path)'\(place): \(error.detail)",
            fileURL: url
        )
    }
}
