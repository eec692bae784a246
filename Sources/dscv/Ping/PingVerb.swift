internal import Discoverable

/// `dscv ping [NAME | HOST:PORT]`: sends messages one after the other and tells how they fare.
struct PingVerb {
    private let target: SessionTarget
    private let plan: PingPlan
    private let deviceName: String?
    private let endsPeer: Bool
    private let output: Output

    init(_ words: [String]) throws(Exit) {
        let arguments = try Arguments(words, options: SessionTarget.options + PingPlan.options + [.flag("end-peer")])
        target = try SessionTarget(arguments, verb: "ping")
        plan = try PingPlan(arguments)
        deviceName = arguments.value("name")
        endsPeer = arguments.has("end-peer")
        output = Output(arguments)
    }

    func run() async throws(Exit) {
        let status = StatusLine.make(for: output)
        defer { status?.end() }
        var configuration = plan.configuration
        configuration.deviceName = deviceName
        guard let (session, report) = try await target.connect(configuration, output, status) else { return }
        let statistics = await ping(session, report.brief)
        status?.end()
        let summary = PingSummary(statistics, peer: report.peer)
        output.print(summary) { columns in summary.text(strengths: statistics.strengths, columns: columns) }
        guard statistics.acknowledged == 0, !Task.isCancelled else { return }
        throw .failed(
            "\(report.peer) acknowledged no message; see that it still runs and that no firewall drops UDP, or give it a "
                + "longer --timeout"
        )
    }

    /// Sends until all is sent, the task is cancelled or the peer ends the session.
    private func ping(_ session: Session, _ report: SessionReport) async -> PingStatistics {
        let (outcomes, outcome) = AsyncStream.makeStream(of: Void.self)
        let reporting = Task {
            var statistics = PingStatistics()
            await report.follow(session) { event in
                statistics.take(event)
                if event.outcome != nil { outcome.yield() }
            }
            outcome.finish()
            return statistics
        }
        let sending = Task {
            await sendMessages(to: session, outcomes)
            await session.close(endingPeer: endsPeer)
        }
        let statistics = await withTaskCancellationHandler {
            await reporting.value
        } onCancel: {
            sending.cancel()
        }
        sending.cancel()
        await sending.value
        return statistics
    }

    /// Each message waits until the outcome of the one before is known and printed: a classic acknowledgement does not say
    /// for which message it is.
    private func sendMessages(to session: Session, _ outcomes: AsyncStream<Void>) async {
        var outcomes = outcomes.makeAsyncIterator()
        var due = ContinuousClock.now
        for number in 1...(plan.count ?? .max) {
            do throws(SessionError) {
                try await session.send(plan.message(number))
            } catch {
                // That it was lost is an outcome; all else ends the session, or has ended it.
                guard error.code == .notAcknowledged else { return }
            }
            guard await outcomes.next() != nil, number != plan.count else { return }
            due = max(due + plan.interval, .now)
            guard (try? await Task.sleep(until: due, clock: .continuous)) != nil else { return }
        }
    }
}
