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

        public var description: String { message }
        public var localizedDescription: String { message }

        /// The kinds of failure; numbers as in RealmSwift.
        public struct Code: RawRepresentable, Hashable, Sendable {
            public let rawValue: Int

            public init(rawValue: Int) { self.rawValue = rawValue }

            init(_ number: Int) { rawValue = number }

            public static let fail = Code(1)
            public static let fileAccess = Code(2)
            public static let filePermissionDenied = Code(3)
            public static let fileExists = Code(4)
            public static let fileNotFound = Code(5)
            public static let fileFormatUpgradeRequired = Code(6)
            public static let incompatibleLockFile = Code(8)
            public static let addressSpaceExhausted = Code(9)
            public static let schemaMismatch = Code(10)
            public static let alreadyOpen = Code(12)
            public static let invalidInput = Code(13)
            public static let outOfDiskSpace = Code(14)
            public static let incompatibleSession = Code(15)
            public static let unsupportedFileFormatVersion = Code(16)
            public static let multipleSyncAgents = Code(17)
            public static let subscriptionFailed = Code(18)
            public static let fileOperationFailed = Code(19)
            public static let invalidDatabase = Code(20)
            public static let incompatibleHistories = Code(21)
            public static let noSubscriptionForWrite = Code(22)
        }

        public static let fail = Code.fail
        public static let fileAccess = Code.fileAccess
        public static let filePermissionDenied = Code.filePermissionDenied
        public static let fileExists = Code.fileExists
        public static let fileNotFound = Code.fileNotFound
        public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
        public static let incompatibleLockFile = Code.incompatibleLockFile
        public static let addressSpaceExhausted = Code.addressSpaceExhausted
        public static let schemaMismatch = Code.schemaMismatch
        public static let alreadyOpen = Code.alreadyOpen
        public static let invalidInput = Code.invalidInput
        public static let outOfDiskSpace = Code.outOfDiskSpace
        public static let incompatibleSession = Code.incompatibleSession
        public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
        public static let multipleSyncAgents = Code.multipleSyncAgents
        public static let subscriptionFailed = Code.subscriptionFailed
        public static let fileOperationFailed = Code.fileOperationFailed
        public static let invalidDatabase = Code.invalidDatabase
        public static let incompatibleHistories = Code.incompatibleHistories
        public static let noSubscriptionForWrite = Code.noSubscriptionForWrite
        /// A call that failed for a reason without a code of its own.
        public static let callFailed = Code.fail
    }
}

extension Realm.Error: CustomNSError, LocalizedError {
    public static var errorDomain: String { "io.realm" }
    public var errorCode: Int { code.rawValue }
    public var errorDescription: String? { message }

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
