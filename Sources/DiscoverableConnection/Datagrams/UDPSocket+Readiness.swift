internal import DiscoverableCore
package import DiscoverableRuntime

extension UDPSocket: ReadinessHandler {
    package nonisolated func becameReady(_ readiness: EpollSet.Readiness, registration: Registration) {
        assumeIsolated { $0.handle(readiness) }
    }

    private func handle(_ readiness: EpollSet.Readiness) {
        guard let channel else { return }
        // Taken in any case: a pending error would wake the loop without end.
        if readiness.contains(.error), let error = channel.takeError() { pendingError = error }
        if readiness.contains(.readable) { fill(from: channel) }
        serveReceivers()
        if readiness.contains(.writable) { flushSenders() }
        watch()
    }

    /// Tells the loop what the socket waits for: data while there is room for it, room while a send waits.
    func watch() {
        guard let channel else { return }
        var interest: EpollSet.Interest = received.count < Self.bufferLimit ? .readable : []
        if !senders.isEmpty { interest.insert(.writable) }
        do throws(UnderlyingError) {
            try channel.watch(interest, handler: self)
        } catch {
            pendingError = error
            serveReceivers()
        }
    }

    /// As `watch`, for a socket on which somebody has waited before: others cost the loop nothing.
    func rewatch() {
        if channel?.isWatched == true { watch() }
    }
}
