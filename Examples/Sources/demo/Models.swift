import Domesday

/// A package that is installed, and how it hangs together with the others.
final class Package: Object {
    /// What `dpkg` calls it: `tar`, or `libc6:amd64` where several architectures can live together.
    @Persisted(primaryKey: true) var id: String
    @Persisted(indexed: true) var name: String
    @Persisted var version: String
    @Persisted var summary: String
    @Persisted var installedKiB: Int
    @Persisted var isEssential: Bool
    @Persisted var section: Section?
    @Persisted var maintainer: Maintainer?
    /// What this package needs; they are part of it, and go when it goes.
    @Persisted var dependencies: List<Dependency>
    /// The other direction, kept by the database: every alternative this package fulfils.
    @Persisted(originProperty: "providers") var fulfils: LinkingObjects<Alternative>
}

/// A group of packages: `libs`, `editors`.
final class Section: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "section") var packages: LinkingObjects<Package>
}

/// Whoever looks after packages, known by an address.
final class Maintainer: Object {
    @Persisted(primaryKey: true) var mail: String
    @Persisted var name: String
    @Persisted(originProperty: "maintainer") var packages: LinkingObjects<Package>
}

/// How strongly a package wants another, spelled like the field that says so.
enum DependencyKind: String, PersistableEnum {
    case depends = "Depends"
    case preDepends = "Pre-Depends"
    case recommends = "Recommends"
}

/// One need of a package; any of its alternatives is enough.
final class Dependency: EmbeddedObject {
    @Persisted var kind: DependencyKind
    @Persisted var alternatives: List<Alternative>
    @Persisted(originProperty: "dependencies") var owners: LinkingObjects<Package>
}

/// One way to meet a need: a name, perhaps a condition on the version, and what is installed.
final class Alternative: EmbeddedObject {
    @Persisted var name: String
    /// `>= 2.34`, for instance; `nil` when any version will do.
    @Persisted var versionCondition: String?
    /// The installed packages of this name, or that provide it; often one, perhaps none.
    @Persisted var providers: List<Package>
    @Persisted(originProperty: "alternatives") var dependencies: LinkingObjects<Dependency>
}
