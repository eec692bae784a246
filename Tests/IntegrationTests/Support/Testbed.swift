import Foundation
import Testing

/// The testbed that the tests run in: `Tests/testbed swift test` sets `$TESTBED` to its control program.
enum Testbed {
    private static let environment = ProcessInfo.processInfo.environment

    /// The control program; nil outside a testbed.
    static let control = environment["TESTBED"]

    /// Whether there are several hosts with links between them.
    static let hasHosts = control != nil && environment["TESTBED_MODE"] == "hosts"

    /// Whether other testbeds can run beside it.
    static let hasNamespaces = control != nil && environment["TESTBED_NAMESPACES"] == "yes"

    /// The program that makes a testbed.
    static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(component: "testbed").path(percentEncoded: false)

    /// Where a test may count on a testbed: there it runs even without one, and so fails.
    static let isRequired = environment["DISCOVERABLE_REQUIRE_TESTBED"] == "1"

    /// The host that plays the peer: another one where there are several, else this one.
    static let peer = hasHosts ? "beta" : "alpha"

    /// Our own tool, built beside the tests.
    static let dscv = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(component: "dscv").path(percentEncoded: false)

    /// The folder of the peers that we did not write, or wrote from their description alone.
    static func peerScript(_ name: String) -> [String] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(component: "Peers")
        return ["/usr/bin/python3", folder.appending(component: name).path(percentEncoded: false)]
    }

    /// Starts a command on a host. It ends with the returned value.
    static func start(on host: String, _ command: String...) throws -> ChildProcess {
        try start(on: host, command)
    }

    /// Starts a command on a host. It ends with the returned value.
    static func start(on host: String, _ command: [String]) throws -> ChildProcess {
        try ChildProcess([program(), "on", host] + command)
    }

    /// Has the control program do something, such as `daemon alpha kill`, and waits until it is done.
    static func tell(_ words: String...) async throws {
        try await tell(words)
    }

    /// How many datagrams to a host were dropped since its present loss was set.
    static func dropped(at host: String) async throws -> Int {
        let result = try await ChildProcess.run([program(), "loss", host], within: .seconds(10))
        return try #require(result.output.split(separator: "dropped=").last.flatMap { Int($0) }, "\(result)")
    }

    private static func tell(_ words: [String]) async throws {
        let result = try await ChildProcess.run([program()] + words, within: .seconds(60))
        try #require(result.status == 0, "testbed \(words.joined(separator: " ")): \(result.errors)")
    }

    /// Has the control program do something before a test and undo it afterwards, whatever the test does.
    static func with<Value>(
        _ words: [String],
        undoneBy undo: [String],
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await tell(words)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        try await tell(undo)
        return try outcome.get()
    }

    private static func program() throws -> String {
        try #require(control, "no testbed: run Tests/testbed swift test")
    }
}

extension Trait where Self == ConditionTrait {
    /// For a test with a daemon of its own host.
    static var needsTestbed: Self {
        .enabled(
            if: Testbed.control != nil || Testbed.isRequired,
            "needs a testbed: run Tests/testbed swift test"
        )
    }

    /// For a test with several hosts.
    static var needsHosts: Self {
        .enabled(
            if: Testbed.hasHosts || Testbed.isRequired,
            "needs a testbed with several hosts: run Tests/testbed swift test where namespaces are allowed"
        )
    }
}
