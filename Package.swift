// swift-tools-version: 6.3
import PackageDescription

/// What every target of ours is compiled with. Warnings are errors here, in our own builds only: SwiftPM does not apply
/// the setting to a package that is somebody's dependency.
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

let package = Package(
    name: "Discoverable",
    products: [
        .library(name: "Discoverable", targets: ["Discoverable"]),
        .library(name: "AvahiDiscovery", targets: ["AvahiDiscovery"]),
        .library(name: "DiscoverableConnection", targets: ["DiscoverableConnection"]),
        .library(name: "DiscoverableTestKit", targets: ["DiscoverableTestKit"]),
        .executable(name: "dscv", targets: ["dscv"]),
    ],
    targets: [
        .systemLibrary(name: "CAvahi", path: "Modules/CAvahi", providers: [.apt(["libavahi-client-dev"])]),
        .target(name: "CSockets", path: "Modules/CSockets"),

        .target(name: "DiscoverableCore", swiftSettings: strict),
        .target(name: "DiscoverableRuntime", dependencies: ["CSockets", "DiscoverableCore"], swiftSettings: strict),
        .target(
            name: "AvahiDiscovery",
            dependencies: ["CAvahi", "DiscoverableCore", "DiscoverableRuntime"],
            swiftSettings: strict
        ),
        .target(
            name: "DiscoverableTestKit",
            dependencies: ["AvahiDiscovery", "DiscoverableCore", "DiscoverableRuntime"],
            swiftSettings: strict
        ),
        .target(
            name: "DiscoverableConnection",
            dependencies: ["DiscoverableCore", "DiscoverableRuntime"],
            swiftSettings: strict
        ),
        .target(
            name: "Discoverable",
            dependencies: ["AvahiDiscovery", "DiscoverableConnection", "DiscoverableCore", "DiscoverableRuntime"],
            swiftSettings: strict
        ),
        .executableTarget(name: "dscv", dependencies: ["CSockets", "Discoverable"], swiftSettings: strict),

        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        // Apps of the iOS package's users, as they are: written from its documentation, never changed to suit us.
        .target(
            name: "SampleApp",
            dependencies: ["Discoverable"],
            path: "Tests/SampleApp",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .target(
            name: "SampleAppSwift6",
            dependencies: ["Discoverable"],
            path: "Tests/SampleAppSwift6",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        // Apps' networking files as they are: the settings that such an app has, and none of ours.
        .target(
            name: "SampleUdpApp",
            dependencies: ["DiscoverableConnection"],
            path: "Tests/SampleUdpApp",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .target(
            name: "SampleUdpAppOlder",
            dependencies: ["DiscoverableConnection"],
            path: "Tests/SampleUdpAppOlder",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "DiscoverableCoreTests",
            dependencies: ["DiscoverableCore", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DiscoverableRuntimeTests",
            dependencies: ["CSockets", "DiscoverableCore", "DiscoverableRuntime", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AvahiDiscoveryTests",
            dependencies: ["AvahiDiscovery", "CAvahi", "DiscoverableCore", "DiscoverableRuntime"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DiscoverableTestKitTests",
            dependencies: [
                "AvahiDiscovery", "Discoverable", "DiscoverableCore", "DiscoverableRuntime", "DiscoverableTestKit",
            ],
            swiftSettings: strict
        ),
        .testTarget(name: "dscvTests", dependencies: ["Discoverable", "dscv"], swiftSettings: strict),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "AvahiDiscovery", "Discoverable", "DiscoverableCore", "DiscoverableRuntime", "SampleApp",
                "SampleUdpApp", "dscv",
            ],
            exclude: ["Peers"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DiscoverableConnectionTests",
            dependencies: [
                "CSockets", "DiscoverableConnection", "DiscoverableCore", "DiscoverableRuntime", "SampleUdpApp",
                "SampleUdpAppOlder", "TestSupport",
            ],
            exclude: ["Peers"],
            swiftSettings: strict
        ),
        .target(
            name: "SessionSimulation",
            dependencies: ["DiscoverableCore", "TestSupport"],
            path: "Tests/SessionSimulation",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "simulate",
            dependencies: ["SessionSimulation"],
            path: "Tests/simulate",
            swiftSettings: strict
        ),
        .testTarget(
            name: "DiscoverableTests",
            dependencies: [
                "AvahiDiscovery", "Discoverable", "DiscoverableConnection", "DiscoverableCore", "DiscoverableRuntime",
                "SampleApp", "SampleAppSwift6", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["DiscoverableCore", "SessionSimulation"],
            swiftSettings: strict
        ),
    ]
)
