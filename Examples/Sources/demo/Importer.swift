import DebianPackages
import Domesday

/// Brings a store up to date with a package database.
struct Importer {
    let realm: Realm

    /// What an import found different from the time before.
    struct Changes {
        var added: [String] = []
        var removed: [String] = []
        /// Packages whose version is another now: `tar 1.34 -> 1.35`.
        var upgraded: [String] = []
        var downgraded: [String] = []
    }

    /// Stores the packages in one transaction: all of them, or none if something fails.
    func store(
        _ packages: [InstalledPackage],
        progress: (Double) -> Void
    ) throws -> Changes {
        try realm.write {
            var changes = Changes()
            let ids = Set(packages.map(\.id))
            var doneCount = 0
            func step() {
                doneCount += 1
                progress(Double(doneCount) / Double(2 * packages.count))
            }
            // Links need both ends: first the packages, then what they depend on.
            for package in packages {
                note(package, in: &changes)
                realm.create(Package.self, value: values(of: package), update: .modified)
                step()
            }
            let gone = realm.objects(Package.self).where { !$0.id.in(ids) }
            changes.removed = gone.map(\.id)
            realm.delete(gone)
            realm.delete(realm.objects(Section.self).filter("packages.@count == 0"))
            realm.delete(realm.objects(Maintainer.self).filter("packages.@count == 0"))

            let index = PackageIndex(packages)
            for package in packages {
                link(package, using: index)
                step()
            }
            return changes
        }
    }

    /// Compares with what is stored, before it is overwritten.
    private func note(_ package: InstalledPackage, in changes: inout Changes) {
        guard let known = realm.object(ofType: Package.self, forPrimaryKey: package.id) else {
            changes.added.append(package.id)
            return
        }
        // Compared as text: 1.0 and 1.00 are equal, but not the same.
        guard known.version != package.version.description else { return }
        let line = "\(package.id) \(known.version) -> \(package.version)"
        if DebianVersion(known.version) > package.version {
            changes.downgraded.append(line)
        } else {
            changes.upgraded.append(line)
        }
    }

    /// A tree of values is enough: section and maintainer are found by their keys, or made.
    private func values(of package: InstalledPackage) -> [String: Any] {
        [
            "id": package.id,
            "name": package.name,
            "version": package.version.description,
            "summary": package.summary,
            "installedKiB": package.installedKiB,
            "isEssential": package.isEssential,
            "section": ["name": package.section],
            "maintainer": ["mail": package.maintainer.mail, "name": package.maintainer.name],
        ]
    }

    private func link(_ package: InstalledPackage, using index: PackageIndex) {
        let stored = realm.object(ofType: Package.self, forPrimaryKey: package.id)
        stored?.dependencies.removeAll()
        for need in package.dependencies {
            let dependency = Dependency()
            dependency.kind = DependencyKind(rawValue: need.kind.rawValue) ?? .depends
            for relation in need.alternatives {
                let alternative = Alternative()
                alternative.name = relation.name
                alternative.versionCondition = relation.condition?.description
                for id in index.providers(of: relation, for: package.architecture) {
                    guard let provider = realm.object(ofType: Package.self, forPrimaryKey: id)
                    else { continue }
                    alternative.providers.append(provider)
                }
                dependency.alternatives.append(alternative)
            }
            stored?.dependencies.append(dependency)
        }
    }
}
