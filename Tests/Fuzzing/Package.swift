// swift-tools-version: 6.3
import PackageDescription

/// As in the root manifest, which cannot be imported from here, and what lets libFuzzer see where an input leads. Nobody depends
/// on this package, so that it may have unsafe flags.
let instrumented: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .unsafeFlags(["-sanitize=fuzzer,address"]),
]

/// What is fuzzed, by the name that `run` takes. Each module has an entry of its own, so each becomes a library of its own,
/// which `run` links to a program.
let targets = [
    "address-text": "AddressText",
    "discovery-names": "DiscoveryNames",
    "records": "Records",
    "send-operations": "SendOperations",
    "session-operations": "SessionOperations",
    "sessions-datagram": "SessionsDatagram",
    "txt": "TXT",
].sorted { $0.key < $1.key }

let package = Package(
    name: "Fuzzing",
    products: targets.map { .library(name: $0.key, type: .static, targets: [$0.value]) },
    targets: [
        // A link to the sources: package access and the instrumentation want them compiled here.
        .target(name: "DiscoverableCore", swiftSettings: instrumented),
        .target(name: "FuzzSupport", swiftSettings: instrumented),
    ]
        + targets.map {
            .target(name: $0.value, dependencies: ["DiscoverableCore", "FuzzSupport"], swiftSettings: instrumented)
        }
)
