internal import DiscoverableCore
internal import DiscoverableRuntime

extension DatagramEngine {
    /// Reads what one call takes, and no more: others on the loop wait meanwhile. What is left makes the loop come back.
    func read() {
        guard let client else { return }
        guard client.hasRoom(on: self) else {
            pauseReading()
            // A consumer on another thread may have made room in between, and have started the reading before it was paused.
            if client.hasRoom(on: self) { resumeReading() }
            return
        }
        for _ in 0..<Self.reportsPerTurn {
            let storage = loop.datagrams.withValue { $0.storage(layout) }
            let limit = configuration.maximumDatagramSize
            let filling = state.withValue { storage.fill(from: descriptor, limit: limit, drops: &$0.drops) }
            switch filling {
            case .short, .full:
                return client.received(DatagramBatch(storage), on: self)
            case .failed(let condition, let error):
                switch ReceiveDecision(condition) {
                case .wait: return
                case .again: continue
                case .report: report(error)
                case .stop: return client.stopped(error, on: self)
                }
            }
        }
    }

    /// How many errors of peers one turn takes before others get theirs.
    private static let reportsPerTurn = 16

    private var layout: DatagramStorage.Layout {
        configuration.usesCoalescing ? .coalesced : .single(size: configuration.maximumDatagramSize)
    }

    /// A receive call has returned an error of a peer's host. The report that names the peer stands in the error queue.
    private func report(_ error: UnderlyingError) {
        if takeReports() == 0 {
            let report = DatagramReport(peer: nil, reporter: nil, error: error, pathMTU: nil)
            client?.failed(DatagramFailure(report, peer: nil), on: self)
        }
    }

    /// Takes what waits in the error queue, so that it wakes nobody again. On any thread.
    @discardableResult
    func takeReports() -> Int {
        var count = 0
        descriptor.takeReports { report in
            count += 1
            client?.failed(DatagramFailure(report, peer: nil), on: self)
        }
        return count
    }
}
