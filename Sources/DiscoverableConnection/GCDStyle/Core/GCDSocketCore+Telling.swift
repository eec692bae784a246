internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Telling the delegate, on its queue, in blocks of all that there is to tell.
extension GCDSocketCore {
    /// How often a block looks for more before others on the queue have their turn.
    private static let roundLimit = 8

    func tell(_ notice: GCDNotice) {
        let target = outlet.current
        if target.queue != nil, target.add(notice) { schedule(target) }
    }

    /// Puts a block on the delegate's queue, which keeps the delegate and the socket until it has run.
    func schedule(_ target: GCDTarget) {
        guard let queue = target.queue else { return }
        let ends = Carried((outlet.owner, target.delegate))
        queue.async { self.tell(target, ends.value.0, ends.value.1) }
    }

    private func tell(
        _ target: GCDTarget,
        _ socket: GCDAsyncUdpSocket?,
        _ delegate: (any GCDAsyncUdpSocketDelegate)?
    ) {
        let thread = SystemThread.current
        let outer = tellingThread.exchange(thread, ordering: .relaxed)
        defer {
            _ = tellingThread.compareExchange(
                expected: thread,
                desired: outer == thread ? outer : 0,
                ordering: .relaxed
            )
        }
        var notices: [GCDNotice] = []
        for _ in 0..<Self.roundLimit {
            target.take(&notices)
            guard !notices.isEmpty else { return }
            let arrivedCount = tell(notices, socket, delegate)
            // What the delegate has sent leaves together.
            drain()
            if arrivedCount > 0 { arrived(arrivedCount) }
        }
        schedule(target)
    }

    /// Returns how many batches have arrived by it.
    private func tell(
        _ notices: [GCDNotice],
        _ socket: GCDAsyncUdpSocket?,
        _ delegate: (any GCDAsyncUdpSocketDelegate)?
    ) -> Int {
        // Unwrapped once: both are referred to weakly, which makes each count of their references dear.
        guard let socket, let delegate else { return notices.count(where: \.isOnTheWay) }
        var count = 0
        for place in notices.indices where tell(notices[place], socket, delegate) { count += 1 }
        return count
    }

    /// Returns whether a batch has arrived by it, which the caller counts.
    private func tell(
        _ notice: GCDNotice,
        _ socket: GCDAsyncUdpSocket,
        _ delegate: any GCDAsyncUdpSocketDelegate
    ) -> Bool {
        switch notice {
        case .sent(let tag): delegate.udpSocket(socket, didSendDataWithTag: tag)
        case .notSent(let tag, let error):
            let error: (any Error)? = error
            delegate.udpSocket(socket, didNotSendDataWithTag: tag, dueToError: error)
        case .received(let arrivals): return tell(arrivals, socket, delegate)
        case .passed(let passed):
            for one in passed {
                delegate.udpSocket(
                    socket,
                    didReceive: one.data,
                    fromAddress: one.address,
                    withFilterContext: one.context.value
                )
            }
            return true
        case .connected(let address): delegate.udpSocket(socket, didConnectToAddress: Data(address))
        case .notConnected(let error):
            let error: (any Error)? = error
            delegate.udpSocket(socket, didNotConnect: error)
        case .closed(let error): delegate.udpSocketDidClose(socket, withError: error)
        }
        return false
    }

    /// The mode has changed. Where it is the same again, what is left is told as if nothing had been.
    private func stillWanted(_ arrivals: GCDArrivals) -> UInt64? {
        inlet.withLock { inlet in
            // What came back before it goes first.
            guard inlet.epoch == arrivals.epoch, inlet.machine.mode == .continuous, !inlet.hasLeftovers else {
                return nil
            }
            return stamp.load(ordering: .relaxed)
        }
    }

    /// The mode has changed: the rest is not told.
    private struct Stop: Error { let place: Int }

    private func tell(
        _ arrivals: GCDArrivals,
        _ socket: GCDAsyncUdpSocket,
        _ delegate: any GCDAsyncUdpSocketDelegate
    ) -> Bool {
        var maker = GCDDataMaker()
        var place = 0
        var known = arrivals.stamp
        do throws(Stop) {
            try arrivals.batch.forEachInPlace { bytes, source throws(Stop) in
                if known != nil, stamp.load(ordering: .relaxed) != known {
                    known = stillWanted(arrivals)
                    if known == nil { throw Stop(place: place) }
                }
                place += 1
                guard arrivals.admits(source) else { return }
                let data = maker.take(bytes, from: source, limit: arrivals.limit)
                delegate.udpSocket(socket, didReceive: data, fromAddress: maker.address, withFilterContext: nil)
            }
            return true
        } catch {
            var rest = arrivals
            rest.batch = arrivals.batch.dropFirst(error.place)
            let epoch = rest.epoch
            let leftover = rest
            handOut { inlet in
                guard inlet.epoch == epoch else { return }
                inlet.machine.arrived()
                inlet.putBack(leftover)
            }
            return false
        }
    }
}

extension GCDNotice {
    /// Whether it counts as a batch on its way.
    fileprivate var isOnTheWay: Bool {
        switch self {
        case .received, .passed: true
        case .connected, .notConnected, .sent, .notSent, .closed: false
        }
    }
}
