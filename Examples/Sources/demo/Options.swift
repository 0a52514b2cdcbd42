import DebianPackages
import Foundation

/// What the command line asks for.
struct Options {
    static let usage = """
        usage: demo [PATH] [--excerpt] [--store FILE] [--package NAME] [--remove NAME]

          PATH            a Debian package database; /var/lib/dpkg/status unless given
          --excerpt       read the bundled excerpt instead
          --store FILE    the store to write; demo-data/packages.domesday unless given
          --package NAME  the package of "What needs ...?"; libc6 unless given
          --remove NAME   the package of "What would removing ... break?"
        """

    private static let systemDatabase = "/var/lib/dpkg/status"

    var path: String?
    var usesExcerpt = false
    var store = URL(filePath: "demo-data/packages.domesday")
    var package = "libc6"
    var remove: String?

    /// - Throws: ``UsageError`` when the arguments make no sense.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = Array(arguments.reversed())
        func value(of option: String) throws(UsageError) -> String {
            guard let value = rest.popLast() else {
                throw UsageError(description: "\(option) needs a value")
            }
            return value
        }
        while let argument = rest.popLast() {
            switch argument {
            case "--excerpt": usesExcerpt = true
            case "--store": store = URL(filePath: try value(of: argument))
            case "--package": package = try value(of: argument)
            case "--remove": remove = try value(of: argument)
            case let path where !path.hasPrefix("-") && self.path == nil: self.path = path
            default: throw UsageError(description: "'\(argument)' is not understood")
            }
        }
    }

    /// The database to read, and what to say about it.
    func source() throws -> (file: StatusFile, description: String) {
        if let path { return (StatusFile(URL(filePath: path)), path) }
        let systemURL = URL(filePath: Self.systemDatabase)
        let hasSystemDatabase = FileManager.default.isReadableFile(atPath: systemURL.path)
        if !usesExcerpt && hasSystemDatabase { return (StatusFile(systemURL), systemURL.path) }
        guard let excerpt = StatusFile.excerpt else {
            throw UsageError(description: "the bundled excerpt is missing from this build")
        }
        let reason = usesExcerpt ? "" : " (there is no \(Self.systemDatabase) here)"
        return (excerpt, "the bundled excerpt of a Debian system\(reason)")
    }
}

/// Thrown when the command line makes no sense.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}
