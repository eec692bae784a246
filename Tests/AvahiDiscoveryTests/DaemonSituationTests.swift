import DiscoverableCore
import Testing

@testable import AvahiDiscovery

@Suite("Why somebody waited in vain")
struct DaemonSituationTests {
    private let now = Instant(sinceOrigin: .seconds(100))

    private func situation(_ state: DaemonState, callSince: Instant? = nil) -> DaemonSituation {
        var situation = DaemonSituation()
        situation.become(state)
        if let callSince { situation.callBegins(now: callSince) }
        return situation
    }

    @Test("A daemon that works is not to blame", arguments: [DaemonState.registering, .running, .collision])
    func reachable(state: DaemonState) {
        #expect(situation(state).failure(while: "x", now: now) == nil)
    }

    @Test(
        "Without a daemon, the error says how to start it",
        arguments: [DaemonState.idle, .waitingForDaemon, .retrying]
    )
    func absent(state: DaemonState) {
        let error = situation(state).failure(while: "x", now: now)
        #expect(error?.code == .daemonUnavailable)
        #expect(error?.explanation.contains("start avahi-daemon") == true)
    }

    @Test("Without a bus, the error says that it is the bus")
    func noBus() {
        let error = situation(.noBus).failure(while: "x", now: now)
        #expect(error?.code == .daemonUnavailable)
        #expect(error?.explanation.contains("D-Bus") == true)
    }

    @Test("A call that has waited for more than 200 ms is a daemon that hangs, whatever was known before it")
    func hanging() {
        for state in [DaemonState.running, .idle, .waitingForDaemon] {
            let patient = situation(state, callSince: now.advanced(by: .milliseconds(-201)))
            #expect(patient.failure(while: "x", now: now)?.code == .daemonNotResponding)
        }
        let young = situation(.running, callSince: now.advanced(by: .milliseconds(-199)))
        #expect(young.failure(while: "x", now: now) == nil)
    }

    @Test("Calls that got no answer count together, until one gets an answer")
    func unanswered() {
        var situation = situation(.running, callSince: now.advanced(by: .seconds(-50)))
        situation.callEnds(answered: false)
        situation.callBegins(now: now)
        #expect(situation.failure(while: "x", now: now)?.code == .daemonNotResponding)
        situation.callEnds(answered: true)
        #expect(situation.failure(while: "x", now: now) == nil)
    }

    @Test("libavahi's own calls got an answer where they were short")
    func dispatches() {
        for (duration, isAnswered) in [(Duration.seconds(3), true), (.seconds(25), false)] {
            let start = now.advanced(by: .zero - duration)
            var situation = situation(.running, callSince: start)
            situation.dispatchEnds(since: start, now: now)
            #expect((situation.failure(while: "x", now: now) == nil) == isAnswered)
        }
    }

    @Test("Why a client could not be made is told as it is, until the daemon is reached")
    func refusal() {
        var situation = situation(.retrying)
        situation.lastFailure = AvahiFailure(number: -20, call: "avahi_client_new")
        #expect(situation.failure(while: "x", now: now)?.code == .notPermitted)
        situation.become(.running)
        situation.become(.retrying)
        #expect(situation.failure(while: "x", now: now)?.code == .daemonUnavailable)
    }
}
