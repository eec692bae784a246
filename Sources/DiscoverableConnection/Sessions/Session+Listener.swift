internal import DiscoverableCore
internal import DiscoverableRuntime

/// What a listener asks of its sessions, on the loop that they share.
extension Session {
    /// The client has been admitted.
    func begin() {
        if let peer { eventBroadcast.push(.connected(to: peer)) }
        rearm()
    }

    func beginClosing() {
        perform(machine.close(tellingPeer: true, now: MonotonicClock.now))
        rearm()
    }

    /// The socket is gone, so nobody can be told.
    func listenerVanished() {
        perform(machine.close(tellingPeer: false, now: MonotonicClock.now))
        rearm()
    }
}
