import DiscoverableConnection
import DiscoverableCore
import DiscoverableRuntime
import Testing

extension SocketAddress {
    static func loopback(_ family: AddressFamily, port: UInt16 = 0) -> SocketAddress {
        SocketAddress(family == .ipv4 ? .v4(.loopback) : .v6(.loopback), port: port)
    }
}

/// A socket on the loopback interface, with its address.
func boundSocket(_ family: AddressFamily, maximumDatagramSize: Int = 65_535) async throws -> (UDPSocket, SocketAddress)
{
    var options = UDPSocket.Options()
    options.maximumDatagramSize = maximumDatagramSize
    let socket = try UDPSocket(family: family, options: options)
    try await socket.bind(to: .loopback(family))
    return (socket, try await socket.localAddress)
}

/// An address on which nobody listens, and that no other test is given: the kernel chooses ports above these.
func closedPort(_ family: AddressFamily) async throws -> SocketAddress {
    await NamespaceKeeper.settle()
    while true {
        let address = SocketAddress.loopback(family, port: .random(in: 20_000..<30_000))
        let socket = try UDPSocket(family: family)
        guard (try? await socket.bind(to: address)) != nil else { continue }
        await socket.close()
        return address
    }
}

/// Binds to a port that was just freed. While a child process of another test begins, it holds a copy of what was closed, so that
/// a moment may pass; returns whether it did.
@discardableResult
func bindSoon(_ socket: UDPSocket, to address: SocketAddress) async throws -> Bool {
    var isLate = false
    while true {
        let code = await socketErrorCode { try await socket.bind(to: address) }
        guard code == .addressInUse else {
            #expect(code == nil)
            return isLate
        }
        isLate = true
        await Task.yield()
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension SessionConfiguration {
    /// The classic rules, so fast that no test has to wait for a repetition; what must succeed has time on a busy machine.
    static var quick: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.deviceName = "test device"
        configuration.discoverInterval = .milliseconds(40)
        configuration.discoverAttempts = 500
        configuration.acknowledgementTimeout = .seconds(10)
        configuration.addressStagger = .milliseconds(10)
        configuration.disconnectInterval = .milliseconds(40)
        return configuration
    }
}

/// A listener on the loopback interface.
func loopbackListener(
    _ family: AddressFamily = .ipv4,
    configuration: SessionConfiguration = .quick
) async throws -> (SessionListener, SocketAddress) {
    let listener = try await SessionListener.bind(to: [.loopback(family)], configuration: configuration)
    return (listener, .loopback(family, port: listener.port))
}

/// The first element of a sequence; nil where it ends without one.
func first<Elements: AsyncSequence>(of elements: Elements) async throws -> Elements.Element? {
    for try await element in elements { return element }
    return nil
}

/// The code of the error that a call throws; nil if it throws none, or another one.
func socketErrorCode(_ body: () async throws -> Void) async -> SocketError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? SocketError)?.code
    }
}

/// The code of the error that a call throws; nil if it throws none, or another one.
func sessionErrorCode(_ body: () async throws -> Void) async -> SessionError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? SessionError)?.code
    }
}
