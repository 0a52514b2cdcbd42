public import Foundation

extension Realm {
    /// How long a store keeps its history: what each commit has changed.
    ///
    /// Not in RealmSwift.
    ///
    /// It is a property of the store and not of who opens it: once it is set, every commit of every
    /// Realm and process is recorded, with or without a `historyRetention` of its own. So a history
    /// has no holes. See ``Configuration/historyRetention``.
    ///
    /// **Threads.** A value; any thread.
    public struct HistoryRetention: Hashable, Sendable {
        let limit: HistoryLimit?

        /// Keeps none, and gives up what there is.
        public static let none = HistoryRetention(limit: nil)

        /// Keeps all of it, for ever.
        public static let unlimited = HistoryRetention(limit: .unlimited)

        /// Keeps at least so many of the last commits.
        ///
        /// - Precondition: not negative.
        public static func commits(_ count: Int) -> HistoryRetention {
            precondition(count >= 0, "a history cannot have \(count) commits")
            return HistoryRetention(limit: .commits(UInt64(count)))
        }

        /// Keeps commits at least so long, by the system's clock.
        ///
        /// A token that was taken from the newest version is good for that time, also if nothing was
        /// written for longer before.
        ///
        /// - Precondition: not negative.
        public static func time(_ duration: Duration) -> HistoryRetention {
            precondition(duration >= .zero, "a history cannot be kept for \(duration)")
            let (seconds, rest) = duration.components
            return HistoryRetention(limit: .seconds(UInt64(seconds) + (rest > 0 ? 1 : 0)))
        }
    }

    /// A place in the history of a store; see ``Realm/history(since:leavingOut:)``.
    ///
    /// Not in RealmSwift.
    ///
    /// It stays good when the program ends, and in other processes that open the same store. As text
    /// and as a `Codable` value it is one string, whose form may change; old ones will be understood.
    ///
    /// **Threads.** A value; any thread.
    public struct HistoryToken: Hashable, Sendable, Codable, LosslessStringConvertible {
        let point: HistoryPoint

        init(_ point: HistoryPoint) { self.point = point }

        /// A token from its `description`; nil if it is none.
        public init?(_ description: String) {
            let parts = description.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let version = UInt64(parts[0]),
                let mark = UInt64(parts[1], radix: 16), version < 1 << 60
            else { return nil }
            point = HistoryPoint(version: version, mark: mark)
        }

        /// The token as text, to be kept.
        public var description: String { "\(point.version).\(String(point.mark, radix: 16))" }

        /// Decodes what `encode` wrote.
        ///
        /// - Throws: `DecodingError` if it is no token.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let token = HistoryToken(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "'\(text)' is no history token"
                )
            }
            self = token
        }

        /// Encodes one string.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(description)
        }
    }

    /// What has become of the objects of a store between a token and a Realm's version.
    ///
    /// **Threads.** A value; any thread. The changes name objects; to read them ask the Realm that
    /// gave the history.
    public struct History: Sendable {
        /// Where it ends: the token to ask from the next time.
        public let token: HistoryToken

        /// One entry for each commit, the oldest first; also those whose changes are left out.
        public let commits: [Commit]

        /// One entry for each object that differs, whichever and how many commits changed it.
        ///
        /// **Shape.** First what was deleted, then what was inserted, then what was modified; in
        /// each of the three by class name, then in the order in which the objects were made. So who
        /// repeats it elsewhere in this order never meets a primary key twice: an object that was
        /// deleted and made anew under its key is in the first part and in the second.
        ///
        /// An object that was inserted and deleted since the token is not there. One that was inserted
        /// and modified is inserted. One that was modified and deleted is deleted. Whoever was
        /// modified by several commits has the properties that any of them changed, also one that was
        /// changed and changed back by another commit. Within one commit only the outcome counts: what
        /// was set to the value that it had before the commit is no change.
        ///
        /// Objects of embedded classes stand for themselves: what changes in one does not modify the
        /// object that holds it. A link that ends because its target is deleted modifies the object
        /// that has the link; linking objects are no changes. That a migration adds, removes or
        /// changes a property modifies no object; `changesSchema` of its commit tells.
        public let changes: [Change]

        /// What is known of a commit as a whole.
        ///
        /// **Threads.** A value; any thread.
        public struct Commit: Hashable, Sendable {
            /// When it was made, by the clock of the system that made it.
            public let date: Date
            /// What ``Realm/transactionAuthor`` was; nil if it was not set.
            public let author: String?
            /// Whether it changed classes, properties or indexes.
            public let changesSchema: Bool
        }

        /// What has become of one object.
        ///
        /// **Threads.** A value; any thread.
        public struct Change: Hashable, Sendable {
            /// The three things that can happen to an object.
            public enum Kind: Hashable, Sendable {
                /// It was not there at the token.
                case inserted
                /// These properties have changed, in the order of their declaration. Of a class that
                /// the Realm does not hold they are called as in the store; removed ones are left out.
                case modified([String])
                /// It is not there any more.
                case deleted
            }

            /// Its class, by the name it has in the store.
            public let className: String
            /// What happened.
            public let kind: Kind
            /// Its primary key, also of a deleted object; nil if the class has none.
            public let primaryKey: PrimaryKey?
            /// The store's own number of the object among those of its class.
            ///
            /// Numbers ascend as objects are made, and are never used again. `O7` in a predicate is
            /// the object of number 7.
            public let objectNumber: Int64
        }

        /// The value of a primary key.
        ///
        /// **Threads.** A value; any thread.
        public enum PrimaryKey: Hashable, Sendable, Codable {
            /// The primary key is optional, and nil.
            case null
            /// Of integers of any width.
            case int(Int)
            /// Of text.
            case string(String)
            /// Of UUIDs.
            case uuid(UUID)
            /// Of ObjectIds.
            case objectId(ObjectId)

            /// The value as `object(ofType:forPrimaryKey:)` takes it; nil for `null`.
            public var value: (any Hashable & Sendable)? {
                switch self {
                case .null: nil
                case .int(let value): value
                case .string(let value): value
                case .uuid(let value): value
                case .objectId(let value): value
                }
            }

            init(_ value: MixedValue) {
                switch value {
                case .int(let number): self = .int(Int(number))
                case .uuid(let bytes):
                    // SAFETY: whoever made it made sure of 16 bytes; loadUnaligned needs no
                    // alignment.
                    let uuid = bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
                    self = .uuid(UUID(uuid: uuid))
                case .objectId(let bytes):
                    self = .objectId(bytes.withUnsafeBytes { ObjectId(bytes: $0) })
                case .string(let bytes): self = .string(String(decoding: bytes, as: UTF8.self))
                default: self = .null
                }
            }
        }
    }
}
