internal import CAvahi
internal import DiscoverableCore
internal import DiscoverableRuntime

/// Avahi's idea of an event loop (`AvahiPoll`) on ours.
///
/// Confined to the connection's loop, like every call into Avahi. Readiness of libdbus's descriptors goes to `handler`, who
/// passes it on to `descriptorIsReady`; when `nextDeadline` has passed, somebody calls `runDueTimeouts`. Both run callbacks
/// of libdbus; those lead to Avahi's own, which only fill the inbox. libdbus may free or change any watch or time-out in
/// any callback, its own too: they are looked up again before each call.
@safe
final class AvahiPollAdapter {
    /// What Avahi gets; valid as long as the adapter lives.
    let api: UnsafeMutablePointer<AvahiPoll>

    private let loop: EventLoop
    private let handler: any ReadinessHandler
    private var watches: [UInt64: PollWatch] = [:]
    private var registrations: [Int32: Registration] = [:]
    private var timeouts: [UInt64: PollTimeout] = [:]
    private var nextID: UInt64 = 0

    /// Callbacks at a time; what is left is due at once, after whatever else waits on the loop.
    private static let callbacksPerTurn = 256

    init(loop: EventLoop, handler: any ReadinessHandler) {
        self.loop = loop
        self.handler = handler
        unsafe api = .allocate(capacity: 1)
        unsafe api.initialize(to: table(userdata: Unmanaged.passUnretained(self).toOpaque()))
    }

    deinit {
        unsafe api.deinitialize(count: 1)
        unsafe api.deallocate()
    }

    /// The earliest time-out that Avahi waits for.
    var nextDeadline: Instant? {
        timeouts.values.lazy.compactMap(\.deadline).min()
    }

    /// How a descriptor is watched; nil where it is not.
    func registration(of fd: Int32) -> Registration? { registrations[fd] }

    /// Runs the callbacks of a descriptor.
    func descriptorIsReady(_ registration: Registration, _ readiness: EpollSet.Readiness) {
        guard let fd = registrations.first(where: { $0.value == registration })?.key else { return }
        let events = watchEvents(readiness)
        for id in watches.values.lazy.filter({ $0.fd == fd }).map(\.id).sorted() {
            guard let watch = watches[id] else { continue }
            let happened = events & (watch.interest | AVAHI_WATCH_ERR.rawValue | AVAHI_WATCH_HUP.rawValue)
            if happened != 0 { watch.call(happened) }
        }
    }

    /// Runs the callbacks of the time-outs that are due. One that a callback sets to "at once" is run too: libdbus asks
    /// that way for each message that it has read already.
    func runDueTimeouts() {
        var budget = Self.callbacksPerTurn
        while budget > 0, let timeout = earliestDueTimeout() {
            timeout.deadline = nil
            timeout.call()
            budget -= 1
        }
    }

    private func earliestDueTimeout() -> PollTimeout? {
        // There are a few at most: one for the messages that wait, one for each call that does.
        var earliest: PollTimeout?
        for timeout in timeouts.values where timeout.deadline != nil {
            if earliest.map({ timeout.isBefore($0) }) ?? true { earliest = timeout }
        }
        guard let deadline = earliest?.deadline, deadline <= MonotonicClock.now else { return nil }
        return earliest
    }
}

// MARK: - Watches

extension AvahiPollAdapter {
    fileprivate func makeWatch(
        fd: Int32,
        interest: UInt32,
        callback: AvahiWatchCallback?,
        userdata: UnsafeMutableRawPointer?
    ) -> PollWatch? {
        nextID += 1
        let watch = unsafe PollWatch(id: nextID, fd: fd, adapter: self, callback: callback, userdata: userdata)
        watch.interest = interest
        watches[nextID] = watch
        do {
            try register(fd)
            return watch
        } catch {
            // libdbus gives up the connection for want of memory, which is what it is.
            watches[watch.id] = nil
            return nil
        }
    }

    fileprivate func update(_ watch: PollWatch, interest: UInt32) {
        watch.interest = interest
        do {
            try register(watch.fd)
        } catch {
            preconditionFailure("epoll does not change what it watches a descriptor for: \(error)")
        }
    }

    fileprivate func remove(_ watch: PollWatch) {
        watches[watch.id] = nil
        if watches.values.contains(where: { $0.fd == watch.fd }) { return update(watch, interest: 0) }
        if let registration = registrations.removeValue(forKey: watch.fd) {
            loop.unregister(registration, descriptor: watch.fd)
        }
    }

    /// libdbus watches its socket for reading and for writing apart; epoll knows a descriptor once.
    private func register(_ fd: Int32) throws(UnderlyingError) {
        let events = watches.values.reduce(0) { $1.fd == fd ? $0 | $1.interest : $0 }
        var interest: EpollSet.Interest = []
        if events & AVAHI_WATCH_IN.rawValue != 0 { interest.insert(.readable) }
        if events & AVAHI_WATCH_OUT.rawValue != 0 { interest.insert(.writable) }
        if let registration = registrations[fd] {
            try loop.update(registration, descriptor: fd, interest: interest)
        } else {
            registrations[fd] = try loop.register(fd, interest: interest, handler: handler)
        }
    }
}

/// Avahi's events of what epoll tells.
private func watchEvents(_ readiness: EpollSet.Readiness) -> UInt32 {
    var events: UInt32 = 0
    if readiness.contains(.readable) { events |= AVAHI_WATCH_IN.rawValue }
    if readiness.contains(.writable) { events |= AVAHI_WATCH_OUT.rawValue }
    if readiness.contains(.error) { events |= AVAHI_WATCH_ERR.rawValue }
    if readiness.contains(.hangUp) { events |= AVAHI_WATCH_HUP.rawValue }
    return events
}

/// What stands behind Avahi's opaque `AvahiWatch`.
@safe
private final class PollWatch {
    let id: UInt64
    let fd: Int32
    unowned let adapter: AvahiPollAdapter
    var interest: UInt32 = 0
    private(set) var happened: UInt32 = 0
    private let callback: AvahiWatchCallback?
    private let userdata: UnsafeMutableRawPointer?

    init(
        id: UInt64,
        fd: Int32,
        adapter: AvahiPollAdapter,
        callback: AvahiWatchCallback?,
        userdata: UnsafeMutableRawPointer?
    ) {
        self.id = id
        self.fd = fd
        self.adapter = adapter
        unsafe self.callback = callback
        unsafe self.userdata = userdata
    }

    var pointer: OpaquePointer { unsafe OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

    static func at(_ pointer: OpaquePointer) -> PollWatch {
        unsafe Unmanaged<PollWatch>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    func call(_ events: UInt32) {
        happened = events
        unsafe callback?(pointer, fd, AvahiWatchEvent(rawValue: events), userdata)
        happened = 0
    }
}

// MARK: - Time-outs

extension AvahiPollAdapter {
    fileprivate func makeTimeout(
        deadline: Instant?,
        callback: AvahiTimeoutCallback?,
        userdata: UnsafeMutableRawPointer?
    ) -> PollTimeout {
        nextID += 1
        let timeout = unsafe PollTimeout(id: nextID, adapter: self, callback: callback, userdata: userdata)
        timeout.deadline = deadline
        timeouts[nextID] = timeout
        return timeout
    }

    fileprivate func remove(_ timeout: PollTimeout) {
        timeouts[timeout.id] = nil
    }
}

/// What stands behind Avahi's opaque `AvahiTimeout`.
@safe
private final class PollTimeout {
    let id: UInt64
    unowned let adapter: AvahiPollAdapter
    /// nil while disabled; a time-out is disabled when it is called.
    var deadline: Instant?
    private let callback: AvahiTimeoutCallback?
    private let userdata: UnsafeMutableRawPointer?

    init(id: UInt64, adapter: AvahiPollAdapter, callback: AvahiTimeoutCallback?, userdata: UnsafeMutableRawPointer?) {
        self.id = id
        self.adapter = adapter
        unsafe self.callback = callback
        unsafe self.userdata = userdata
    }

    var pointer: OpaquePointer { unsafe OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

    static func at(_ pointer: OpaquePointer) -> PollTimeout {
        unsafe Unmanaged<PollTimeout>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    func isBefore(_ other: PollTimeout) -> Bool {
        guard let mine = deadline, let others = other.deadline else { return deadline != nil }
        return (mine, id) < (others, other.id)
    }

    func call() {
        unsafe callback?(pointer, userdata)
    }
}

/// The moment of a wall-clock time; NULL means disabled, and {0, 0} lies so long ago that it means at once.
private func instant(_ time: UnsafePointer<timeval>?) -> Instant? {
    guard let time = unsafe time else { return nil }
    let age = unsafe avahi_age(time)
    return MonotonicClock.now.advanced(by: .microseconds(max(0, -age)))
}

// MARK: - The table of C functions

/// libavahi passes on libdbus's own flag for writing, 2, when it changes a watch, where it should pass 4.
private func interest(_ event: AvahiWatchEvent) -> UInt32 {
    event.rawValue & 2 == 0 ? event.rawValue : event.rawValue | AVAHI_WATCH_OUT.rawValue
}

private func adapter(_ api: UnsafePointer<AvahiPoll>?) -> AvahiPollAdapter {
    guard let userdata = unsafe api?.pointee.userdata else { preconditionFailure("Avahi lost its poll API") }
    return unsafe Unmanaged<AvahiPollAdapter>.fromOpaque(userdata).takeUnretainedValue()
}

private func table(userdata: UnsafeMutableRawPointer) -> AvahiPoll {
    unsafe AvahiPoll(
        userdata: userdata,
        watch_new: { api, fd, event, callback, userdata in
            let adapter = unsafe adapter(api)
            return unsafe adapter.makeWatch(fd: fd, interest: interest(event), callback: callback, userdata: userdata)?
                .pointer
        },
        watch_update: { watch, event in
            guard let watch = unsafe watch.map({ unsafe PollWatch.at($0) }) else { return }
            watch.adapter.update(watch, interest: interest(event))
        },
        watch_get_events: { watch in
            AvahiWatchEvent(rawValue: unsafe watch.map { unsafe PollWatch.at($0).happened } ?? 0)
        },
        watch_free: { watch in
            guard let watch = unsafe watch.map({ unsafe PollWatch.at($0) }) else { return }
            watch.adapter.remove(watch)
        },
        timeout_new: { api, time, callback, userdata in
            let adapter = unsafe adapter(api)
            return unsafe adapter.makeTimeout(deadline: instant(time), callback: callback, userdata: userdata).pointer
        },
        timeout_update: { timeout, time in
            unsafe timeout.map { unsafe PollTimeout.at($0) }?.deadline = unsafe instant(time)
        },
        timeout_free: { timeout in
            guard let timeout = unsafe timeout.map({ unsafe PollTimeout.at($0) }) else { return }
            timeout.adapter.remove(timeout)
        }
    )
}
