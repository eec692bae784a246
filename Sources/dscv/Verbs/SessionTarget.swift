internal import Discoverable

/// Whom a verb talks to: a service by its name, a host with its port, or whoever is found first.
struct SessionTarget {
    private enum Place {
        case anybody
        case service(String)
        case address(SocketAddress)
        case host(String, port: UInt16)
    }

    private let place: Place
    private let type: String

    /// The options that `init` reads.
    static let options = [Option.value("type"), .value("name")]

    init(_ arguments: Arguments, verb: String) throws(Exit) {
        guard arguments.operands.count <= 1 else {
            throw .usage("\(verb) takes one peer: a name, or HOST:PORT such as 192.0.2.1:1024")
        }
        place = try arguments.operands.first.map(Self.place) ?? .anybody
        type = arguments.value("type") ?? PeerServer.classicType
        try orExit { () throws(DiscoveryError) in
            _ = try ServiceType(type)
            if case .service(let name) = place { _ = try ServiceName(name) }
        }
    }

    private static func place(_ text: String) throws(Exit) -> Place {
        guard let address = SocketAddress.parse(text, defaultPort: classicPort) else {
            return try hostAndPort(text) ?? .service(text)
        }
        if address.port == 0 { throw .usage("port 0 in \"\(text)\" is no peer's; give one from 1 to 65535") }
        return .address(address)
    }

    /// `HOST:PORT`; nil for anything else, which is then a service's name.
    private static func hostAndPort(_ text: String) throws(Exit) -> Place? {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let (host, digits) = (text[..<colon], text[text.index(after: colon)...])
        let isHost = !host.isEmpty && !host.contains { $0 == " " || $0 == ":" }
        guard isHost, !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        guard let port = UInt16(digits), port > 0 else {
            throw .usage("\"\(digits)\" in \"\(text)\" is no port; give one from 1 to 65535")
        }
        return .host(String(host), port: port)
    }
}

/// The port that the classic server listens on.
let classicPort: UInt16 = 1024

// MARK: - Connecting

extension SessionTarget {
    /// Finds the peer, opens a session with it, and prints what comes of it. Returns nil where the task was cancelled.
    func connect(
        _ configuration: SessionConfiguration,
        _ output: Output,
        _ status: StatusLine?
    ) async throws(Exit) -> (session: Session, report: SessionReport)? {
        guard let (peer, addresses) = try await locate(status) else { return nil }
        var line = Line("connecting")
        line.peer = peer
        if !addresses.isEmpty { line.addresses = addresses.map(\.endpointText) }
        output.print(line)
        status?.show("connecting  \(printable(peer))")
        do throws(SessionError) {
            let session = try await open(addresses, configuration)
            return (session, SessionReport(output: output, peer: peer, status: status))
        } catch {
            if error.code == .cancelled { return nil }
            var line = Line("failed")
            line.peer = peer
            line.reason = error.explanation
            output.print(line)
            throw .failed(error.description)
        }
    }

    private func open(
        _ addresses: [SocketAddress],
        _ configuration: SessionConfiguration
    ) async throws(SessionError) -> Session {
        switch place {
        case .host(let host, let port):
            try await Session.connect(host: host, port: port, configuration: configuration)
        case .anybody, .service, .address:
            try await Session.connect(to: addresses, configuration: configuration)
        }
    }

    /// How the peer is called, and its addresses where they are known before the connecting; nil where the task was
    /// cancelled.
    private func locate(_ status: StatusLine?) async throws(Exit) -> (peer: String, addresses: [SocketAddress])? {
        switch place {
        case .address(let address): (address.endpointText, [address])
        case .host(let host, let port): ("\(host):\(port)", [])
        case .anybody: try await find(nil, status)
        case .service(let name): try await find(name, status)
        }
    }

    private func find(
        _ name: String?,
        _ status: StatusLine?
    ) async throws(Exit) -> (peer: String, addresses: [SocketAddress])? {
        status?.show("looking for \(printable(name ?? type))")
        do throws(DiscoveryError) {
            let peer = try await Peer.find(type, named: name)
            return (peer.name, peer.service.addresses)
        } catch {
            if error.code == .cancelled { return nil }
            throw Exit(error)
        }
    }
}
