import DiscoverableCore

extension Instant {
    static func seconds(_ seconds: Double) -> Instant { Instant(sinceOrigin: .seconds(seconds)) }
}

let peer = SocketAddress(.v4(IPv4Address(192, 0, 2, 1)), port: 1024)
let otherPeer = SocketAddress(.v6(IPv6Address(high: 0x2001_0db8 << 32, low: 1)), port: 1024)
let stranger = SocketAddress(.v4(IPv4Address(192, 0, 2, 66)), port: 6666)

/// A client that was connected at `seconds`, by a peer that acknowledged its discover.
func connectedClient(
    at seconds: Double = 0,
    configuration: SessionConfiguration = SessionConfiguration()
) -> SessionMachine {
    var machine = SessionMachine(configuration: configuration)
    _ = machine.connect(to: [peer], now: .seconds(seconds))
    _ = machine.receive(.acknowledgement, from: peer, now: .seconds(seconds))
    _ = machine.receive(.shake(text: nil), from: peer, now: .seconds(seconds))
    return machine
}

func admittedClient(at seconds: Double = 0) -> SessionMachine {
    SessionMachine(
        admitting: peer,
        admission: [.acknowledgement, .shake(text: "server")],
        configuration: SessionConfiguration(),
        now: .seconds(seconds)
    )
}

extension SessionMachine {
    /// Sends a message that must not be refused.
    mutating func mustSend(_ text: String = "message", at seconds: Double) -> MessageID? {
        guard case .transmit(let id, .payload(text)) = send(text, now: .seconds(seconds)) else { return nil }
        return id
    }
}

extension SessionMachine.ReceiveAction {
    var settlement: Settlement? {
        guard case .settle(let settlement) = self else { return nil }
        return settlement
    }
}

extension SessionMachine.DeadlineAction {
    var settlement: Settlement? {
        guard case .settle(let settlement) = self else { return nil }
        return settlement
    }
}
