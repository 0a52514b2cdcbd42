import Foundation
import Testing

@testable import DebianPackages

/// The packages of a text.
func packages(_ text: String) throws -> [InstalledPackage] {
    try stanzas(text).map(InstalledPackage.init)
}

@Suite("InstalledPackage")
struct InstalledPackageTests {
    @Test("every field the demo uses is taken apart")
    func fields() throws {
        let package = try #require(
            packages(
                """
                Package: libfoo1
                Essential: yes
                Status: install ok installed
                Section: libs
                Installed-Size: 13001
                Maintainer: Foo, the Team <foo@lists.example>
                Architecture: amd64
                Multi-Arch: same
                Version: 1:2.3-4
                Provides: libfoo (= 1:2.3-4), foo-abi
                Recommends: bar
                Depends: libc6 (>= 2.34), awk | mawk
                Pre-Depends: dpkg
                Description: foo for everyone
                 The long text.
                """
            ).first
        )
        #expect(package.id == "libfoo1:amd64")
        #expect(package.version == DebianVersion("1:2.3-4"))
        #expect(package.section == "libs")
        #expect(package.installedKiB == 13001)
        #expect(package.maintainer == .init(name: "Foo, the Team", mail: "foo@lists.example"))
        #expect(package.summary == "foo for everyone")
        #expect(package.isEssential && package.isInstalled)
        #expect(package.provides.map(\.name) == ["libfoo", "foo-abi"])
        #expect(package.dependencies.map(\.kind) == [.preDepends, .depends, .depends, .recommends])
        #expect(
            package.dependencies.map { $0.alternatives.map(\.name) } == [
                ["dpkg"], ["libc6"], ["awk", "mawk"], ["bar"],
            ]
        )
    }

    @Test("a package of which only the settings are left is not installed")
    func settingsOnly() throws {
        let package = try #require(
            packages("Package: a\nStatus: deinstall ok config-files\nVersion: 1").first
        )
        #expect(!package.isInstalled)
        #expect(package.id == "a")
    }

    @Test("a maintainer without an address is still a maintainer")
    func maintainers() {
        #expect(InstalledPackage.Maintainer("Ann") == .init(name: "Ann", mail: "Ann"))
        #expect(InstalledPackage.Maintainer("<a@b>") == .init(name: "a@b", mail: "a@b"))
    }

    @Test("an error names package, field and line")
    func errors() {
        let missing = #expect(throws: StatusFileError.self) { try packages("\nPackage: a") }
        #expect(missing?.description == "line 2: 'a' has no field 'Status'")
        let wrong = #expect(throws: StatusFileError.self) {
            try packages("Package: a\nStatus: x installed\nDepends: b (>= ")
        }
        #expect(wrong?.description == "line 1: Depends: 'b (>=' is no relation to a package")
    }
}

@Suite("PackageIndex")
struct PackageIndexTests {
    private let index: PackageIndex

    init() throws {
        func stanza(_ name: String, _ rest: String) -> String {
            "Package: \(name)\nStatus: install ok installed\n\(rest)\n\n"
        }
        index = PackageIndex(
            try packages(
                stanza("libc6", "Architecture: amd64\nMulti-Arch: same\nVersion: 2.36")
                    + stanza("libc6", "Architecture: i386\nMulti-Arch: same\nVersion: 2.31")
                    + stanza("mawk", "Architecture: amd64\nVersion: 1\nProvides: awk")
                    + stanza("gawk", "Architecture: amd64\nVersion: 5\nProvides: awk (= 5), awk")
                    + stanza("tzdata", "Architecture: all\nVersion: 2025")
            )
        )
    }

    private func providers(_ text: String, for architecture: String = "amd64") throws -> [String] {
        let relation = try #require(Relation.parseList(text).first?.first)
        return index.providers(of: relation, for: architecture)
    }

    @Test("a dependency is fulfilled in the dependant's own architecture, unless it says otherwise")
    func architectures() throws {
        #expect(try providers("libc6") == ["libc6:amd64"])
        #expect(try providers("libc6", for: "i386") == ["libc6:i386"])
        #expect(try providers("libc6:i386") == ["libc6:i386"])
        #expect(try providers("libc6:any") == ["libc6:amd64", "libc6:i386"])
        #expect(try providers("tzdata", for: "i386") == ["tzdata"])
    }

    @Test("a provided name counts, with a version only if it was provided with one")
    func virtualPackages() throws {
        #expect(try providers("awk") == ["mawk", "gawk"])
        #expect(try providers("awk (>= 3)") == ["gawk"])
        #expect(try providers("libc6:any (>= 2.34)") == ["libc6:amd64"])
        #expect(try providers("emacs").isEmpty)
    }
}

@Suite("StatusFile")
struct StatusFileTests {
    @Test("the bundled excerpt is real, whole and closed under its dependencies")
    func excerpt() throws {
        let file = try #require(StatusFile.excerpt)
        var packages: [InstalledPackage] = []
        var done: [Double] = []
        try file.forEachPackage(progress: { done.append($0) }, { packages.append($0) })
        #expect(packages.count == 68)
        #expect(Set(packages.map(\.id)).count == 68)
        #expect(done.last == 1 && done.count > 1)
        let index = PackageIndex(packages)
        for package in packages {
            for dependency in package.dependencies where dependency.kind != .recommends {
                let isFulfilled = dependency.alternatives.contains {
                    !index.providers(of: $0, for: package.architecture).isEmpty
                }
                #expect(isFulfilled, "\(package.id): \(dependency)")
            }
        }
    }

    @Test("a file that is not there, or is something else, is an error that names it")
    func wrongFiles() throws {
        let missing = #expect(throws: StatusFileError.self) {
            try StatusFile(URL(filePath: "/nonexistent/status")).forEachPackage { _ in }
        }
        #expect(missing?.description.hasPrefix("/nonexistent/status: cannot be read: ") == true)

        let folder = #expect(throws: StatusFileError.self) {
            try StatusFile(URL(filePath: "/etc")).forEachPackage { _ in }
        }
        #expect(folder?.description.hasPrefix("/etc: cannot be read: ") == true)

        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).status")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data([0xff, 0xfe, 0x0a, 0x00]).write(to: url)
        let wrong = #expect(throws: StatusFileError.self) {
            try StatusFile(url).forEachPackage { _ in }
        }
        #expect(wrong?.description == "\(url.path): line 1: this line is no field")
    }

    @Test("lines longer than a read, and a last line without an end, arrive whole")
    func longLines() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).status")
        defer { try? FileManager.default.removeItem(at: url) }
        let long = String(repeating: "é", count: 100_000)
        let text = "Package: a\nStatus: x y installed\nDescription: \(long)"
        try Data(text.utf8).write(to: url)
        var summaries: [String] = []
        try StatusFile(url).forEachPackage { summaries.append($0.summary) }
        #expect(summaries == [long])
    }
}
