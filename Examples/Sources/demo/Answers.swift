import Domesday

/// The questions the demo answers, asked of the stored objects; nothing is printed here.
struct Answers {
    let realm: Realm

    /// Every architecture of a package, found through the index on its name.
    func packages(named name: String) -> Results<Package> {
        realm.objects(Package.self).where { $0.name == name || $0.id == name }
    }

    /// The package on which most others depend directly, but for those the system cannot lose.
    func mostNeeded(except names: Set<String>) -> Package? {
        realm.objects(Package.self)
            .where { !$0.name.in(names) && !$0.isEssential }
            .max { $0.fulfils.count < $1.fulfils.count }
    }

    /// What stops working without these packages, and then without those, and so on.
    ///
    /// A package breaks when one of its needs loses its last provider.
    func broken(byRemoving packages: some Sequence<Package>) -> [Package] {
        var gone = Set(packages.map(\.id))
        var broken: [Package] = []
        var pending = Array(packages)
        while let package = pending.popLast() {
            for dependant in package.dependants where !gone.contains(dependant.id) {
                guard dependant.needs.contains(where: { $0.isLost(without: gone) }) else {
                    continue
                }
                gone.insert(dependant.id)
                broken.append(dependant)
                pending.append(dependant)
            }
        }
        return broken.sorted { $0.id < $1.id }
    }

    /// Everything that leads to these packages over any number of steps, alternatives included.
    func needing(_ packages: some Sequence<Package>) -> [Package] {
        var seen = Set(packages.map(\.id))
        var pending = Array(packages)
        var result: [Package] = []
        while let package = pending.popLast() {
            for dependant in package.dependants where seen.insert(dependant.id).inserted {
                result.append(dependant)
                pending.append(dependant)
            }
        }
        return result
    }

    /// The sections that take most room.
    func largestSections(_ count: Int) -> [(section: Section, sizeKiB: Int)] {
        let sizes = realm.objects(Section.self).map { section in
            (section: section, sizeKiB: section.packages.sum(of: \.installedKiB))
        }
        return Array(sizes.sorted { $0.sizeKiB > $1.sizeKiB }.prefix(count))
    }

    /// Names and sizes read straight from their columns: no package object is made.
    func largest(_ count: Int) -> [(name: String, sizeKiB: Int)] {
        realm.objects(Package.self)
            .sorted(by: \.installedKiB, ascending: false)
            .select(\.name, \.installedKiB)
            .prefix(count)
            .map { (name: $0, sizeKiB: $1) }
    }

    func busiestMaintainers(_ count: Int) -> [Maintainer] {
        let all = realm.objects(Maintainer.self)
        return Array(all.sorted { $0.packages.count > $1.packages.count }.prefix(count))
    }
}

extension Package {
    /// The needs without which this package does not work.
    var needs: [Dependency] { dependencies.filter { $0.kind != .recommends } }

    /// Packages of which a need names this one as an alternative.
    var dependants: [Package] {
        var found: [String: Package] = [:]
        for alternative in fulfils {
            guard let dependency = alternative.dependencies.first, dependency.kind != .recommends,
                let owner = dependency.owners.first
            else { continue }
            found[owner.id] = owner
        }
        return Array(found.values)
    }
}

extension Dependency {
    /// Whether packages met this need, and all of them are in `gone`.
    func isLost(without gone: Set<String>) -> Bool {
        let providers = alternatives.flatMap(\.providers)
        return !providers.isEmpty && providers.allSatisfy { gone.contains($0.id) }
    }
}
