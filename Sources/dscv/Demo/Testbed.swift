internal import Foundation

/// The testbed that the demo runs in.
struct Testbed {
    /// The program that acts on the hosts.
    let control: String
    /// The host that plays the peer: another one where there are several, else this one.
    let peer: String

    /// Our own executable, which plays the peer too.
    let tool = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path(percentEncoded: false)

    init() throws(Exit) {
        let environment = ProcessInfo.processInfo.environment
        guard let control = environment["TESTBED"] else {
            throw .usage("demo needs the testbed; run: Tests/testbed swift run dscv demo")
        }
        self.control = control
        peer = environment["TESTBED_MODE"] == "hosts" ? "beta" : "alpha"
    }

    /// Runs this tool on the peer's host.
    func start(_ words: String...) throws(Exit) -> DemoProcess {
        try DemoProcess(["on", peer, tool] + words, of: self)
    }

    /// Has the control program do something.
    func tell(_ words: String...) async throws(Exit) {
        guard try await DemoProcess(words, of: self).succeeded() else {
            throw .failed("the testbed could not do: \(words.joined(separator: " "))")
        }
    }
}
