internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Dispatch
internal import Synchronization

extension GCDSocketCore {
    /// Closes what is open, after what was sent before has left, as far as there is room.
    func close() {
        onQueue {
            drain()
            close(nil)
        }
    }

    func closeAfterSending() {
        onQueueSoon {
            self.change { $0.closesWhenDone = true }
        }
    }

    /// Everything that was sent has its outcome; unless there is something new since.
    func closeIfDone() {
        let isDone = change { sender in
            guard !sender.queue.isEmpty else { return true }
            sender.closesWhenDone = true
            return false
        }
        if isDone { close(nil) }
    }

    /// On the socket's queue. What waits goes without a word, unless an error closes the socket.
    private func close(_ error: (any Error)?) {
        let (engines, deeds) = sender.withLock { sender -> ([DatagramEngine], [GCDDeed]) in
            let engines = sender.takeEngines()
            if let error {
                sender.finish(sender.queue.waitingCount, error)
            } else {
                sender.forget(sender.queue.waitingCount)
            }
            sender.reset()
            return (engines, sender.takeDeeds(outlet))
        }
        for deed in deeds { carryOut(deed) }
        guard !engines.isEmpty else { return }
        closeEngines(engines)
        tell(.closed(error))
    }

    /// When this returns their ports are free.
    func closeEngines(_ engines: [DatagramEngine]) {
        stamp.add(1, ordering: .releasing)
        // Outside the lock: it may hold the last reference to what an app's block holds.
        let last = inlet.withLock { $0.close() }
        withExtendedLifetime(last) {}
        onLoop { for engine in engines { _ = engine.close() } }
    }

    /// The socket's owner is gone. Nobody is told.
    func abandon() {
        // What was sent before leaves, as far as there is room.
        drain()
        let engines = sender.withLock { sender -> [DatagramEngine] in
            sender.forget(sender.queue.waitingCount)
            sender.reset()
            return sender.takeEngines()
        }
        if !engines.isEmpty { closeEngines(engines) }
    }

    /// The system cannot watch the socket any more.
    func stopped(_ error: UnderlyingError, on engine: DatagramEngine) {
        queue.async {
            guard self.sender.withLock({ $0.engine(engine.family) === engine }) else { return }
            self.close(GCDFailure.system(error).appError("watching the socket"))
        }
    }

    /// What peers' hosts report ends nothing, and holds nothing up: the datagrams that it is about have left.
    func failed(_ failure: DatagramFailure, on engine: DatagramEngine) {}
}

extension GCDSender {
    /// Forgets what closing ends.
    fileprivate mutating func reset() {
        queue.unblocked()
        machine.takeBack()
        engine = nil
        reusesPort = nil
        broadcasts = nil
        closesWhenDone = false
    }
}
