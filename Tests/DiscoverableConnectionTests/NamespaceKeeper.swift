import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Glibc

/// `keeper.py`: runs commands in network namespaces. The one child process of these tests, since any of them holds copies of all
/// sockets for a moment, and so keeps ports in use that another test has just freed.
struct NamespaceKeeper: Sendable {
    struct Failure: Error {
        let text: String
    }

    /// The folder of the scripts.
    static let folder = "/\(#filePath.split(separator: "/").dropLast().joined(separator: "/"))/Peers"

    private static let shared = Task { try await NamespaceKeeper() }

    private let address: SocketAddress

    private init() async throws {
        let (control, own) = try await boundSocket(.ipv4)
        // The pipe stays open as long as this process lives, and the keeper lives as long as the pipe is open.
        let pipe = unsafe popen("exec /usr/bin/python3 '\(Self.folder)/keeper.py' \(own.port) >/dev/null 2>&1", "we")
        guard unsafe pipe != nil else { throw Failure(text: "popen") }
        // Where there is no Python, nobody answers.
        let timer = EventLoop.shared.schedule(after: .seconds(20)) { Task { await control.close() } }
        defer { timer.cancel() }
        address = try await control.receive().source
    }

    /// Returns when the child process runs its own program, or could not be started: from then on no copies are held.
    static func settle() async { _ = await shared.result }

    /// Runs a command in a namespace, and waits until it has succeeded.
    static func run(_ command: String, input: String = "", in namespace: String) async throws {
        try await shared.value.tell("\(namespace)\nwait\n\(command)\n\(input)")
    }

    /// Starts a command in a namespace, and lets it run.
    static func start(_ command: String, in namespace: String) async throws {
        try await shared.value.tell("\(namespace)\nstart\n\(command)\n")
    }

    private func tell(_ request: String) async throws {
        let control = try UDPSocket(family: .ipv4)
        try await control.connect(to: address)
        try await control.send(bytes(request))
        guard try await control.receive().bytes == bytes("0") else { throw Failure(text: request) }
    }
}
