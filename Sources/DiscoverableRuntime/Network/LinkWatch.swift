internal import CSockets
package import DiscoverableCore

/// Tells when a network interface has come, gone, been renamed or switched on or off. What it is now is asked of the system
/// (`NetworkInterface`); the kernel's message itself, which may be one of many that are lost, is not read.
package final class LinkWatch: ReadinessHandler {
    private let descriptor: FileDescriptor
    private let registration = Locked<Registration?>(nil)
    private let loop: EventLoop
    private let changed: @Sendable () -> Void

    /// Messages that are skipped at a time; what is left makes the descriptor ready again.
    private static let messagesPerTurn = 256

    /// Begins to watch the interfaces of the caller's network namespace.
    ///
    /// - Parameter changed: called on the loop's thread, once for any number of changes at a time, until the watch is dropped.
    /// - Throws: the system's error where the process can have no further descriptor.
    package init(on loop: EventLoop, changed: @escaping @Sendable () -> Void) throws(UnderlyingError) {
        let number = discoverable_link_events_open()
        guard number >= 0 else { throw .lastSystemCall("socket(AF_NETLINK)") }
        descriptor = FileDescriptor(owning: number)
        self.loop = loop
        self.changed = changed
        let registration = try loop.register(number, interest: .readable, handler: self)
        self.registration.withLock { $0 = registration }
    }

    deinit {
        if let registration = registration.withLock({ $0 }) {
            loop.unregister(registration, descriptor: descriptor.rawValue)
        }
    }

    package func becameReady(_ readiness: EpollSet.Readiness, registration: Registration) {
        var left = Self.messagesPerTurn
        while left > 0, discoverable_link_events_skip(descriptor.rawValue) == 1 { left -= 1 }
        changed()
    }
}
