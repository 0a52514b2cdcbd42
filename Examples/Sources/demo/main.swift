// The tutorial: reads a Debian system's package database into a store, and asks it questions.
// Models.swift is the data, Importer.swift writes it, Answers.swift reads it.

import DebianPackages
import Domesday
import Foundation

func run(_ options: Options) throws {
    let (file, description) = try options.source()
    print("Reading \(description)")

    var reading = ProgressBar("reading")
    var packages: [InstalledPackage] = []
    let (_, readTime) = try timed {
        try file.forEachPackage(progress: { reading.show($0) }, { packages.append($0) })
    }
    reading.finish()

    // If this fails, opening the Realm does too, and says why.
    try? FileManager.default.createDirectory(
        at: options.store.deletingLastPathComponent(),
        withIntermediateDirectories: true
    )
    let realm = try Realm(fileURL: options.store)
    var storing = ProgressBar("storing")
    let (changes, storeTime) = try timed {
        try Importer(realm: realm).store(packages, progress: { storing.show($0) })
    }
    storing.finish()
    print(
        "Read \(packages.count) packages in \(readTime.milliseconds),",
        "stored them in \(storeTime.milliseconds)"
    )

    let report = Report(answers: Answers(realm: realm))
    report.changes(changes)
    report.whatNeeds(options.package)
    let removed = options.remove ?? report.answers.mostNeeded(except: [options.package])?.name
    if let removed { report.whatBreaks(without: removed) }
    report.largestBySection()
    report.busiestMaintainers()
}

if CommandLine.arguments.contains("--help") {
    print(Options.usage)
    exit(0)
}
do {
    let options = try Options(CommandLine.arguments.dropFirst())
    try run(options)
    // The Realm ended with `run`, so everything is in this one file now.
    let attributes = try FileManager.default.attributesOfItem(atPath: options.store.path)
    let byteCount = attributes[.size] as? Int ?? 0
    print("\nStore: \(options.store.path), \(size(byteCount: byteCount))")
} catch let error as UsageError {
    FileHandle.standardError.write(Data("demo: \(error)\n\(Options.usage)\n".utf8))
    exit(2)
} catch {
    FileHandle.standardError.write(Data("demo: \(error)\n".utf8))
    exit(1)
}
