internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Synchronization

extension DatagramEngine {
    /// Reads what one call takes, and no more: others on the loop wait meanwhile. What is left makes the loop come back.
    func read() {
        guard let client, !isClosed else { return }
        guard client.hasRoom(on: self) else {
            pauseReading()
            // A consumer on another thread may have made room in between, and have started the reading before it was paused.
            if client.hasRoom(on: self) { resumeReading() }
            return
        }
        for _ in 0..<Self.reportsPerTurn {
            let storage = pool.withValue { $0.storage(layout) }
            let limit = configuration.maximumDatagramSize
            let filling = state.withValue { state in
                let slots = state.pace.slots
                let filling = storage.fill(from: descriptor, limit: limit, slots: slots, drops: &state.drops)
                state.pace.received(storage.messageCount, isAll: filling == .short)
                if !state.groups.isEmpty { storage.removeUnwanted(by: state.groups, drops: &state.drops) }
                return filling
            }
            switch filling {
            case .short, .full:
                guard storage.count > 0 else { return }
                return client.received(DatagramBatch(storage), on: self)
            case .failed(let number):
                switch ReceiveDecision(SystemCondition(errno: number)) {
                case .wait: return
                case .again: continue
                case .waitForMemory: return pauseForMemory()
                case .report:
                    report(.system(number, call: "recvmmsg"))
                    if isClosed { return }
                case .stop: return client.stopped(.system(number, call: "recvmmsg"), on: self)
                }
            }
        }
    }

    /// How many errors of peers one turn takes before others get theirs.
    private static let reportsPerTurn = 16

    private var layout: DatagramStorage.Layout {
        isCoalescing.load(ordering: .relaxed) ? .coalesced : .single(size: configuration.maximumDatagramSize)
    }

    /// Has the kernel join datagrams, where it can. Not before anything is to be received: the first socket of a host that asks
    /// for it, and the last one that goes, make the kernel rewrite code of its own, which takes a tenth of a millisecond.
    func prepareToReceive() {
        // What a kernel without the option drops is not told.
        if configuration.countsDrops { try? descriptor.options.addReceiveMetadata(.drops) }
        guard configuration.usesCoalescing else { return }
        let isSupported = (try? descriptor.options.setReceiveOffload(true)) ?? false
        isCoalescing.store(isSupported, ordering: .relaxed)
    }

    /// A receive call has returned an error of a peer's host. The report that names the peer stands in the error queue.
    private func report(_ error: UnderlyingError) {
        if takeReports() == 0 {
            let report = DatagramReport(peer: nil, reporter: nil, error: error, pathMTU: nil)
            client?.failed(DatagramFailure(report, peer: nil), on: self)
        }
    }

    /// The client closes the socket where it will, also while it is told something: after that its number is another's.
    private var isClosed: Bool { state.withValue { $0.isClosed } }

    /// Takes what waits in the error queue, so that it wakes nobody again.
    @discardableResult
    func takeReports() -> Int {
        var count = 0
        guard !isClosed else { return count }
        descriptor.takeReports { report in
            count += 1
            client?.failed(DatagramFailure(report, peer: nil), on: self)
            return !isClosed
        }
        return count
    }

    /// The system is short of memory: the loop would come back at once, again and again.
    private func pauseForMemory() {
        pauseReading()
        loop.schedule(after: .milliseconds(10)) { [weak self] in self?.resumeReading() }
    }
}
