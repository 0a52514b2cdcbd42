// swift-tools-version: 6.2
import PackageDescription

// The example program and its parser. A package of its own, so that it sees of Domesday what any
// user sees: a missing `public` is noticed here.

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .swiftLanguageMode(.v6),
]

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "Domesday", path: "..")],
    targets: [
        .executableTarget(
            name: "demo",
            dependencies: ["DebianPackages", .product(name: "Domesday", package: "Domesday")],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "tour",
            dependencies: [.product(name: "Domesday", package: "Domesday")],
            swiftSettings: strict
        ),
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
