import DiscoverableCore
import Testing

@Suite("The link to the daemon: every state and verb")
struct DaemonLinkTests {
    enum Situation: CaseIterable {
        case idle, opening, waiting, registering, running, collision, pausing, pausingWithoutBus

        /// A link that got here at 10 s after a life of ten seconds, so that no back-off is left from before.
        var link: DaemonLink {
            var link = DaemonLink()
            if self == .idle { return link }
            _ = link.start(now: .origin)
            switch self {
            case .idle, .opening: break
            case .waiting: _ = link.clientIsWaiting(now: .seconds(10))
            case .registering: _ = link.clientReported(.registering)
            case .running: _ = link.clientReported(.running)
            case .collision: _ = link.clientReported(.collision)
            case .pausing: _ = link.clientOpenFailed(busMissing: false, now: .seconds(10))
            case .pausingWithoutBus: _ = link.clientOpenFailed(busMissing: true, now: .seconds(10))
            }
            return link
        }

        var daemonState: DaemonState {
            switch self {
            case .idle: .idle
            case .opening, .pausing: .retrying
            case .waiting: .waitingForDaemon
            case .registering: .registering
            case .running: .running
            case .collision: .collision
            case .pausingWithoutBus: .noBus
            }
        }
    }

    enum Verb: CaseIterable {
        case start, openFailed, openFailedWithoutBus, isWaiting, reportedRegistering, reportedRunning, reportedCollision
        case connectionLost, deadlineTooEarly, deadline

        func callAsFunction(_ link: inout DaemonLink) -> DaemonLink.Action {
            let now = Instant.seconds(20)
            return switch self {
            case .start: link.start(now: now)
            case .openFailed: link.clientOpenFailed(busMissing: false, now: now)
            case .openFailedWithoutBus: link.clientOpenFailed(busMissing: true, now: now)
            case .isWaiting: link.clientIsWaiting(now: now)
            case .reportedRegistering: link.clientReported(.registering)
            case .reportedRunning: link.clientReported(.running)
            case .reportedCollision: link.clientReported(.collision)
            case .connectionLost: link.connectionLost(now: now)
            case .deadlineTooEarly: link.deadlineReached(now: .seconds(10))
            case .deadline: link.deadlineReached(now: now)
            }
        }
    }

    typealias Outcome = (action: DaemonLink.Action, state: DaemonState)

    /// What a verb causes; nil where it must change nothing.
    static func outcome(_ situation: Situation, _ verb: Verb) -> Outcome? {
        switch (situation, verb) {
        case (.idle, .start): (.openClient, .retrying)
        case (.idle, _): nil
        case (.pausing, .deadline), (.pausingWithoutBus, .deadline): (.openClient, .retrying)
        case (.pausing, _), (.pausingWithoutBus, _): nil
        case (_, .start), (_, .deadlineTooEarly): nil
        case (.opening, .openFailed): (.none, .retrying)
        case (.opening, .openFailedWithoutBus): (.none, .noBus)
        case (_, .openFailed), (_, .openFailedWithoutBus): nil
        case (.opening, .isWaiting), (.waiting, .isWaiting): (.none, .waitingForDaemon)
        case (_, .isWaiting), (_, .connectionLost): (.closeClient, .retrying)
        case (_, .reportedRegistering): (.openObjects, .registering)
        case (_, .reportedCollision): (.openObjects, .collision)
        case (_, .reportedRunning): (.openObjectsAndRegister, .running)
        case (.waiting, .deadline): (.closeClient, .retrying)
        case (_, .deadline): nil
        }
    }

    @Test(
        "A verb does what the table says, and nothing where it says nothing",
        arguments: Situation.allCases,
        Verb.allCases
    )
    func transition(situation: Situation, verb: Verb) {
        var link = situation.link
        #expect(link.daemonState == situation.daemonState)
        let deadline = link.nextDeadline
        let action = verb(&link)
        guard let outcome = Self.outcome(situation, verb) else {
            #expect(action == .none)
            #expect(link.daemonState == situation.daemonState)
            #expect(link.nextDeadline == deadline)
            return
        }
        #expect(action == outcome.action)
        #expect(link.daemonState == outcome.state)
    }

    @Test("The daemon can be asked exactly while it is connected, whatever its host name's fate")
    func reachable() {
        let reachable = Situation.allCases.filter(\.link.daemonState.isReachable)
        #expect(reachable == [.registering, .running, .collision])
    }

    @Test("Only a client that waits and a pause have a deadline")
    func deadlines() {
        for situation in Situation.allCases {
            let hasDeadline = [.waiting, .pausing, .pausingWithoutBus].contains(situation)
            #expect((situation.link.nextDeadline != nil) == hasDeadline, "\(situation)")
        }
    }
}
