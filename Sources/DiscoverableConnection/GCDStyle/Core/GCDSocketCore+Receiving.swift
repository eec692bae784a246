internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Dispatch
internal import Foundation
internal import Synchronization

extension GCDSocketCore: DatagramEngineClient {
    // MARK: The loop's side

    func hasRoom(on engine: DatagramEngine) -> Bool {
        inlet.withLock { $0.hasRoom() }
    }

    func received(_ batch: DatagramBatch, on engine: DatagramEngine) {
        let limit = configuration.limit(engine.family)
        let target = inlet.withLock { inlet -> GCDTarget? in
            guard inlet.engines.contains(where: { $0 === engine }) else { return nil }
            inlet.add(batch, limit: limit)
            return handOut(&inlet)
        }
        if let target { schedule(target) }
    }

    // MARK: The app's side

    func receive(_ mode: GCDReceiveMachine.Mode) throws {
        // What was sent before opens the socket.
        if !isOpen { onQueue { drain() } }
        do throws(GCDFailure) {
            try check { sender throws(GCDRefusal) in try sender.lifecycle.checkReceive() }
        } catch {
            throw error.appError("receiving")
        }
        change(to: mode)
    }

    func pauseReceiving() { change(to: .paused) }

    private func change(to mode: GCDReceiveMachine.Mode) {
        handOut { inlet in
            let isContinuous = inlet.machine.mode == .continuous
            guard inlet.machine.change(to: mode) else { return }
            // What is being told of many at once goes back, where it is no longer wanted so.
            if isContinuous { self.stamp.add(1, ordering: .releasing) }
        }
    }

    func setReceiveFilter(_ filter: GCDFilter<GCDAsyncUdpSocketReceiveFilterBlock>?) {
        let old = inlet.withLock { inlet in
            defer { inlet.filter = filter }
            return inlet.filter
        }
        withExtendedLifetime(old) {}
    }

    // MARK: Handing out

    /// Changes what is wanted or there, and hands out what can be.
    func handOut(after change: @Sendable (inout GCDInlet) -> Void) {
        let (target, engines) = inlet.withLock { inlet -> (GCDTarget?, [DatagramEngine]) in
            change(&inlet)
            let target = handOut(&inlet)
            return (target, inlet.enginesToStart())
        }
        if let target { schedule(target) }
        start(engines)
    }

    /// Both families at one moment: neither has its datagrams told before the other's begin.
    private func start(_ engines: [DatagramEngine]) {
        guard engines.count > 1 else { return engines.first?.resumeReading() ?? () }
        loop.execute { for engine in engines { engine.resumeReading() } }
    }

    /// In the order of arrival, and so under the lock; returns the target where somebody has to see to it that it is told.
    private func handOut(_ inlet: inout GCDInlet) -> GCDTarget? {
        var unscheduled: GCDTarget?
        while let work = inlet.next(stamp: stamp.load(ordering: .relaxed)) {
            switch work {
            case .tell(let arrivals):
                let target = outlet.current
                if target.queue == nil {
                    inlet.machine.arrived()
                } else if target.add(.received(arrivals)) {
                    unscheduled = target
                }
            case .filter(let arrivals, let filter): ask(filter, arrivals, epoch: inlet.epoch)
            }
        }
        return unscheduled
    }

    /// Batches have been told on this thread, which reads on by itself as long as something is there.
    func arrived(_ count: Int) {
        let engines = inlet.withLock { $0.enginesToPull }
        if !engines.isEmpty { pull(engines) }
        handOut { inlet in
            for _ in 0..<count { inlet.machine.arrived() }
        }
    }

    private func pull(_ engines: [DatagramEngine]) {
        let configuration = configuration
        let kit = GCDSendKit.take()
        for engine in engines {
            guard let batch = kit.read(engine) else { continue }
            inlet.withLock { inlet in
                guard inlet.engines.contains(where: { $0 === engine }) else { return }
                inlet.add(batch, limit: configuration.limit(engine.family))
            }
        }
        kit.giveBack()
    }

    // MARK: The filter

    private func ask(_ filter: GCDFilter<GCDAsyncUdpSocketReceiveFilterBlock>, _ arrivals: GCDArrivals, epoch: UInt64) {
        if filter.isAsynchronous {
            filter.queue.async { self.filtered(arrivals.passing(filter.block.value), epoch) }
        } else {
            queue.async {
                let passed = filter.queue.sync { arrivals.passing(filter.block.value) }
                self.filtered(passed, epoch)
            }
        }
    }

    private func filtered(_ passed: [GCDPassed], _ epoch: UInt64) {
        let unscheduled = inlet.withLock { inlet -> GCDTarget? in
            // The socket was closed meanwhile: nothing follows its last word.
            guard inlet.epoch == epoch else { return nil }
            inlet.machine.filtered(passed: passed.count)
            let target = outlet.current
            guard !passed.isEmpty, target.queue != nil else { return nil }
            return target.add(.passed(passed)) ? target : nil
        }
        if let unscheduled { schedule(unscheduled) }
        handOut { _ in }
    }
}

extension GCDArrivals {
    /// Asks a filter about each datagram.
    fileprivate func passing(_ filter: GCDAsyncUdpSocketReceiveFilterBlock) -> [GCDPassed] {
        var maker = GCDDataMaker()
        var passed: [GCDPassed] = []
        batch.forEachInPlace { bytes, source in
            guard admits(source) else { return }
            let data = maker.take(bytes, from: source, limit: limit)
            let context = AutoreleasingUnsafeMutablePointer<AnyObject?>(nil)
            guard filter(data, maker.address, context) else { return }
            passed.append(GCDPassed(data: data, address: maker.address, context: Carried(context.pointee)))
        }
        return passed
    }
}
