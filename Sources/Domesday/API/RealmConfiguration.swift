public import Foundation

extension Realm {
    /// Where a Realm is stored and which classes it holds.
    ///
    /// **Threads.** A value; any thread.
    public struct Configuration: Sendable {
        /// What `Realm()` opens; process-wide.
        public static var defaultConfiguration: Configuration {
            get { shared.withLock { $0 } }
            set { shared.withLock { $0 = newValue } }
        }

        private static let shared = Lock(Configuration())

        /// The file; nil for a Realm in memory.
        ///
        /// Setting it ends `inMemoryIdentifier`.
        public var fileURL: URL? {
            didSet { if fileURL != nil, inMemoryIdentifier != nil { inMemoryIdentifier = nil } }
        }

        /// The name of a Realm in memory, which lives while any Realm of that name is open.
        public var inMemoryIdentifier: String? {
            didSet { if inMemoryIdentifier != nil, fileURL != nil { fileURL = nil } }
        }

        /// Whether the file may not be changed; it must exist.
        public var readOnly: Bool

        /// Raised by the user whenever properties are added, removed or changed.
        public var schemaVersion: UInt64

        /// The classes to hold; nil for all of the process that do not opt out.
        public var objectTypes: [ObjectBase.Type]?

        /// How many versions may be in use at once when a write begins, the newest included.
        ///
        /// More trap, and name who reads them; nil allows any number.
        public var maximumNumberOfActiveVersions: UInt?

        /// Classes without Swift code to hold beside `objectTypes`; their objects are
        /// ``DynamicObject``s.
        public var objectSchemas: [ObjectSchema] = []

        /// Where the classes come from.
        public var schemaSource = SchemaSource.classes

        /// Where a Realm's classes come from.
        public enum SchemaSource: Sendable {
            /// `objectTypes` and `objectSchemas`.
            case classes
            /// What the store itself records; `objectSchemas` may add to it.
            ///
            /// No Swift class is needed: objects are ``DynamicObject``s. The store must exist;
            /// `schemaVersion` is the store's own, unless a higher one is given.
            case stored
        }

        /// How long the store keeps its history, for ``Realm/history(since:leavingOut:)``; nil to leave
        /// it as it is, which in a new store is not at all.
        ///
        /// The store remembers it: whoever opens a Realm with another one changes it for all. A
        /// history that is kept costs each commit, of any process, a look at the clusters it changed,
        /// and some 256 bytes in the file at least. Read-only Realms leave it as it is. Not in
        /// RealmSwift.
        public var historyRetention: HistoryRetention?

        /// How long to wait for another process that opens the store or writes, before
        /// ``Realm/Error`` `.alreadyOpen` names it.
        ///
        /// Whoever opens the store first in a process decides. Within the process writers wait for
        /// each other as long as it takes. Not in RealmSwift, which waits for ever.
        public var busyTimeout = Duration.seconds(5)

        /// Bytes of clean clusters kept per store; index leaves may take a quarter beside them.
        ///
        /// Whoever opens the store first decides.
        var cacheByteLimit = Self.usualCacheByteLimit

        /// Above so many bytes a collection is kept in leaves.
        ///
        /// Whoever opens the store first decides.
        var leafByteLimit = SequenceRoot.usualLeafByteLimit

        // The variable is for tests: the whole suite runs with a small cache too.
        private static let usualCacheByteLimit =
            ProcessInfo.processInfo.environment["DOMESDAY_CACHE_BYTES"].flatMap(Int.init)
            ?? 256 << 20

        /// Describes a Realm; each argument is the property of its name.
        ///
        /// - Parameter fileURL: nil, without an identifier, for `default.realm` in
        ///   `$XDG_DATA_HOME` (else `~/.local/share`), in a folder named after the program.
        public init(
            fileURL: URL? = nil,
            inMemoryIdentifier: String? = nil,
            readOnly: Bool = false,
            schemaVersion: UInt64 = 0,
            objectTypes: [ObjectBase.Type]? = nil
        ) {
            self.inMemoryIdentifier = inMemoryIdentifier
            self.fileURL = fileURL ?? (inMemoryIdentifier == nil ? Self.defaultFile : nil)
            self.readOnly = readOnly
            self.schemaVersion = schemaVersion
            self.objectTypes = objectTypes
        }

        private static var defaultFile: URL {
            let environment = ProcessInfo.processInfo.environment
            let base =
                environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
                ?? NSHomeDirectory() + "/.local/share"
            return URL(fileURLWithPath: base)
                .appendingPathComponent(ProcessInfo.processInfo.processName)
                .appendingPathComponent("default.realm")
        }

        /// The file's path without links, or the identifier of a store in memory.
        var path: String {
            get throws {
                if let inMemoryIdentifier {
                    if inMemoryIdentifier.isEmpty {
                        throw Realm.Error(.fail, "In-memory identifier must not be empty")
                    }
                    return "memory:" + inMemoryIdentifier
                }
                guard let fileURL, !fileURL.path.isEmpty else {
                    throw Realm.Error(
                        .fail,
                        "A Realm Configuration must specify a path or an in-memory identifier."
                    )
                }
                // A bare path without a scheme is taken for what it is.
                guard fileURL.isFileURL || fileURL.scheme == nil else {
                    throw Realm.Error(
                        .fail,
                        "A Realm Configuration's fileURL must be of a file, not '\(fileURL)'."
                    )
                }
                return fileURL.standardizedFileURL.resolvingSymlinksInPath().path
            }
        }
    }
}
