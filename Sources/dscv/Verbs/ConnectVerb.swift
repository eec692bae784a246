internal import Discoverable

/// `dscv connect [NAME | HOST:PORT]`: sends the lines of standard input, prints what comes, and closes at the input's end.
struct ConnectVerb {
    private let target: String?
    private let type: String
    private let deviceName: String?
    private let output: Output

    init(_ words: [String]) throws(Exit) {
        let arguments = try Arguments(words, options: [.value("type"), .value("name")])
        guard arguments.operands.count <= 1 else {
            throw .usage("connect takes one peer: a name, or HOST:PORT such as 192.0.2.1:1024")
        }
        target = arguments.operands.first
        type = arguments.value("type") ?? defaultSessionType
        deviceName = arguments.value("name")
        output = Output(asJSON: arguments.has("json"))
        _ = try orExit { () throws(DiscoveryError) in try ServiceType(type) }
    }

    func run() async throws(Exit) {
        let (addresses, peer) = try await locate()
        var configuration = SessionConfiguration()
        configuration.deviceName = deviceName
        let session: Session
        do throws(SessionError) {
            session = try await Session.connect(to: addresses, configuration: configuration)
        } catch {
            if Task.isCancelled { return }
            throw .failed(error.description)
        }
        try await talk(session, peer: peer)
    }

    /// The lines go out one after the other, each when the one before has its outcome. Their end, or an interruption, closes
    /// the session, and that ends the printing.
    private func talk(_ session: Session, peer: String) async throws(Exit) {
        let report = SessionReport(output: output, peer: peer)
        let printing = Task { await report.follow(session.events) }
        let sending = Task {
            await sendLines(to: session)
            await session.close()
        }
        let end = await withTaskCancellationHandler {
            await printing.value
        } onCancel: {
            sending.cancel()
        }
        sending.cancel()
        guard let end, end != .closed(.closedLocally), end != .closed(.closedByPeer) else { return }
        throw .failed("the session with \(peer) broke; see the lines above")
    }

    private func sendLines(to session: Session) async {
        for await line in InputLines.read() {
            do throws(SessionError) {
                try await session.send(line)
            } catch {
                switch error.code {
                // The report has told it.
                case .notAcknowledged: continue
                case .closed, .notConnected, .cancelled: return
                case .connectFailed, .emptyMessage, .messageTooLong, .messageContainsProtocolWord, .tooManyOutstanding,
                    .socket:
                    output.note(error.description)
                }
            }
        }
    }

    private func locate() async throws(Exit) -> ([SocketAddress], peer: String) {
        if let target, let address = SocketAddress.parse(target) { return ([address], address.endpointText) }
        if let target, let (host, port) = splitHostAndPort(target) {
            do throws(SocketError) {
                return (try await SocketAddress.resolve(host: host, port: port), target)
            } catch {
                throw .failed(error.description)
            }
        }
        let peer = try await orExit { () async throws(DiscoveryError) in try await Peer.find(type, named: target) }
        return (peer.service.addresses, peer.name)
    }
}

/// The type that the classic server publishes.
let defaultSessionType = "_discoverable._udp"

/// `host:port` where the port is a number; nil for anything else, which is then a service's name.
private func splitHostAndPort(_ text: String) -> (host: String, port: UInt16)? {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    let host = text[..<colon]
    return host.isEmpty || host.contains(" ") || host.contains(":") ? nil : (String(host), port)
}
