internal import CSockets
package import DiscoverableCore
internal import Glibc

/// A set of descriptors that are waited for together (`epoll`), level-triggered.
///
/// Members can be changed on any thread, also while another one waits.
package final class EpollSet: Sendable {
    /// What a member is watched for. Errors and hang-ups are always reported.
    package struct Interest: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let readable = Interest(rawValue: 1)
        package static let writable = Interest(rawValue: 2)
    }

    /// What a member is ready for.
    package struct Readiness: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let readable = Readiness(rawValue: 1)
        package static let writable = Readiness(rawValue: 2)
        /// An error is pending. It stays so, and wakes the waiter again and again, until somebody takes the error.
        package static let error = Readiness(rawValue: 4)
        package static let hangUp = Readiness(rawValue: 8)
    }

    /// How many members one wait reports at most; the others follow with the next.
    package static let batchSize = 64

    private let descriptor: FileDescriptor

    package init() throws(UnderlyingError) {
        let number = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard number >= 0 else { throw .lastSystemCall("epoll_create1") }
        descriptor = FileDescriptor(owning: number)
    }

    private var rawDescriptor: Int32 { descriptor.rawValue }

    /// Watches a descriptor; `id` comes back with its readiness. Ids should never be used twice, so that readiness which
    /// was reported before a removal cannot be taken for somebody else's.
    package func add(_ member: Int32, interest: Interest, id: UInt64) throws(UnderlyingError) {
        try control(EPOLL_CTL_ADD, member, interest, id)
    }

    /// Changes what a member is watched for.
    package func modify(_ member: Int32, interest: Interest, id: UInt64) throws(UnderlyingError) {
        try control(EPOLL_CTL_MOD, member, interest, id)
    }

    /// Watches a member no longer; nothing happens where it is none. To be called before the member is closed.
    package func remove(_ member: Int32) {
        _ = epoll_ctl(rawDescriptor, EPOLL_CTL_DEL, member, nil)
    }

    private func control(_ verb: Int32, _ member: Int32, _ interest: Interest, _ id: UInt64) throws(UnderlyingError) {
        var event = unsafe epoll_event()
        unsafe event.events = interest.kernelBits
        unsafe event.data.u64 = id
        let result = unsafe epoll_ctl(rawDescriptor, verb, member, &event)
        guard result == 0 else { throw .lastSystemCall("epoll_ctl") }
    }

    /// Waits until a member is ready and hands each ready one to `body`; returns how many there were.
    ///
    /// - Parameters:
    ///   - timeoutMilliseconds: how long to wait at most; 0 looks and returns, -1 waits for ever.
    ///   - body: gets the id and what it is ready for. It may change the set's members.
    @discardableResult
    package func wait(timeoutMilliseconds: Int32, body: (UInt64, Readiness) -> Void) -> Int {
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.batchSize) { events in
            guard let first = events.baseAddress else { return 0 }
            let count = unsafe discoverable_epoll_wait(
                rawDescriptor,
                first,
                Int32(events.count),
                timeoutMilliseconds
            )
            // A signal's EINTR is a wait that found nothing: the caller comes back anyway.
            guard count > 0 else { return 0 }
            for index in 0..<Int(count) {
                unsafe body(events[index].data.u64, Readiness(kernelBits: events[index].events))
            }
            return Int(count)
        }
    }
}

extension EpollSet.Interest {
    fileprivate var kernelBits: UInt32 {
        (contains(.readable) ? EPOLLIN.rawValue : 0) | (contains(.writable) ? EPOLLOUT.rawValue : 0)
    }
}

extension EpollSet.Readiness {
    fileprivate init(kernelBits bits: UInt32) {
        self = []
        if bits & EPOLLIN.rawValue != 0 { insert(.readable) }
        if bits & EPOLLOUT.rawValue != 0 { insert(.writable) }
        if bits & EPOLLERR.rawValue != 0 { insert(.error) }
        if bits & EPOLLHUP.rawValue != 0 { insert(.hangUp) }
    }
}
