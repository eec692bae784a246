import CSockets
import DiscoverableRuntime
import Glibc

/// A network namespace of a loop's own, with an interface on which nobody answers: `unshare` counts for one thread, and the
/// loop has one. Needs root (also that of a user namespace) and iproute2.
struct PrivateNetwork {
    let loop: EventLoop

    /// nil where this machine does not allow it.
    init?() async throws {
        loop = try EventLoop()
        let isPrivate = await onLoop { discoverable_unshare(DISCOVERABLE_CLONE_NEWNET) == 0 }
        guard isPrivate else { return nil }
        let commands = [
            "link add stall0 type veth peer name stall1", "addr add 192.0.2.1/24 dev stall0", "link set stall0 up",
            "link set stall1 up",
        ]
        for command in commands {
            guard await ip(command) else { return nil }
        }
    }

    /// Whether this machine allows it, asked once.
    static let isAllowed = Task { (try? await PrivateNetwork()) != nil }

    /// From now on 192.0.2.2 has a hardware address, so that what waits for one leaves.
    func resolveNeighbour() async -> Bool {
        await ip("neigh replace 192.0.2.2 lladdr 02:00:00:00:00:02 nud permanent dev stall0")
    }

    /// A child process begins in the namespaces of the thread that starts it.
    private func ip(_ command: String) async -> Bool {
        await onLoop { unsafe system("ip \(command) 2>/dev/null") == 0 }
    }

    func onLoop<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: body()) }
        }
    }
}
