public import Foundation

extension Realm {
    /// A version that somebody reads, and that therefore is kept on disk.
    ///
    /// **Threads.** A value.
    public struct ActiveVersion: Hashable, Sendable {
        /// Versions rise by one with each commit.
        public let version: UInt64
        /// The thread, queue or actor that reads it, or that it is frozen; and where it was opened.
        ///
        /// The text is for people and may change.
        public let holder: String
        /// Whether it is read by a frozen Realm, else by a live one that has not moved on.
        public let isFrozen: Bool
        /// Since when that Realm has stood there.
        public let since: Date
    }

    /// Who reads which version of this store in this process, the oldest first.
    ///
    /// As long as an old version is read, what later commits replaced cannot be reclaimed: when a
    /// file grows, the first entry says who makes it grow. Not in RealmSwift.
    ///
    /// - Complexity: O(*n* log *n*), in the number of Realms.
    public var activeVersions: [ActiveVersion] {
        state.checkConfinement()
        return state.reader.store.holdings.map {
            ActiveVersion(
                version: $0.version,
                holder: $0.holder,
                isFrozen: $0.isFrozen,
                since: $0.since
            )
        }
    }
}
