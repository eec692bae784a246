import CSockets
import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Glibc
import Testing

/// A network namespace of an event loop's own: `unshare` counts for one thread, and the loop has one. It goes with the loop.
/// Needs root (also that of a user namespace) and iproute2.
struct NetworkHost: Sendable {
    struct Refused: Error {}

    let loop: EventLoop

    /// Where other threads and processes find the namespace, as long as the loop lives.
    let namespace: String

    /// A host with a loopback interface, and what the `ip` commands make.
    init(_ commands: String...) async throws {
        loop = try EventLoop(name: "host")
        let path = await loop.run { () -> String? in
            guard discoverable_unshare(DISCOVERABLE_CLONE_NEWNET) == 0 else { return nil }
            var text = Array(repeating: CChar(0), count: 256)
            let length = unsafe readlink("/proc/thread-self", &text, 256)
            return String(decoding: text.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        guard let path else { throw Refused() }
        namespace = "/proc/\(path)/ns/net"
        try await ip(["link set lo up"] + commands)
    }

    /// Whether this machine allows it, asked once. Where the testbed is required, tests run in any case, and so fail.
    static let isAllowed = Task {
        let isRequired = unsafe getenv("DISCOVERABLE_REQUIRE_TESTBED").map { unsafe String(cString: $0) } == "1"
        if isRequired { return true }
        return (try? await NetworkHost("link add probe0 type veth peer name probe1")) != nil
    }

    /// Runs `ip` commands in the namespace.
    func ip(_ commands: String...) async throws { try await ip(commands) }

    private func ip(_ commands: [String]) async throws {
        let lines = commands.map { $0 + "\n" }.joined()
        try await NamespaceKeeper.run("ip -batch -", input: lines, in: namespace)
    }

    /// Sets one of the kernel's numbers of this namespace, such as `net.ipv4.ip_forward`.
    func set(_ name: String, _ value: Int) async throws {
        let path = name.split(separator: ".").joined(separator: "/")
        try await NamespaceKeeper.run("tee /proc/sys/\(path)", input: "\(value)", in: namespace)
    }

    /// Changes the queues in front of a link.
    func trafficControl(_ command: String) async throws {
        try await NamespaceKeeper.run("tc \(command)", in: namespace)
    }

    /// A socket in the namespace; bound, where an address is given.
    func socket(
        _ family: AddressFamily = .ipv4,
        at address: SocketAddress? = nil,
        options: UDPSocket.Options = UDPSocket.Options()
    ) async throws -> UDPSocket {
        let loop = loop
        let socket = try await onLoop { Result { try UDPSocket(family: family, options: options, loop: loop) } }.get()
        if let address { try await socket.bind(to: address) }
        return socket
    }

    /// A socket of both families in the namespace.
    func socketOfBothFamilies(options: UDPSocket.Options = UDPSocket.Options()) async throws -> UDPSocket {
        let loop = loop
        return try await onLoop { Result { try UDPSocket(options: options, loop: loop) } }.get()
    }

    /// The number of an interface of the namespace.
    func interface(_ name: String) async throws -> InterfaceIndex {
        try #require(await onLoop { InterfaceIndex(named: name) })
    }

    /// An address with its port, a scope by the name of an interface of the namespace.
    func address(_ text: String) async throws -> SocketAddress {
        try #require(await onLoop { SocketAddress.parse(text) })
    }

    func onLoop<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value { await loop.run(body) }
}

extension EventLoop {
    /// What `body` returns on the loop's thread.
    fileprivate func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            execute { continuation.resume(returning: body()) }
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For a test with a network of its own.
    static var needsNamespaces: Self {
        .enabled("needs root and iproute2 for network namespaces") { await NetworkHost.isAllowed.value }
    }
}
