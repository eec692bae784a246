package import DiscoverableCore
internal import Synchronization

/// An object whose descriptor the loop watches.
package protocol ReadinessHandler: AnyObject, Sendable {
    /// Called on the loop's thread, again and again while the descriptor stays ready: an error that is left pending or
    /// data that is neither read nor masked by changing the interest makes the loop spin.
    nonisolated func becameReady(_ readiness: EpollSet.Readiness, registration: Registration)
}

/// A descriptor that a loop watches, by an id that is never used again.
package struct Registration: Sendable, Hashable {
    let id: UInt64
}

extension EventLoop {
    /// Watches a descriptor. The handler is referred to weakly, and an object that is dropped needs no goodbye, unless
    /// `isHeld` says that it is held until `unregister`: that saves 60 ns each time that it is told something.
    package func register(
        _ descriptor: Int32,
        interest: EpollSet.Interest,
        handler: any ReadinessHandler,
        isHeld: Bool = false
    ) throws(UnderlyingError) -> Registration {
        let id = core.state.withLock { $0.registrations.insert(handler, isHeld: isHeld) }
        do throws(UnderlyingError) {
            try core.epoll.add(descriptor, interest: interest, id: id)
        } catch {
            core.forget(id)
            throw error
        }
        return Registration(id: id)
    }

    /// Changes what a registered descriptor is watched for.
    package func update(
        _ registration: Registration,
        descriptor: Int32,
        interest: EpollSet.Interest
    ) throws(UnderlyingError) {
        try core.epoll.modify(descriptor, interest: interest, id: registration.id)
    }

    /// Watches a descriptor no longer. To be called before it is closed. Called on the loop's thread, no readiness is
    /// reported afterwards; called elsewhere, one that is on its way may still arrive.
    package func unregister(_ registration: Registration, descriptor: Int32) {
        core.epoll.remove(descriptor)
        core.forget(registration.id)
    }
}

extension LoopCore {
    /// Tells the handlers what their descriptors are ready for.
    func tellHandlers(_ events: inout [ReadyEvent]) {
        let before = unregistrations.load(ordering: .relaxed)
        for index in events.indices {
            guard let handler = events[index].handler.take() else { continue }
            let registration = events[index].registration
            // A handler that ran before may have removed this registration.
            if unregistrations.load(ordering: .relaxed) != before, !isRegistered(registration) { continue }
            handler.becameReady(events[index].readiness, registration: registration)
        }
        events.removeAll(keepingCapacity: true)
    }

    fileprivate func forget(_ id: UInt64) {
        let held = state.withLock { $0.registrations.remove(id) }
        unregistrations.wrappingAdd(1, ordering: .relaxed)
        withExtendedLifetime(held) {}
    }

    private func isRegistered(_ registration: Registration) -> Bool {
        state.withLock { $0.registrations.contains(registration.id) }
    }
}

/// A descriptor that is ready, with the handler that is to be told.
struct ReadyEvent {
    let registration: Registration
    let readiness: EpollSet.Readiness
    /// Filled in at the beginning of the turn.
    var handler: (any ReadinessHandler)?
}
