import CSockets
import DiscoverableCore
import Glibc

@testable import DiscoverableRuntime

/// A network namespace of a thread's own, which goes with the thread. Needs root (also that of a user namespace) and iproute2.
enum PrivateHost {
    /// Why a namespace was not to be had.
    enum Failure: Error {
        case refused
        case commandFailed(String)
    }

    /// Whether this machine allows it, with a tunnel and a pair of virtual links; asked once.
    static let isAllowed = Task {
        (try? await run(["tuntap add probe mode tun", "link add probe0 type veth peer name probe1"]) {}) != nil
    }

    /// What `body` returns, run on a thread that sees only interfaces of its own, after the `ip` commands.
    static func run<Value: Sendable>(
        _ commands: [String],
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
            do {
                try SystemThread.start(name: "private host") {
                    continuation.resume(returning: Result { try prepared(commands, body) })
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }

    private static func prepared<Value>(_ commands: [String], _ body: () throws -> Value) throws -> Value {
        guard discoverable_unshare(DISCOVERABLE_CLONE_NEWNET) == 0 else { throw Failure.refused }
        // A child process begins in the namespaces of the thread that starts it.
        for command in ["link set lo up"] + commands {
            guard unsafe system("ip \(command) 2>/dev/null") == 0 else { throw Failure.commandFailed(command) }
        }
        return try body()
    }
}
