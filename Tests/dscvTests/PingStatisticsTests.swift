import Discoverable
import Testing

@testable import dscv

@Suite("What a ping counts")
struct PingStatisticsTests {
    private func times(_ milliseconds: [Int]) -> RoundTripTimes {
        var times = RoundTripTimes()
        for time in milliseconds { times.add(.milliseconds(time)) }
        return times
    }

    @Test("Percentiles are the nearest rank, the median the middle or the mean of both middle times, in any order")
    func percentiles() {
        let hundred = times((1...100).shuffled())
        #expect(hundred.percentile(0) == .milliseconds(1))
        #expect(hundred.percentile(95) == .milliseconds(95))
        #expect(hundred.percentile(99) == .milliseconds(99))
        #expect(hundred.percentile(100) == .milliseconds(100))
        #expect(hundred.median == .microseconds(50_500))
        #expect(times([9, 1, 4]).median == .milliseconds(4))
        #expect(times([9, 1, 4]).percentile(95) == .milliseconds(9))
        #expect(times([7, 7, 7, 1]).median == .milliseconds(7))
        #expect(times([3]).percentile(0) == .milliseconds(3) && times([3]).median == .milliseconds(3))
    }

    @Test("Without times there are no figures")
    func none() {
        #expect(times([]).median == nil && times([]).percentile(0) == nil && times([]).percentile(100) == nil)
        #expect(PingStatistics().loss == nil)
    }

    @Test("A time counts to the microsecond")
    func resolution() {
        var times = RoundTripTimes()
        times.add(.nanoseconds(1_500))
        times.add(.nanoseconds(1_400))
        #expect(times.percentile(0) == .microseconds(1) && times.percentile(100) == .microseconds(2))
    }
}

@Suite("The summary of a ping")
struct PingSummaryTests {
    private let statistics: PingStatistics

    init() {
        var statistics = PingStatistics()
        let times = [4, nil, 1, 2].map { $0.map { Duration.milliseconds($0) } }
        for (time, strength) in zip(times, [100, 50, 66, 75]) {
            statistics.sent(1)
            statistics.ended(time.map { .acknowledged(roundTripTime: $0) } ?? .lost)
            statistics.strengthChanged(to: strength)
        }
        statistics.sent(1)
        self.statistics = statistics
    }

    @Test("Loss is of the messages with an outcome; what the end cut off is told beside it")
    func counts() {
        let summary = PingSummary(statistics, peer: "Peer")
        #expect(summary.sent == 5 && summary.acknowledged == 3 && summary.lost == 1 && summary.abandoned == 1)
        #expect(summary.loss == 25)
        #expect(summary.rttMin == 0.001 && summary.rttMedian == 0.002 && summary.rttMax == 0.004)
        #expect(summary.rttP95 == 0.004 && summary.rttP99 == 0.004)
    }

    @Test("People get counts, times in milliseconds and a graph that is as wide as the terminal at most")
    func text() {
        let text = PingSummary(statistics, peer: "Peer\u{1b}").text(strengths: statistics.strengths, columns: 13)
        #expect(
            text == """
                Peer\u{fffd}: 5 sent, 3 acknowledged, 1 lost (25.0 %), 1 without outcome
                rtt min/median/p95/p99/max  1.000/2.000/4.000/4.000/4.000 ms
                strength  █▅▆
                """
        )
    }

    @Test("Where nothing was acknowledged there are no times, and where nothing ended no graph")
    func nothing() {
        var statistics = PingStatistics()
        #expect(
            PingSummary(statistics, peer: "P").text(strengths: statistics.strengths, columns: 80)
                == "P: 0 sent, 0 acknowledged, 0 lost"
        )
        statistics.sent(1)
        statistics.ended(.lost)
        statistics.strengthChanged(to: 0)
        #expect(
            PingSummary(statistics, peer: "P").text(strengths: statistics.strengths, columns: 80)
                == "P: 1 sent, 0 acknowledged, 1 lost (100.0 %)\nstrength  ▁"
        )
    }
}

@Suite("The graph of the strength")
struct StrengthHistoryTests {
    /// One outcome for each value.
    private func history(_ strengths: some Sequence<Int>) -> StrengthHistory {
        var history = StrengthHistory()
        for strength in strengths {
            history.addOutcome()
            history.correct(to: strength)
        }
        return history
    }

    @Test("0 % is the lowest block, 100 % the highest, and each eighth has its own")
    func blocks() {
        #expect(history([0, 13, 25, 38, 50, 63, 75, 88, 100]).graph(columns: 80) == "▁▂▃▄▅▆▇██")
        #expect(history([12, 24, 37, 49, 62, 74, 87]).graph(columns: 80) == "▁▂▃▄▅▆▇")
        #expect(history([]).graph(columns: 80) == "")
    }

    @Test("An outcome that changes nothing leaves the strength as it was")
    func unchanged() {
        var history = history([100])
        history.addOutcome()
        history.addOutcome()
        history.correct(to: 50)
        #expect(history.graph(columns: 80) == "██▅")
    }

    @Test("What does not fit shares its block, by the mean")
    func narrow() {
        let history = history([100, 0, 100, 0, 0, 0, 100, 100])
        #expect(history.graph(columns: 4) == "▅▅▁█")
        #expect(history.graph(columns: 1) == "▅")
        #expect(history.graph(columns: 0) == "▅")
        #expect(history.graph(columns: 8) == "█▁█▁▁▁██")
    }

    @Test(
        "However long it is, it fits, and keeps its beginning and its end",
        arguments: [1_024, 1_025, 5_000, 100_000]
    )
    func long(count: Int) {
        let history = history((0..<count).map { $0 < count / 2 ? 0 : 100 })
        let graph = history.graph(columns: 40)
        #expect(graph.count == 40)
        #expect(
            graph.hasPrefix(String(repeating: "▁", count: 18)) && graph.hasSuffix(String(repeating: "█", count: 18))
        )
    }
}

@Suite("What fits into a terminal's width")
struct ClippingTests {
    @Test("A text is cut to the columns that it takes; wide characters take two, and are not cut in half")
    func clipping() {
        #expect(clip("status", toColumns: 10) == "status")
        #expect(clip("status", toColumns: 3) == "sta")
        #expect(clip("東京", toColumns: 3) == "東")
        #expect(clip("🧀ab", toColumns: 3) == "🧀a")
        #expect(clip("👩‍👩‍👧x", toColumns: 2) == "👩‍👩‍👧")
        #expect(clip("é", toColumns: 1) == "é")
        #expect(clip("☺️x", toColumns: 2) == "☺️")
        #expect(clip("x", toColumns: 0) == "" && clip("x", toColumns: -1) == "")
    }
}
