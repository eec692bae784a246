internal import DiscoverableCore
internal import FuzzSupport

extension FuzzWorld {
    private enum Act {
        case connect, deliver, deliverCut, deliverWithoutRoom, drop, duplicate, pass, passHours, reachDeadlines,
            jumpClock
        case clientSends, serverSends, clientCloses, serverCloses, clientIsRejected, serverIsRejected
        case strangerSpeaks, peerSpeaks, garbage
    }

    /// What happens often stands here more than once.
    private static let acts: [Act] = [
        .connect, .connect, .deliver, .deliver, .deliver, .deliver, .deliver, .drop, .duplicate, .pass, .pass,
        .passHours, .reachDeadlines, .reachDeadlines, .jumpClock, .clientSends, .clientSends, .serverSends,
        .serverSends, .clientCloses, .serverCloses, .clientIsRejected, .serverIsRejected, .strangerSpeaks,
        .strangerSpeaks, .peerSpeaks, .garbage, .deliverCut, .deliverWithoutRoom,
    ]

    private static let words = [
        "dscv_discover", "dscv_discover:a name", "dscv_shake", "dscv_shake:a text", "dscv_ack", "dscv_disconnect",
        "a message", "", "dscv_", "astv_discover",
    ]

    private static let texts = [
        "a message", "please dscv_disconnect", "dscv_ack", "", String(repeating: "x", count: 1025),
    ]

    /// One thing happens.
    func act() {
        switch choices.one(of: Self.acts) {
        case .connect: addClient(connectingTo: chooseAddresses())
        case .deliver: if let packet = takePacket() { deliver(packet) }
        case .deliverCut: if let packet = takePacket() { deliver(packet, .cut) }
        case .deliverWithoutRoom: if let packet = takePacket() { deliver(packet, .withoutRoom) }
        case .drop: _ = takePacket()
        case .duplicate: if let packet = takePacket(keeping: true) { deliver(packet) }
        // Time passes without that anybody is woken: timers are late.
        case .pass: pass(.milliseconds(20 * choices.below(255)))
        case .passHours: pass(.seconds(600 * choices.below(64)))
        case .reachDeadlines: reachDeadlines()
        case .jumpClock: jumpClock()
        case .clientSends: chooseClient()?.send(choices.one(of: Self.texts), now: now)
        case .serverSends: withSession { $0.send(choices.one(of: Self.texts), now: now) }
        case .clientCloses: chooseClient()?.close(tellingPeer: choices.below(2) == 0, now: now)
        case .serverCloses: withSession { $0.close(tellingPeer: choices.below(2) == 0, now: now) }
        case .clientIsRejected: chooseClient()?.reject(chooseRejection(), from: chooseAddress(), now: now)
        case .serverIsRejected: withSession { $0.reject(chooseRejection(), from: chooseAddress(), now: now) }
        case .strangerSpeaks: say(chooseWord(), from: choices.one(of: Self.strangers))
        case .peerSpeaks: say(chooseWord(), from: chooseAddress())
        case .garbage: say(choices.bytes(choices.below(16)), from: chooseAddress())
        }
    }

    /// Anybody's datagram arrives at once, also one in another's name.
    private func say(_ bytes: [UInt8], from source: SocketAddress) {
        deliver(Packet(source: source, destination: chooseAddress(), bytes: bytes))
    }

    /// A computer has slept, or its clock is set back, which none should be.
    private func jumpClock() {
        let seconds = 30 * choices.below(128)
        chooseClient()?.jumpClock(by: .seconds(choices.below(4) == 0 ? -seconds : seconds))
    }

    private func chooseWord() -> [UInt8] { Array(choices.one(of: Self.words).utf8) }

    private func chooseRejection() -> PeerRejection { choices.below(2) == 0 ? .refused : .unreachable }

    private func chooseAddress() -> SocketAddress {
        choices.one(of: [Self.serverAddress, Self.strangers[0]] + clients.map(\.address))
    }

    private func chooseAddresses() -> [SocketAddress] {
        let (server, other, third) = (Self.serverAddress, Self.strangers[0], Self.strangers[1])
        return choices.one(of: [[server], [server], [other, server], [server, server], [other, third, server], []])
    }
}
