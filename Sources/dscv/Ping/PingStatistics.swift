internal import Discoverable

/// What became of the messages of a ping.
struct PingStatistics {
    private(set) var sent = 0
    private(set) var acknowledged = 0
    private(set) var lost = 0
    private(set) var times = RoundTripTimes()
    private(set) var strengths = StrengthHistory()

    /// How many messages had no outcome when the session ended.
    var abandoned: Int { sent - acknowledged - lost }

    /// How many of the messages with an outcome were lost, in percent; nil where there are none.
    var loss: Double? {
        acknowledged + lost == 0 ? nil : 100 * Double(lost) / Double(acknowledged + lost)
    }

    /// Counts what an event tells.
    mutating func take(_ event: SessionEvent) {
        if event.isSending { sent(1) }
        if let outcome = event.outcome { ended(outcome) }
        if let strength = event.newStrength { strengthChanged(to: strength) }
    }

    mutating func sent(_ count: Int) { sent += count }

    mutating func ended(_ outcome: MessageOutcome) {
        switch outcome {
        case .acknowledged(let time):
            acknowledged += 1
            times.add(time)
        case .lost: lost += 1
        }
        strengths.addOutcome()
    }

    /// The outcome before this has changed the strength.
    mutating func strengthChanged(to strength: Int) { strengths.correct(to: strength) }
}

/// Round-trip times, in whole microseconds. Its memory grows with the number of different times only.
struct RoundTripTimes {
    private var counts: [Int: Int] = [:]
    private var total = 0

    mutating func add(_ time: Duration) {
        counts[Int((time / .microseconds(1)).rounded()), default: 0] += 1
        total += 1
    }

    /// What so many percent of the times do not exceed (the nearest rank): 0 the smallest, 100 the greatest. nil where there
    /// are none.
    func percentile(_ percent: Double) -> Duration? {
        time(atRank: max(1, Int((percent / 100 * Double(total)).rounded(.up))))
    }

    /// The middle time, or the mean of both middle ones.
    var median: Duration? {
        guard let lower = time(atRank: (total + 1) / 2), let upper = time(atRank: total / 2 + 1) else { return nil }
        return (lower + upper) / 2
    }

    /// The time that is in this place, from 1, when they are sorted.
    private func time(atRank rank: Int) -> Duration? {
        var passed = 0
        for (time, count) in counts.sorted(by: { $0.key < $1.key }) {
            passed += count
            if rank >= 1, passed >= rank { return .microseconds(time) }
        }
        return nil
    }
}
