@_spi(Package) internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Foundation
internal import Synchronization

/// Taking what the app sends, and the rounds in which it leaves.
extension GCDSocketCore {
    /// How many rounds follow each other before others get the lock.
    private static let roundLimit = 16

    /// What was sent while the delegate is called leaves after so long at the latest.
    private static let corkTime: Duration = .milliseconds(2)

    func send(_ data: Data, to destination: GCDDestination, timeout: TimeInterval, tag: Int) {
        add(GCDPacket(purpose: .send, data: data, destination: destination, timeout: timeout, tag: tag))
    }

    func send(_ data: Data, toAddress address: Data, timeout: TimeInterval, tag: Int) {
        let destination = SocketAddress(address).map(GCDDestination.address) ?? .invalid
        send(data, to: destination, timeout: timeout, tag: tag)
    }

    private func add(_ packet: GCDPacket) {
        let isCorked = tellingThread.load(ordering: .relaxed) == SystemThread.current
        let isFirst = inbox.withLock { inbox -> Bool in
            inbox.packets.append(packet)
            if isCorked {
                defer { inbox.isWatched = true }
                return !inbox.isWatched
            }
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        guard isFirst else { return }
        if isCorked {
            loop.schedule(after: Self.corkTime) { [weak self] in self?.corkExpired() }
        } else {
            queue.async { self.drain() }
        }
    }

    private func corkExpired() {
        inbox.withLock { $0.isWatched = false }
        drain()
    }

    /// Has leave what can, all that was sent before this call included.
    func drain() { change { _ in } }

    /// Changes what is open or waits, has leave what can then, and does what follows.
    func change<Value: Sendable, Failure: Error>(
        _ body: (inout GCDSender) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (value, deeds) = try sender.withLock { sender throws(Failure) -> (Value, [GCDDeed]) in
            let value = try body(&sender)
            run(&sender)
            return (value, sender.takeDeeds(outlet))
        }
        for deed in deeds { carryOut(deed) }
        return value
    }

    private func run(_ sender: inout GCDSender) {
        for _ in 0..<Self.roundLimit {
            admit(&sender)
            guard !sender.queue.isEmpty, open(forSending: &sender) else { break }
            guard sender.advance(filter: settings.withLock({ $0.sendFilter })) else { break }
            if inbox.withLock({ $0.packets.isEmpty }) { break }
        }
        sender.putKitBack()
        if !inbox.withLock({ $0.packets.isEmpty }) { scheduleDrain() }
        if sender.closesWhenDone, sender.queue.isEmpty {
            sender.closesWhenDone = false
            sender.deeds.append(.close)
        }
    }

    private func scheduleDrain() {
        let isFirst = inbox.withLock { inbox -> Bool in
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        if isFirst { queue.async { self.drain() } }
    }

    /// Takes over what was sent since.
    private func admit(_ sender: inout GCDSender) {
        inbox.withLock { inbox in
            inbox.isScheduled = false
            swap(&inbox.packets, &sender.incoming)
        }
        for place in sender.incoming.indices { sender.admit(sender.incoming[place]) }
        sender.incoming.removeAll(keepingCapacity: sender.incoming.count <= 4096)
    }

    /// A socket is opened by the first datagram. Where the system has none, each datagram is told so.
    private func open(forSending sender: inout GCDSender) -> Bool {
        do throws(GCDFailure) {
            try open(&sender)
            return true
        } catch {
            sender.finish(sender.queue.waitingCount, error.appError("opening the socket"))
            return false
        }
    }
}

extension GCDSender {
    mutating func admit(_ packet: GCDPacket) {
        packets.append(packet)
        switch packet.destination {
        case .peer: queue.add(packet.purpose, .peer)
        case .address(let address): queue.add(packet.purpose, .address(address))
        case .invalid: queue.add(packet.purpose, .invalid)
        case .host(let name, let port):
            let number = queue.add(packet.purpose, .host)
            if let known = GCDHost.knownAddresses(of: name, port: port), known.count == 1 {
                queue.resolved(number, to: known[0])
            } else {
                deeds.append(.lookUp(number, name, port))
            }
        }
    }

    /// Hands over what was gathered for others: to the delegate's target under the lock, so that the order is kept.
    mutating func takeDeeds(_ outlet: GCDOutlet) -> [GCDDeed] {
        if !notices.isEmpty {
            let target = outlet.current
            if target.queue != nil, target.add(notices) { deeds.append(.schedule(target)) }
            notices.removeAll(keepingCapacity: true)
        }
        guard !deeds.isEmpty else { return [] }
        defer { deeds = [] }
        return deeds
    }
}
