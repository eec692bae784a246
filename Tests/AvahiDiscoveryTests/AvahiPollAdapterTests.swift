import CAvahi
import DiscoverableCore
import DiscoverableRuntime
import Glibc
import Testing

@testable import AvahiDiscovery

/// What libdbus does to an `AvahiPoll`, done by hand. Not confined to a loop's thread, which these calls do not need.
@Suite("Avahi's poll API on our loop")
struct AvahiPollAdapterTests {
    /// What a C callback finds behind its userdata.
    final class Record {
        var calls = 0
        var events: UInt32 = 0
        var action: () -> Void = {}

        var pointer: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

        static func at(_ pointer: UnsafeMutableRawPointer?) -> Record? {
            unsafe pointer.map { unsafe Unmanaged<Record>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    private final class Handler: ReadinessHandler {
        func becameReady(_ readiness: EpollSet.Readiness, registration: Registration) {}
    }

    private let loop: EventLoop
    private let handler = Handler()
    private let adapter: AvahiPollAdapter
    private var api: AvahiPoll { unsafe adapter.api.pointee }

    init() throws {
        loop = try EventLoop(name: "poll-test")
        adapter = AvahiPollAdapter(loop: loop, handler: handler)
    }

    private func makeTimeout(_ record: Record, at time: UnsafePointer<timeval>?) -> OpaquePointer? {
        unsafe api.timeout_new(
            adapter.api,
            time,
            { _, userdata in
                guard let record = unsafe Record.at(userdata) else { return }
                record.calls += 1
                record.action()
            },
            record.pointer
        )
    }

    @Test("A time of {0, 0} means at once, once; no time means never")
    func atOnce() {
        let record = Record()
        var zero = timeval()
        let timeout = unsafe makeTimeout(record, at: &zero)
        #expect(adapter.nextDeadline.map { $0 <= MonotonicClock.now } == true)
        adapter.runDueTimeouts()
        adapter.runDueTimeouts()
        #expect(record.calls == 1)
        #expect(adapter.nextDeadline == nil)
        unsafe api.timeout_update(timeout, nil)
        adapter.runDueTimeouts()
        #expect(record.calls == 1)
        unsafe api.timeout_free(timeout)
    }

    @Test("A time in the future is a deadline that is not due yet")
    func later() {
        let record = Record()
        var time = timeval()
        _ = unsafe gettimeofday(&time, nil)
        time.tv_sec += 60
        let timeout = unsafe makeTimeout(record, at: &time)
        adapter.runDueTimeouts()
        #expect(record.calls == 0)
        let wait = adapter.nextDeadline.map { MonotonicClock.now.duration(to: $0) } ?? .zero
        #expect(wait > .seconds(58) && wait <= .seconds(60))
        unsafe api.timeout_free(timeout)
        #expect(adapter.nextDeadline == nil)
    }

    @Test("A callback that asks for another turn at once gets it, a bounded number of times in a row")
    func again() {
        let record = Record()
        var zero = timeval()
        let timeout = unsafe makeTimeout(record, at: &zero)
        record.action = { [api = unsafe api] in
            var zero = timeval()
            unsafe api.timeout_update(timeout, &zero)
        }
        adapter.runDueTimeouts()
        #expect(record.calls > 1 && record.calls < 10_000)
        #expect(adapter.nextDeadline != nil, "what is left is due at once")
        unsafe api.timeout_free(timeout)
    }

    @Test("A callback may free its own time-out and others")
    func freedInside() {
        let (first, second) = (Record(), Record())
        var zero = timeval()
        let firstTimeout = unsafe makeTimeout(first, at: &zero)
        let secondTimeout = unsafe makeTimeout(second, at: &zero)
        first.action = { [api = unsafe api] in
            unsafe api.timeout_free(firstTimeout)
            unsafe api.timeout_free(secondTimeout)
        }
        adapter.runDueTimeouts()
        #expect(first.calls == 1)
        #expect(second.calls == 0)
        #expect(adapter.nextDeadline == nil)
    }
}

extension AvahiPollAdapterTests {
    private func makeWatch(_ record: Record, fd: Int32, event: UInt32) -> OpaquePointer? {
        unsafe api.watch_new(
            adapter.api,
            fd,
            AvahiWatchEvent(rawValue: event),
            { _, _, event, userdata in
                guard let record = unsafe Record.at(userdata) else { return }
                record.calls += 1
                record.events = event.rawValue
                record.action()
            },
            record.pointer
        )
    }

    /// Runs the callbacks of one descriptor; the registration is the loop's first.
    private func ready(_ readiness: EpollSet.Readiness, _ registration: Registration) {
        adapter.descriptorIsReady(registration, readiness)
    }

    private func withPipe(_ body: (_ reader: Int32) throws -> Void) throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try body(ends[0])
    }

    @Test("Two watches of one descriptor each hear what they asked for, and both hear errors")
    func sharedDescriptor() throws {
        try withPipe { fd in
            let (reading, writing) = (Record(), Record())
            let readWatch = unsafe makeWatch(reading, fd: fd, event: AVAHI_WATCH_IN.rawValue)
            // libavahi's own slip: libdbus's flag for writing, 2, where 4 is meant.
            let writeWatch = unsafe makeWatch(writing, fd: fd, event: 2)
            let registration = try #require(adapter.registration(of: fd))
            ready(.readable, registration)
            #expect(reading.calls == 1 && writing.calls == 0)
            ready(.writable, registration)
            #expect(reading.calls == 1 && writing.calls == 1)
            #expect(writing.events == AVAHI_WATCH_OUT.rawValue)
            ready([.error, .hangUp], registration)
            #expect(reading.calls == 2 && writing.calls == 2)
            #expect(reading.events == AVAHI_WATCH_ERR.rawValue | AVAHI_WATCH_HUP.rawValue)
            unsafe api.watch_free(readWatch)
            #expect(adapter.registration(of: fd) == registration, "the other watch still needs it")
            unsafe api.watch_free(writeWatch)
            #expect(adapter.registration(of: fd) == nil)
        }
    }

    @Test("A callback may free the other watch of its descriptor, which then hears nothing")
    func freedWatch() throws {
        try withPipe { fd in
            let (first, second) = (Record(), Record())
            let firstWatch = unsafe makeWatch(first, fd: fd, event: AVAHI_WATCH_IN.rawValue)
            let secondWatch = unsafe makeWatch(second, fd: fd, event: AVAHI_WATCH_IN.rawValue)
            first.action = { [api = unsafe api] in
                unsafe api.watch_free(firstWatch)
                unsafe api.watch_free(secondWatch)
            }
            ready(.readable, try #require(adapter.registration(of: fd)))
            #expect(first.calls == 1 && second.calls == 0)
            #expect(adapter.registration(of: fd) == nil)
        }
    }

    @Test("A descriptor that epoll refuses gives no watch, which libdbus takes for want of memory")
    func refused() {
        let record = Record()
        #expect(unsafe makeWatch(record, fd: -1, event: AVAHI_WATCH_IN.rawValue) == nil)
        #expect(adapter.registration(of: -1) == nil)
    }
}
