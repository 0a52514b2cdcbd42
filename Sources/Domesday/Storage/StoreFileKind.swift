import Foundation

/// What a file seems to be, found by looking at its first bytes.
enum StoreFileKind: Equatable {
    case missing
    /// No bytes, or what a creation that did not finish left behind: a new store can begin here.
    case empty
    case store
    /// Not to be opened, and why.
    case refused(StorageError.Code, detail: String)
}

extension StoreFileKind {
    /// Enough for the longest signature and for telling text from noise.
    private static let sampleByteCount = 4096

    /// Looks at the file without changing it or anything beside it.
    ///
    /// Opens and closes a descriptor, which drops every POSIX lock this process holds on the file:
    /// - Precondition: No connection of this process has the file open (`OpenStores` knows); not
    ///   checked.
    init(of file: StoreFile, needsWriting: Bool) {
        var status = stat()
        guard stat(file.mainPath, &status) == 0 else {
            self = errno == ENOENT ? .missing : .failed("looking at the file", errno)
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            self = .refused(
                .notAStore,
                detail: isFolder ? "it is a folder" : "it is no regular file"
            )
            return
        }
        if needsWriting, access(file.mainPath, W_OK) != 0 {
            self = .failed("the file cannot be written", errno)
            return
        }
        let descriptor = open(file.mainPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            self = .failed("the file cannot be read", errno)
            return
        }
        defer { close(descriptor) }
        var sample = [UInt8](repeating: 0, count: Self.sampleByteCount)
        let count = pread(descriptor, &sample, sample.count, 0)
        guard count >= 0 else {
            self = .failed("the file cannot be read", errno)
            return
        }
        let hasJournal = (StoreFile.byteCount(file.journalPath) ?? 0) > 0
        self.init(head: Array(sample.prefix(count)), hasJournal: hasJournal)
    }

    private static func failed(_ action: String, _ errno: Int32) -> StoreFileKind {
        let error = StorageError(errno: errno, during: action, path: "")
        return .refused(error.code, detail: error.detail)
    }

    /// Judges the first bytes of a file; pure.
    ///
    /// If a rollback journal lies beside the file (`hasJournal`), SQLite will undo whatever a
    /// creation that did not finish wrote.
    init(head: [UInt8], hasJournal: Bool) {
        if head.isEmpty {
            self = .empty
        } else if head.starts(with: Array("SQLite format 3\0".utf8)) {
            self = Self.sqliteFile(head)
        } else if hasJournal, head.allSatisfy({ $0 == 0 }) {
            self = .empty
        } else {
            self = .refused(.notAStore, detail: "it seems to be \(Self.words(for: head))")
        }
    }

    /// Offsets as in SQLite's file format: user version at 60, application id at 68, big-endian.
    private static func sqliteFile(_ head: [UInt8]) -> StoreFileKind {
        guard head.count >= 100 else {
            return .refused(
                .damaged,
                detail: "it is an SQLite file cut off after \(head.count) bytes"
            )
        }
        let application = bigEndian(head[68..<72])
        guard application == SQLitePageStore.applicationID else {
            let id = application == 0 ? "none" : "0x" + String(application, radix: 16)
            return .refused(
                .notAStore,
                detail: "it is an SQLite database of another application (application id: \(id))"
            )
        }
        let version = bigEndian(head[60..<64])
        guard version <= SQLitePageStore.formatVersion else {
            return .refused(.unsupportedFormat, detail: newerFormat(version))
        }
        return .store
    }

    static func newerFormat(_ version: UInt32) -> String {
        "it has format version \(version); "
            + "this release reads up to \(SQLitePageStore.formatVersion)"
    }

    private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A few words for a file that is none of ours.
    private static func words(for head: [UInt8]) -> String {
        if head.count >= 24, head[16..<20].elementsEqual("T-DB".utf8) {
            return "a Realm file (.realm, file format \(max(head[20], head[21])))"
        }
        for (signature, words) in signatures where head.starts(with: signature) { return words }
        if head.allSatisfy({ $0 == 0 }) { return "a file of zero bytes only" }
        guard let text = text(head) else {
            return "binary data of unknown kind (if it was encrypted or a store, it is damaged)"
        }
        switch text.first(where: { !$0.isWhitespace }) {
        case "{", "[": return "JSON text"
        case "<": return "XML or HTML text"
        default: return "a text file"
        }
    }

    private static let signatures: [([UInt8], String)] = [
        (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"),
        ([0x1F, 0x8B], "gzip-compressed data"),
        (Array("%PDF".utf8), "a PDF document"),
        (Array("bplist".utf8), "a binary property list"),
        ([0x89, 0x50, 0x4E, 0x47], "a PNG image"),
        ([0x7F, 0x45, 0x4C, 0x46], "a program (ELF)"),
    ]

    /// The sample as text, if it is UTF-8 without control characters.
    private static func text(_ head: [UInt8]) -> String? {
        let isControl = { (byte: UInt8) in byte < 0x20 && !(0x09...0x0D).contains(byte) }
        guard !head.contains(where: isControl) else { return nil }
        // The sample may end inside a character of up to four bytes.
        for cut in 0..<min(4, head.count) {
            if let text = String(validating: head.dropLast(cut), as: UTF8.self) { return text }
        }
        return nil
    }
}
