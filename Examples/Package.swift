// swift-tools-version: 6.2
import PackageDescription

// The example program and its parser. A package of its own, so that it sees of Domesday what any
// user sees: a missing `public` is noticed here.

/// Whether the program is built, beside its parser and the parser's tests, which need no database.
let hasCore = false

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .swiftLanguageMode(.v6),
]

let package = Package(
    name: "Examples",
    dependencies: hasCore ? [.package(name: "Domesday", path: "..")] : [],
    targets: [
        .target(
            name: "DebianPackages",
            resources: [.copy("Resources/excerpt.status")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DebianPackagesTests",
            dependencies: ["DebianPackages"],
            swiftSettings: strict
        ),
    ]
)

if hasCore {
    package.targets += [
        .executableTarget(
            name: "demo",
            dependencies: ["DebianPackages", .product(name: "Domesday", package: "Domesday")],
            swiftSettings: strict
        )
    ]
}
