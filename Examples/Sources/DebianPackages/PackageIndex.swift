/// Tells which installed packages fulfil a relation, by their own name or by one they provide.
///
/// **Threads.** A value; any thread.
package struct PackageIndex: Sendable {
    private struct Offer {
        let id: String
        let architecture: String
        /// `nil` for a provided name without version, which fulfils no versioned relation.
        let version: DebianVersion?
    }

    private var offers: [String: [Offer]] = [:]

    package init(_ packages: some Sequence<InstalledPackage>) {
        for package in packages {
            offer(package.name, package.version, by: package)
            for provided in package.provides {
                offer(provided.name, provided.condition?.version, by: package)
            }
        }
    }

    private mutating func offer(
        _ name: String,
        _ version: DebianVersion?,
        by package: InstalledPackage
    ) {
        offers[name, default: []].append(
            Offer(id: package.id, architecture: package.architecture, version: version)
        )
    }

    /// The packages one of which is enough, for a dependant of this architecture.
    ///
    /// - Returns: Their ids without repetition, in the order of the database; empty if nothing
    ///   that is installed fulfils the relation.
    /// - Complexity: O(*n*), *n* = packages that offer the name.
    package func providers(of relation: Relation, for architecture: String) -> [String] {
        let wanted = relation.architecture ?? architecture
        var ids: [String] = []
        for offer in offers[relation.name] ?? [] where !ids.contains(offer.id) {
            guard Self.fits(offer.architecture, wanted) else { continue }
            if let condition = relation.condition {
                guard let version = offer.version, condition.isSatisfied(by: version) else {
                    continue
                }
            }
            ids.append(offer.id)
        }
        return ids
    }

    private static func fits(_ offered: String, _ wanted: String) -> Bool {
        // A package for all architectures depends on packages of the machine's own, which a
        // database does not name: any will do.
        offered == wanted || offered == "all" || ["any", "native", "all"].contains(wanted)
    }
}
