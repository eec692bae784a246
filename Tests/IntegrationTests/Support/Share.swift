import Foundation
import Testing

/// A part of the daemon tests that runs beside the others: the test program once more, in a testbed of its own. Daemon tests wait far
/// more than they compute, and those of one testbed cannot run at once, since many of them kill its daemon.
///
/// Whoever names tests (`--filter`, `--skip`) gets them in the present testbed and sees each of them pass.
enum Share {
    /// Whether this process leaves the shares to others.
    static let isLeftToOthers =
        Testbed.hasNamespaces
        && !CommandLine.arguments.contains { ["--filter", "--skip"].contains($0.split(separator: "=").first) }

    /// Runs the tests of a suite in a testbed of their own; what they say of a failure becomes this test's failure.
    static func run(_ suite: String) async throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let tests = [program, "--testing-library", "swift-testing", "--filter", "IntegrationTests.\(suite)/"]
        let command = [Testbed.script] + (Testbed.hasHosts ? [] : ["--local"]) + ["--"] + tests
        let result = try await ChildProcess.run(command, within: .seconds(330))
        let lines = (result.output + "\n" + result.errors).split(separator: "\n")
        let failures = lines.filter { $0.contains("✘") || $0.contains("↳") }
        #expect(result.status == 0, "\(failures.joined(separator: "\n"))\n\(lines.suffix(5).joined(separator: "\n"))")
        let summary = try #require(lines.last { $0.contains("Test run with") })
        // A filter that fits nothing passes too.
        try #require(!summary.contains("with 0 tests"), "there is no suite \(suite)")
        print("\(suite): \(summary)")
    }
}

extension Trait where Self == ConditionTrait {
    /// For a suite that `SharedTests` runs in a testbed of its own.
    static var beside: Self { .disabled(if: Share.isLeftToOthers, "runs beside, in a testbed of its own") }
}

@Suite("Daemon tests beside the others", .enabled(if: Share.isLeftToOthers, "they run in place"))
struct SharedTests {
    @Test(
        "In a testbed of their own",
        .timeLimit(.minutes(6)),
        arguments: ["ToolDaemonTests", "DiscoveryDaemonTests", "KnowledgeDaemonTests", "OutageDaemonTests"]
    )
    func share(suite: String) async throws { try await Share.run(suite) }
}
