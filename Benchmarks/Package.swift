// swift-tools-version: 6.2
import PackageDescription

// The workloads, measured for Domesday and for SQLite in the same run. A package of its own: the
// store is measured as its users meet it, through the public API.

/// Whether Domesday's side is built; SQLite's needs nothing of it.
let hasCore = true

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .swiftLanguageMode(.v6),
]

let package = Package(
    name: "Benchmarks",
    dependencies: hasCore ? [.package(name: "Domesday", path: "..")] : [],
    targets: [
        // Not the core's CSQLite: two packages cannot both have a target of one name.
        .systemLibrary(
            name: "CPeerSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .target(name: "Workloads", swiftSettings: strict),
        .target(
            name: "SQLitePeer",
            dependencies: ["Workloads", "CPeerSQLite"],
            swiftSettings: strict
        ),
        .target(name: "Reports", dependencies: ["Workloads"], swiftSettings: strict),
        .executableTarget(
            name: "bench",
            dependencies: ["Workloads", "Reports", "SQLitePeer"]
                + (hasCore ? ["DomesdayPeer"] : []),
            swiftSettings: strict + (hasCore ? [.define("HAS_CORE")] : [])
        ),
        .testTarget(
            name: "BenchmarksTests",
            dependencies: ["Workloads", "Reports", "SQLitePeer"],
            swiftSettings: strict
        ),
    ]
)

if hasCore {
    package.targets += [
        .target(
            name: "DomesdayPeer",
            dependencies: ["Workloads", .product(name: "Domesday", package: "Domesday")],
            swiftSettings: strict
        )
    ]
}
