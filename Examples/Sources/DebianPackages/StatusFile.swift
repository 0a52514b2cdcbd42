import Foundation

/// A package database on disk, read a piece at a time.
///
/// **Threads.** A value; each loop opens the file for itself.
package struct StatusFile: Sendable {
    package let url: URL
    /// Larger than most stanzas, small enough to stay in a processor's cache.
    private static let chunkByteCount = 64 << 10

    package init(_ url: URL) { self.url = url }

    /// Some seventy packages of a real database, for machines that have none.
    package static var excerpt: StatusFile? {
        Bundle.module.url(forResource: "excerpt", withExtension: "status").map(StatusFile.init)
    }

    /// Calls `body` with each package that is installed, in the order of the file.
    ///
    /// `progress` is called now and then with the part that is done, 0 to 1.
    ///
    /// - Throws: ``StatusFileError`` naming file and line; whatever `body` throws.
    package func forEachPackage(
        progress: (Double) -> Void = { _ in },
        _ body: (InstalledPackage) throws -> Void
    ) throws {
        do {
            try forEachStanza(progress: progress) { stanza in
                let package = try InstalledPackage(stanza)
                if package.isInstalled { try body(package) }
            }
        } catch var error as StatusFileError {
            error.path = url.path
            throw error
        }
    }

    private func forEachStanza(
        progress: (Double) -> Void,
        _ body: (Stanza) throws -> Void
    ) throws {
        let file = try reading { try FileHandle(forReadingFrom: url) }
        defer { try? file.close() }
        let byteCount = try reading { try file.seekToEnd() }
        try reading { try file.seek(toOffset: 0) }
        var parser = StanzaParser()
        // The bytes behind the last line end so far.
        var rest = Data()
        var doneByteCount = 0
        while let chunk = try reading({ try file.read(upToCount: Self.chunkByteCount) }),
            !chunk.isEmpty
        {
            doneByteCount += chunk.count
            rest.append(chunk)
            var start = rest.startIndex
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                // Bytes that are no UTF-8 become U+FFFD: an old name must not stop the reader.
                let line = String(decoding: rest[start..<end], as: UTF8.self)
                if let stanza = try parser.consume(line) { try body(stanza) }
                start = end + 1
            }
            rest = Data(rest[start...])
            progress(Double(doneByteCount) / Double(max(byteCount, 1)))
        }
        if !rest.isEmpty, let stanza = try parser.consume(String(decoding: rest, as: UTF8.self)) {
            try body(stanza)
        }
        if let stanza = parser.finish() { try body(stanza) }
    }

    /// Runs something that asks the system, whose errors name no file and often say nothing.
    private func reading<Result>(
        _ body: () throws -> Result
    ) throws(StatusFileError) -> Result {
        do {
            return try body()
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error
            throw StatusFileError(problem: "cannot be read: \(cause.localizedDescription)")
        }
    }
}
