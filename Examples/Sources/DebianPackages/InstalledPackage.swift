/// A package as the database describes it, with its fields taken apart.
///
/// **Threads.** A value; any thread.
package struct InstalledPackage: Hashable, Sendable {
    package let name: String
    package let architecture: String
    package let version: DebianVersion
    /// What the package is for, in one line.
    package let summary: String
    package let section: String
    package let maintainer: Maintainer
    /// Installed-Size: an estimate by whoever built the package.
    package let installedKiB: Int
    /// Removing it would break the system, says the package.
    package let isEssential: Bool
    package let isInstalled: Bool
    package let dependencies: [Dependency]
    package let provides: [Relation]
    /// Several architectures of it can be installed side by side.
    private let isCoinstallable: Bool

    package struct Maintainer: Hashable, Sendable {
        package let name: String
        package let mail: String
    }

    package struct Dependency: Hashable, Sendable {
        package enum Kind: String, Sendable, CaseIterable {
            case preDepends = "Pre-Depends"
            case depends = "Depends"
            case recommends = "Recommends"
        }

        package let kind: Kind
        /// One of them is enough; the preferred one first, never empty.
        package let alternatives: [Relation]
    }

    /// What `dpkg` calls it: the name, and the architecture where the name is not enough.
    package var id: String { isCoinstallable ? "\(name):\(architecture)" : name }

    /// - Throws: ``StatusFileError`` when a field is missing or cannot be understood.
    package init(_ stanza: Stanza) throws(StatusFileError) {
        func required(_ field: String) throws(StatusFileError) -> String {
            if let value = stanza[field], !value.isEmpty { return value }
            let which = stanza["Package"].map { "'\($0)'" } ?? "this stanza"
            throw StatusFileError(line: stanza.line, problem: "\(which) has no field '\(field)'")
        }
        func relations(_ field: String) throws(StatusFileError) -> [[Relation]] {
            do {
                return try Relation.parseList(stanza[field] ?? "")
            } catch {
                throw StatusFileError(line: stanza.line, problem: "\(field): \(error.problem)")
            }
        }
        name = try required("Package")
        // "install ok installed": what is wanted, whether it is broken, what is there.
        let state = try required("Status").split(separator: " ").last
        isInstalled = ["installed", "triggers-pending", "triggers-awaited"].contains(state)
        // Packages that were removed but for their settings may lack everything else.
        architecture = stanza["Architecture"] ?? ""
        version = DebianVersion(stanza["Version"] ?? "")
        section = stanza["Section"] ?? "unknown"
        installedKiB = stanza["Installed-Size"].flatMap { Int($0) } ?? 0
        isEssential = stanza["Essential"] == "yes"
        isCoinstallable = stanza["Multi-Arch"] == "same"
        let description = stanza["Description"] ?? ""
        summary = description.split(separator: "\n").first.map(String.init) ?? ""
        maintainer = Maintainer(stanza["Maintainer"] ?? "")
        provides = try relations("Provides").flatMap(\.self)
        var dependencies: [Dependency] = []
        for kind in Dependency.Kind.allCases {
            for group in try relations(kind.rawValue) {
                dependencies.append(Dependency(kind: kind, alternatives: group))
            }
        }
        self.dependencies = dependencies
    }
}

extension InstalledPackage.Maintainer {
    /// Takes `Name <address>`; what has no angle brackets is both.
    package init(_ text: String) {
        guard let open = text.lastIndex(of: "<"), text.last == ">" else {
            self.init(name: text, mail: text)
            return
        }
        let mail = String(text[text.index(after: open)...].dropLast().trimmed)
        let name = String(text[..<open].trimmed)
        self.init(name: name.isEmpty ? mail : name, mail: mail)
    }
}
