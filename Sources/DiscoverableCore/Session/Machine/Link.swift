/// What a session that stands knows of its peer.
struct Link: Sendable {
    enum Role: Sendable {
        case client
        /// With what answers a discover that the client repeats.
        case server(admission: [SessionStatement])
    }

    let peer: SocketAddress
    let role: Role
    var outstanding = OutstandingMessages()
    var strength: Strength
    var roundTripTime = RoundTripTime()
    var lastHeard: Instant
    var unansweredProbes = 0
    /// How many bytes a client whose address may be forged can still be told: it has said nothing but discovers. nil for everybody
    /// else.
    var credit: Int?

    init(peer: SocketAddress, role: Role, configuration: SessionConfiguration, now: Instant) {
        self.peer = peer
        self.role = role
        strength = Strength(window: configuration.strengthWindow, lostBelow: configuration.lostBelowStrength)
        lastHeard = now
    }
}
