import DiscoverableCore

extension Instant {
    static func seconds(_ seconds: Double) -> Instant { Instant(sinceOrigin: .seconds(seconds)) }
}

let peer = SocketAddress(.v4(IPv4Address(192, 0, 2, 1)), port: 1024)
let otherPeer = SocketAddress(.v6(IPv6Address(high: 0x2001_0db8 << 32, low: 1)), port: 1024)
let stranger = SocketAddress(.v4(IPv4Address(192, 0, 2, 66)), port: 6666)

/// An output of a machine, with its datagram read back.
enum Told: Hashable {
    case says(SessionStatement, to: SocketAddress)
    case happened(SessionEvent)
}

/// A machine and the format of its datagrams, with outputs as values and time in seconds.
struct TestedSession {
    var machine: SessionMachine
    let format: any SessionFormat

    init(configuration: SessionConfiguration = SessionConfiguration(), format: (any SessionFormat)? = nil) {
        self.format = format ?? configuration.format
        machine = SessionMachine(configuration: configuration, format: self.format, deviceName: "tests")
    }

    /// A client that was connected at `seconds`, by a peer that acknowledged its discover.
    static func connectedClient(
        at seconds: Double = 0,
        configuration: SessionConfiguration = SessionConfiguration(),
        format: (any SessionFormat)? = nil
    ) -> TestedSession {
        var session = TestedSession(configuration: configuration, format: format)
        _ = session.connect(to: [peer], at: seconds)
        _ = session.hear(.acknowledgement(nil), at: seconds)
        _ = session.hear(.shake(text: nil), at: seconds)
        return session
    }

    /// A server's session with a client that was admitted at `seconds`, by a discover of `length` bytes.
    static func admittedClient(at seconds: Double = 0, afterDiscoverOf length: Int = 100) -> TestedSession {
        var session = TestedSession()
        session.machine = SessionMachine(
            admitting: peer,
            admission: [.acknowledgement(nil), .shake(text: "server")],
            afterDiscoverOf: length,
            configuration: SessionConfiguration(),
            format: session.format,
            now: .seconds(seconds)
        )
        return session
    }

    mutating func outputs() -> [Told] {
        var told: [Told] = []
        while let output = machine.nextOutput() {
            switch output {
            case .event(let event): told.append(.happened(event))
            case .transmit(let bytes, let address):
                if let statement = format.parse(bytes) { told.append(.says(statement, to: address)) }
            }
        }
        return told
    }

    mutating func connect(to addresses: [SocketAddress], at seconds: Double) -> [Told] {
        machine.connect(to: addresses, now: .seconds(seconds))
        return outputs()
    }

    mutating func hear(_ statement: SessionStatement, from source: SocketAddress = peer, at seconds: Double) -> [Told] {
        _ = reception(of: statement, from: source, at: seconds)
        return outputs()
    }

    mutating func reception(
        of statement: SessionStatement,
        from source: SocketAddress = peer,
        roomForMessage: Bool = true,
        at seconds: Double
    ) -> Reception {
        let bytes = format.encode(statement)
        return machine.receive(bytes.span, from: source, roomForMessage: roomForMessage, now: .seconds(seconds))
    }

    mutating func reach(_ seconds: Double) -> [Told] {
        machine.deadlineReached(now: .seconds(seconds))
        return outputs()
    }

    /// The times of the deadlines that follow, in seconds, with what happened at each; a hundred at the most.
    mutating func run() -> [(at: Double, told: [Told])] {
        var happened: [(Double, [Told])] = []
        while let deadline = machine.nextDeadline, happened.count < 100 {
            let seconds = deadline.at.sinceOrigin / .seconds(1)
            happened.append((seconds, reach(seconds)))
        }
        return happened
    }

    /// Sends a message that must not be refused.
    mutating func mustSend(_ text: String = "message", at seconds: Double) -> MessageID {
        do throws(SendRefusal) {
            let id = try machine.send(text, now: .seconds(seconds))
            _ = outputs()
            return id
        } catch {
            return MessageID(rawValue: 0)
        }
    }

    mutating func refusal(of text: String, at seconds: Double) -> SendRefusal? {
        do throws(SendRefusal) {
            _ = try machine.send(text, now: .seconds(seconds))
            return nil
        } catch {
            return error
        }
    }

    mutating func close(tellingPeer: Bool = true, at seconds: Double) -> [Told] {
        machine.close(tellingPeer: tellingPeer, now: .seconds(seconds))
        return outputs()
    }

    mutating func reject(_ rejection: PeerRejection, from address: SocketAddress = peer, at seconds: Double) -> [Told] {
        machine.peerRejected(rejection, from: address, now: .seconds(seconds))
        return outputs()
    }
}

func disconnects(_ addresses: SocketAddress...) -> [Told] { addresses.map { .says(.disconnect, to: $0) } }
