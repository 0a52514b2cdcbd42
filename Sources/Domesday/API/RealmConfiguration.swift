public import Foundation

/// Changes stored objects to a new schema version.
///
/// **Threads.** Called where the Realm is opened.
public typealias MigrationBlock = @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// The old and the new state of a store during a migration.
///
/// **Threads.** That of the migration block; not to be kept.
public struct Migration {
    init() {}
}

extension Realm {
    /// How to open a Realm: which file, which classes, which version.
    ///
    /// ```swift
    /// let configuration = Realm.Configuration(fileURL: url, objectTypes: [Person.self])
    /// ```
    ///
    /// **Threads.** A value; any thread.
    public struct Configuration: Sendable {
        /// Used by `Realm()` and whatever else names no configuration. Process-wide.
        public static var defaultConfiguration: Configuration {
            get { DefaultConfiguration.value }
            set { DefaultConfiguration.value = newValue }
        }

        /// The file; nil for a Realm in memory. Setting it clears `inMemoryIdentifier`.
        public var fileURL: URL? {
            didSet { if fileURL != nil { storedIdentifier = nil } }
        }

        private var storedIdentifier: String?

        /// The name of a Realm in memory, whose data live while any Realm of that name is open.
        /// Setting it clears `fileURL`.
        public var inMemoryIdentifier: String? {
            get { storedIdentifier }
            set {
                if newValue != nil { fileURL = nil }
                storedIdentifier = newValue
            }
        }

        /// 64 bytes, or nil for a file that is not encrypted.
        public var encryptionKey: Data?
        /// Whether the file may only be read; also for files in places that cannot be written.
        public var readOnly: Bool
        /// The version of the classes; it must grow when they change in a way that needs migration.
        public var schemaVersion: UInt64
        /// Called when the stored schema version is older.
        public var migrationBlock: MigrationBlock?
        /// Whether a file that would need a migration is deleted instead.
        public var deleteRealmIfMigrationNeeded: Bool
        /// Asked once per process and file, with the total and the used bytes.
        public var shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)?
        /// The classes to store; nil for all of the process that did not opt out.
        public var objectTypes: [ObjectBase.Type]?
        /// Beginning a write fails while more versions than this are in use.
        public var maximumNumberOfActiveVersions: UInt?
        /// A file to copy when `fileURL` does not exist yet.
        public var seedFilePath: URL?

        public init(
            fileURL: URL? = Configuration.defaultFileURL, inMemoryIdentifier: String? = nil,
            encryptionKey: Data? = nil, readOnly: Bool = false, schemaVersion: UInt64 = 0,
            migrationBlock: MigrationBlock? = nil, deleteRealmIfMigrationNeeded: Bool = false,
            shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? = nil,
            objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil
        ) {
            self.fileURL = inMemoryIdentifier == nil ? fileURL : nil
            storedIdentifier = inMemoryIdentifier
            self.encryptionKey = encryptionKey
            self.readOnly = readOnly
            self.schemaVersion = schemaVersion
            self.migrationBlock = migrationBlock
            self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
            self.shouldCompactOnLaunch = shouldCompactOnLaunch
            self.objectTypes = objectTypes
            self.seedFilePath = seedFilePath
        }

        /// `default.realm` in `$XDG_DATA_HOME` or `~/.local/share`, in a folder of the process's name.
        public static var defaultFileURL: URL { DefaultConfiguration.fileURL }

        /// What cannot be opened whatever is on the disk; nil if nothing is wrong.
        var problem: Realm.Error? {
            if fileURL == nil, storedIdentifier == nil {
                return .init(
                    .invalidInput,
                    "A Realm Configuration must specify a path or an in-memory identifier.")
            }
            if fileURL?.path.isEmpty == true {
                return .init(.invalidInput, "Realm path must not be empty")
            }
            if storedIdentifier?.isEmpty == true {
                return .init(.invalidInput, "In-memory identifier must not be empty")
            }
            if let encryptionKey, encryptionKey.count != 64 {
                return .init(.invalidInput, "Encryption key must be exactly 64 bytes long")
            }
            let clash: (String, String)? =
                if readOnly, deleteRealmIfMigrationNeeded {
                    ("readOnly", "deleteRealmIfMigrationNeeded")
                } else if readOnly, shouldCompactOnLaunch != nil {
                    ("readOnly", "shouldCompactOnLaunch")
                } else { nil }
            return clash.map {
                .init(.invalidInput, "Cannot set `\($0.0)` when `\($0.1)` is set.")
            }
        }
    }
}

extension Realm.Configuration: Equatable {
    /// Compares place, key, read-only setting and schema version.
    public static func == (a: Self, b: Self) -> Bool {
        a.fileURL == b.fileURL && a.inMemoryIdentifier == b.inMemoryIdentifier
            && a.encryptionKey == b.encryptionKey && a.readOnly == b.readOnly
            && a.schemaVersion == b.schemaVersion
    }
}

extension Realm.Configuration: CustomStringConvertible {
    /// All settings but the key's bytes.
    public var description: String {
        """
        Realm.Configuration {
        \tfileURL = \(fileURL.map(\.path) ?? "(null)");
        \tinMemoryIdentifier = \(inMemoryIdentifier ?? "(null)");
        \tencryptionKey = \(encryptionKey == nil ? "(null)" : "<\(encryptionKey?.count ?? 0) bytes>");
        \treadOnly = \(readOnly);
        \tschemaVersion = \(schemaVersion);
        \tobjectTypes = \(objectTypes.map { "\($0.map { $0.className() })" } ?? "(all)");
        }
        """
    }
}
