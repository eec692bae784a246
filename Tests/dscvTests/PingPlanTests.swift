import Discoverable
import Testing

@testable import dscv

/// One after the other: `getopt_long` has one state for the whole process.
@Suite("What a ping is asked to send", .serialized)
struct PingPlanTests {
    private func plan(_ words: String...) throws -> PingPlan {
        try PingPlan(Arguments(words, options: PingPlan.options))
    }

    @Test("Without options it sends without end, one message a second, and waits as long as the classic client")
    func defaults() throws {
        #expect(try plan() == PingPlan())
        #expect(PingPlan().count == nil && PingPlan().size == nil)
        #expect(PingPlan().interval == .seconds(1) && PingPlan().timeout == .seconds(2))
    }

    @Test("Each option is taken")
    func options() throws {
        let plan = try plan("--count", "7", "--interval", "0", "--timeout=0.25", "--size", "1024")
        #expect(plan.count == 7 && plan.interval == .zero && plan.timeout == .milliseconds(250) && plan.size == 1024)
    }

    @Test("A message has its number, and exactly the size that was asked for", arguments: [1, 4, 6, 7, 100, 1024])
    func sizes(size: Int) {
        var plan = PingPlan()
        #expect(plan.message(12) == "ping 12")
        plan.size = size
        let message = plan.message(12)
        #expect(message.utf8.count == size)
        #expect(message.hasPrefix("ping 12".prefix(size)))
        #expect(message.dropFirst(7).allSatisfy { $0 == "." })
    }

    @Test("No loss ends the session; connecting asks as often as the time-out, but leaves each address its turn")
    func configuration() {
        var plan = PingPlan()
        #expect(plan.configuration.lostBelowStrength == 0)
        #expect(plan.configuration.maximumUnansweredProbes == .max)
        for (timeout, interval) in [
            (Duration.milliseconds(1), Duration.milliseconds(250)), (.milliseconds(50), .milliseconds(250)),
            (.milliseconds(400), .milliseconds(400)), (.seconds(9), .seconds(2)),
        ] {
            plan.timeout = timeout
            #expect(plan.configuration.acknowledgementTimeout == timeout)
            let configuration = plan.configuration
            #expect(configuration.discoverInterval == interval)
            // The time for connecting is that of all greetings; the fourth address still has its turn well before its end.
            let connecting = configuration.discoverInterval * configuration.discoverAttempts
            #expect(connecting > configuration.addressStagger * 3)
        }
    }
}
