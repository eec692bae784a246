import DiscoverableCore
import Testing

@Suite("The link to the daemon: when it tries again")
struct DaemonLinkTimingTests {
    private var link = DaemonLink()
    private var now = Instant.origin

    @Test(
        "A daemon that lived is looked for at once; then after 50 ms, doubling up to a second",
        arguments: [true, false]
    )
    mutating func backOff(busMissing: Bool) {
        live(for: .seconds(60))
        #expect(pauseAfterLoss() == .zero)
        for milliseconds in [50, 100, 200, 400, 800, 1_000, 1_000, 1_000] {
            #expect(link.deadlineReached(now: now) == .openClient)
            #expect(link.clientOpenFailed(busMissing: busMissing, now: now) == .none)
            #expect(waitForDeadline() == .milliseconds(milliseconds))
        }
    }

    @Test("Connections that die at once are as hasty as failures to connect, whatever they had reached")
    mutating func hastyConnections() {
        _ = link.start(now: now)
        for milliseconds in [50, 100, 200, 400, 800, 1_000, 1_000] {
            _ = link.clientReported(.running)
            #expect(pauseAfterLoss() == .milliseconds(milliseconds))
            #expect(link.deadlineReached(now: now) == .openClient)
        }
    }

    @Test("A thousand failures still wait a second")
    mutating func manyFailures() {
        _ = link.start(now: now)
        for _ in 0..<1_000 {
            _ = link.clientOpenFailed(busMissing: true, now: now)
            _ = waitForDeadline()
            _ = link.deadlineReached(now: now)
        }
        _ = link.clientOpenFailed(busMissing: true, now: now)
        #expect(waitForDeadline() == DaemonLink.longestPause)
    }

    @Test("A life of a second clears the record", arguments: [(999, 200), (1_000, 0)])
    mutating func longLife(milliseconds: Int, pause: Int) {
        _ = link.start(now: now)
        for _ in 0..<2 {
            _ = link.clientOpenFailed(busMissing: false, now: now)
            _ = waitForDeadline()
            _ = link.deadlineReached(now: now)
        }
        _ = link.clientReported(.running)
        now = now.advanced(by: .milliseconds(milliseconds))
        #expect(pauseAfterLoss() == .milliseconds(pause))
    }

    @Test(
        "A client that has waited for five seconds is replaced at once, for a daemon that hung makes itself known to no old one"
    )
    mutating func watchdog() {
        _ = link.start(now: now)
        _ = link.clientIsWaiting(now: now)
        for _ in 0..<3 {
            #expect(waitForDeadline() == DaemonLink.checkInterval)
            #expect(link.deadlineReached(now: now) == .closeClient)
            #expect(waitForDeadline() == .zero)
            #expect(link.deadlineReached(now: now) == .openClient)
            #expect(link.clientIsWaiting(now: now) == .none)
        }
    }

    @Test("A client that the daemon left takes part in no watchdog")
    mutating func connectedHasNoDeadline() {
        _ = link.start(now: now)
        _ = link.clientIsWaiting(now: now)
        _ = link.clientReported(.running)
        #expect(link.nextDeadline == nil)
        #expect(link.deadlineReached(now: .seconds(1_000)) == .none)
        #expect(link.daemonState == .running)
    }

    private mutating func live(for duration: Duration) {
        _ = link.start(now: now)
        _ = link.clientReported(.running)
        now = now.advanced(by: duration)
    }

    private mutating func pauseAfterLoss() -> Duration? {
        #expect(link.connectionLost(now: now) == .closeClient)
        return waitForDeadline()
    }

    /// Goes to the next deadline, and says how far that was.
    private mutating func waitForDeadline() -> Duration? {
        guard let deadline = link.nextDeadline else { return nil }
        defer { now = deadline }
        return now.duration(to: deadline)
    }
}
