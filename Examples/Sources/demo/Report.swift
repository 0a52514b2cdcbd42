import Domesday
import Foundation

/// Prints the answers as a person would read them.
struct Report {
    let answers: Answers

    func changes(_ changes: Importer.Changes) {
        let isEmpty = [changes.added, changes.removed, changes.upgraded, changes.downgraded]
            .allSatisfy(\.isEmpty)
        guard !isEmpty else {
            print("Changes: none, the packages and versions are those of the last run")
            return
        }
        let downgraded = changes.downgraded.count
        print(
            "Changes: \(changes.added.count) added, \(changes.removed.count) removed,",
            "\(changes.upgraded.count) upgraded"
                + (downgraded == 0 ? "" : ", \(downgraded) downgraded")
        )
        list("  + ", changes.added)
        list("  - ", changes.removed)
        list("    ", changes.upgraded + changes.downgraded)
    }

    func whatNeeds(_ name: String) {
        print("\nWhat needs \(name)?")
        let packages = answers.packages(named: name)
        guard !packages.isEmpty else { return print("  no such package is installed") }
        let ((direct, all), time) = timed {
            (Set(packages.flatMap { $0.dependants.map(\.id) }), answers.needing(packages))
        }
        print("  \(direct.count) directly, \(all.count) in all  (\(time.milliseconds))")
        list("  ", direct.sorted())
    }

    func whatBreaks(without name: String) {
        print("\nWhat would removing \(name) break?")
        let packages = answers.packages(named: name)
        guard !packages.isEmpty else { return print("  no such package is installed") }
        let (broken, time) = timed { answers.broken(byRemoving: packages) }
        let essential = broken.filter(\.isEssential).count
        print("  \(broken.count) packages, \(essential) of them essential  (\(time.milliseconds))")
        list("  ", broken.map(\.id))
    }

    func largestBySection() {
        print("\nLargest, by section")
        let (sections, time) = timed { answers.largestSections(5) }
        for (section, sizeKiB) in sections {
            let bySize = section.packages.sorted(byKeyPath: "installedKiB", ascending: false)
            let most = bySize.first.map { "most of all \($0.name): \($0.summary)" } ?? ""
            row(size(byteCount: sizeKiB << 10), section.name, most)
        }
        print("  the largest packages:", terminator: " ")
        let largest = answers.largest(3).map { "\($0.name) \(size(byteCount: $0.sizeKiB << 10))" }
        print(largest.joined(separator: ", "), " (\(time.milliseconds))")
    }

    func busiestMaintainers() {
        print("\nWho maintains most?")
        let (maintainers, time) = timed { answers.busiestMaintainers(5) }
        for maintainer in maintainers {
            row("\(maintainer.packages.count)", maintainer.name, "<\(maintainer.mail)>")
        }
        print("  (\(time.milliseconds))")
    }

    /// A right-aligned figure, a name, and a remark cut to the width of a terminal.
    private func row(_ figure: String, _ name: String, _ remark: String) {
        let indent = String(repeating: " ", count: max(0, 10 - figure.count))
        let padding = String(repeating: " ", count: max(1, 28 - name.count))
        print(("  \(indent)\(figure)  \(name)\(padding)\(remark)").prefix(100))
    }

    /// The first few, and how many more there are.
    private func list(_ lead: String, _ items: [String]) {
        let shown = 8
        for item in items.prefix(shown) { print("\(lead)\(item)") }
        if items.count > shown { print("\(lead)... and \(items.count - shown) more") }
    }
}
