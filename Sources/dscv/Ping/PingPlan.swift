internal import Discoverable

/// What `dscv ping` was asked to send.
struct PingPlan: Equatable {
    /// How many messages; nil for no end.
    var count: Int?
    /// The time between two messages; the outcome of the one before is waited for in any case.
    var interval: Duration = .seconds(1)
    /// How long a message waits for its acknowledgement.
    var timeout: Duration = .seconds(2)
    /// The bytes of a message; nil for as many as its text has.
    var size: Int?

    /// The shortest time between two greetings: with a shorter one the connecting would be over before the second address has
    /// its turn.
    static let shortestDiscoverInterval = Duration.milliseconds(250)

    /// The options that `init` reads.
    static let options = ["count", "interval", "timeout", "size"].map(Option.value)

    init() {}

    init(_ arguments: Arguments) throws(Exit) {
        count = try arguments.number("count", in: 1...Int.max, "a number of messages, at least 1")
        size = try arguments.number("size", in: 1...1024, "a number of bytes from 1 to 1024")
        interval = try arguments.seconds("interval") ?? interval
        timeout = try arguments.seconds("timeout") ?? timeout
        if timeout == .zero { throw .usage("--timeout takes more than 0 seconds, such as 0.2") }
    }

    /// The rules of the session: loss is what is measured, so it ends nothing.
    var configuration: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.acknowledgementTimeout = timeout
        configuration.discoverInterval = min(
            max(timeout, Self.shortestDiscoverInterval),
            configuration.discoverInterval
        )
        configuration.lostBelowStrength = 0
        // After a long silence the peer is asked anew, in case it was restarted, however often.
        configuration.maximumUnansweredProbes = .max
        return configuration
    }

    /// The text of a message, which is of ASCII: `ping 7`, filled up or cut to the size that was asked for.
    func message(_ number: Int) -> String {
        let text = "ping \(number)"
        guard let size else { return text }
        return text.prefix(size) + String(repeating: ".", count: max(0, size - text.utf8.count))
    }
}
