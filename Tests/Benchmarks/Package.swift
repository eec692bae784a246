// swift-tools-version: 6.3
import PackageDescription

/// As in the root manifest, which cannot be imported from here.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

/// Nobody depends on this package, so that the C code can ask for its optimisation whatever the configuration.
let optimised: [CSetting] = [.unsafeFlags(["-O2", "-Wall", "-Wextra", "-Werror"])]

let package = Package(
    name: "Benchmarks",
    products: [
        .executable(name: "bench", targets: ["bench"]),
        .executable(name: "discovery-worker", targets: ["discovery-worker"]),
    ],
    dependencies: [.package(name: "Discoverable", path: "../..")],
    targets: [
        .target(name: "CReferences", path: "References", cSettings: optimised),
        .target(name: "CInstruments", path: "Instruments", cSettings: optimised),
        .target(name: "Measuring", swiftSettings: strict),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CInstruments", "CReferences", "Measuring",
                .product(name: "DiscoverableConnection", package: "Discoverable"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "discovery-worker",
            dependencies: ["CInstruments", "Measuring", .product(name: "AvahiDiscovery", package: "Discoverable")],
            swiftSettings: strict,
            // As programs for Linux are deployed; the shared library of the toolchain alone has 8 MB resident.
            linkerSettings: [.unsafeFlags(["-static-stdlib"])]
        ),
        .testTarget(name: "MeasuringTests", dependencies: ["Measuring"], swiftSettings: strict),
    ]
)
