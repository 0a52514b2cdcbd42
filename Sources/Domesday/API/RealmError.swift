public import Foundation

extension Realm {
    /// Thrown when the world fails: the file, the disk, the key, the schema, a bad input.
    ///
    /// ```swift
    /// do { try Realm() } catch Realm.Error.schemaMismatch { ... }
    /// ```
    ///
    /// **Threads.** A value; any thread.
    public struct Error: Swift.Error, Hashable, Sendable, CustomStringConvertible {
        /// What failed.
        public let code: Code
        /// What happened, where, and why.
        let message: String
        /// The file concerned.
        public let fileURL: URL?

        init(_ code: Code, _ message: String, fileURL: URL? = nil) {
            self.code = code
            self.message = message
            self.fileURL = fileURL
        }

        /// What happened, where, and why; it may quote the value that does not fit.
        public var description: String { message }
        /// As `description`: there are no translations.
        public var localizedDescription: String { message }

        /// The kinds of failure; numbers as in RealmSwift.
        public struct Code: RawRepresentable, Hashable, Sendable {
            /// RealmSwift's number of the code.
            public let rawValue: Int

            /// A code by its number; any number is accepted.
            public init(rawValue: Int) { self.rawValue = rawValue }

            init(_ number: Int) { rawValue = number }

            /// Thrown when no other code fits; the message says what happened.
            public static let fail = Code(1)
            /// Thrown when the file cannot be read or written: the disk failed, or it is read-only.
            public static let fileAccess = Code(2)
            /// Thrown when this user may not open the file, or make one in its folder.
            public static let filePermissionDenied = Code(3)
            /// Thrown when a file is in the way of one to be made.
            public static let fileExists = Code(4)
            /// Thrown when the file, or the folder it is to lie in, does not exist.
            public static let fileNotFound = Code(5)
            /// Thrown when an older file must be upgraded, and may not be.
            public static let fileFormatUpgradeRequired = Code(6)
            /// Thrown by RealmSwift for a lock file of another version; not by Domesday.
            public static let incompatibleLockFile = Code(8)
            /// Thrown when the process has no room left to map the file.
            public static let addressSpaceExhausted = Code(9)
            /// Thrown when classes cannot be stored as declared, or need a migration.
            public static let schemaMismatch = Code(10)
            /// Thrown when another process, or an open Realm, has the file in use.
            public static let alreadyOpen = Code(12)
            /// Thrown when a value does not fit the property it is for.
            public static let invalidInput = Code(13)
            /// Thrown when the disk is full; the transaction has been undone.
            public static let outOfDiskSpace = Code(14)
            /// Thrown by RealmSwift for Device Sync; not by Domesday.
            public static let incompatibleSession = Code(15)
            /// Thrown when a newer version wrote the file.
            public static let unsupportedFileFormatVersion = Code(16)
            /// Thrown by RealmSwift for Device Sync; not by Domesday.
            public static let multipleSyncAgents = Code(17)
            /// Thrown by RealmSwift for Device Sync; not by Domesday.
            public static let subscriptionFailed = Code(18)
            /// Thrown when a copy of the file cannot be made.
            public static let fileOperationFailed = Code(19)
            /// Thrown when the file is no store, or a damaged one.
            public static let invalidDatabase = Code(20)
            /// Thrown by RealmSwift for Device Sync; not by Domesday.
            public static let incompatibleHistories = Code(21)
            /// Thrown by RealmSwift for Device Sync; not by Domesday.
            public static let noSubscriptionForWrite = Code(22)
            /// Thrown when the store keeps no history; not in RealmSwift.
            public static let historyNotKept = Code(1001)
            /// Thrown when a history token is older than the history that is kept, or of another
            /// store, so that everything must be read anew; not in RealmSwift.
            public static let historyTokenExpired = Code(1002)
        }

        /// ``Code/fail``, for patterns.
        public static let fail = Code.fail
        /// ``Code/fileAccess``, for patterns.
        public static let fileAccess = Code.fileAccess
        /// ``Code/filePermissionDenied``, for patterns.
        public static let filePermissionDenied = Code.filePermissionDenied
        /// ``Code/fileExists``, for patterns.
        public static let fileExists = Code.fileExists
        /// ``Code/fileNotFound``, for patterns.
        public static let fileNotFound = Code.fileNotFound
        /// ``Code/fileFormatUpgradeRequired``, for patterns.
        public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
        /// ``Code/incompatibleLockFile``, for patterns.
        public static let incompatibleLockFile = Code.incompatibleLockFile
        /// ``Code/addressSpaceExhausted``, for patterns.
        public static let addressSpaceExhausted = Code.addressSpaceExhausted
        /// ``Code/schemaMismatch``, for patterns.
        public static let schemaMismatch = Code.schemaMismatch
        /// ``Code/alreadyOpen``, for patterns.
        public static let alreadyOpen = Code.alreadyOpen
        /// ``Code/invalidInput``, for patterns.
        public static let invalidInput = Code.invalidInput
        /// ``Code/outOfDiskSpace``, for patterns.
        public static let outOfDiskSpace = Code.outOfDiskSpace
        /// ``Code/incompatibleSession``, for patterns.
        public static let incompatibleSession = Code.incompatibleSession
        /// ``Code/unsupportedFileFormatVersion``, for patterns.
        public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
        /// ``Code/multipleSyncAgents``, for patterns.
        public static let multipleSyncAgents = Code.multipleSyncAgents
        /// ``Code/subscriptionFailed``, for patterns.
        public static let subscriptionFailed = Code.subscriptionFailed
        /// ``Code/fileOperationFailed``, for patterns.
        public static let fileOperationFailed = Code.fileOperationFailed
        /// ``Code/invalidDatabase``, for patterns.
        public static let invalidDatabase = Code.invalidDatabase
        /// ``Code/incompatibleHistories``, for patterns.
        public static let incompatibleHistories = Code.incompatibleHistories
        /// ``Code/noSubscriptionForWrite``, for patterns.
        public static let noSubscriptionForWrite = Code.noSubscriptionForWrite
        /// ``Code/historyNotKept``, for patterns.
        public static let historyNotKept = Code.historyNotKept
        /// ``Code/historyTokenExpired``, for patterns.
        public static let historyTokenExpired = Code.historyTokenExpired
        /// A call that failed for a reason without a code of its own.
        public static let callFailed = Code.fail
    }
}

extension Realm.Error: CustomNSError, LocalizedError {
    /// RealmSwift's domain.
    public static var errorDomain: String { "io.realm" }
    /// `code.rawValue`.
    public var errorCode: Int { code.rawValue }
    /// `description`.
    public var errorDescription: String? { message }

    /// The message, the code, and the path if a file is concerned.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message, "Error Code": code.rawValue]
        if let fileURL { info[NSFilePathErrorKey] = fileURL.path }
        return info
    }
}

/// Lets `catch Realm.Error.schemaMismatch` match.
public func ~= (code: Realm.Error.Code, error: any Swift.Error) -> Bool {
    (error as? Realm.Error)?.code == code
}
