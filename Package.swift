// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "Domesday",
    products: [
        .library(name: "Domesday", targets: ["Domesday"]),
        .library(name: "RealmSwift", targets: ["RealmSwift"]),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .target(name: "CRuntime"),
        // Its system library has no pkg-config file: Debian's libintelrdfpmath-dev.
        .target(name: "CDecimal", linkerSettings: [.linkedLibrary("bidgcc000")]),
        .target(name: "PredicateLanguage", swiftSettings: strict),
        .target(
            name: "Domesday",
            dependencies: ["CSQLite", "CRuntime", "CDecimal", "PredicateLanguage"],
            swiftSettings: strict
        ),
        .target(name: "RealmSwift", dependencies: ["Domesday"], swiftSettings: strict),
        .testTarget(
            name: "PredicateLanguageTests",
            dependencies: ["PredicateLanguage"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DomesdayTests",
            dependencies: ["Domesday"],
            swiftSettings: strict
        ),
    ]
)
