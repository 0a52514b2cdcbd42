import Foundation

/// That somebody reads a version, which therefore is kept.
///
/// **Threads.** A value.
struct VersionHolding: Sendable {
    let version: UInt64
    /// Where it may be used, and where it was opened.
    let holder: String
    let isFrozen: Bool
    let since: Date

    /// "version 7 by thread 'main' (0x7f..), opened at A.swift:3, since ...".
    var description: String { "version \(version) by \(holder), since \(since)" }
}
