internal import DiscoverableCore
internal import DiscoverableRuntime

/// What a listener asks of its sessions, on the loop that they share.
extension Session {
    /// The client has been admitted.
    func begin() { carryOut() }

    func beginClosing() {
        machine.close(tellingPeer: true, now: MonotonicClock.now)
        carryOut()
    }

    /// Its place is needed.
    func displace() {
        machine.displace()
        carryOut()
    }

    /// The socket is gone, so nobody can be told.
    func listenerVanished() {
        machine.close(tellingPeer: false, now: MonotonicClock.now)
        carryOut()
    }
}
