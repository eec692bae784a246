internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Dispatch
internal import Foundation

/// What follows from a step, without a lock.
extension GCDSocketCore {
    func carryOut(_ deed: GCDDeed) {
        switch deed {
        case .lookUp(let number, let host, let port): lookUp(number, host, port)
        case .ask(let filter, let number, let packet, let address): ask(filter, number, packet, address)
        case .watch(let engine): engine.watchForRoom()
        case .time(let number, let timeout): time(number, timeout)
        case .connected(let address):
            let engines = sender.withLock { $0.engines }
            inlet.withLock { inlet in
                inlet.peer = address
                inlet.engines = engines
            }
        case .shutDown(let engine): engine.shutDown()
        case .schedule(let target): schedule(target)
        case .close: queue.async { self.closeIfDone() }
        }
    }

    // MARK: Look-ups

    /// How long a name is looked up at most: longer than the system's own limits.
    private static let lookUpLimit: Duration = .seconds(300)

    private func lookUp(_ number: UInt64, _ host: String, _ port: UInt16) {
        if let known = GCDHost.knownAddresses(of: host, port: port) { return resolved(number, .success(known)) }
        Task {
            do throws(NameResolver.Failure) {
                let addresses = try await NameResolver.addresses(of: host, port: port, timeout: Self.lookUpLimit)
                resolved(number, .success(addresses))
            } catch {
                resolved(number, .failure(error.asGCDFailure))
            }
        }
    }

    private func resolved(_ number: UInt64, _ result: Result<[SocketAddress], GCDFailure>) {
        let configuration = configuration
        change { $0.resolved(number, result, configuration) }
    }

    // MARK: The send filter

    private func ask(
        _ filter: GCDFilter<GCDAsyncUdpSocketSendFilterBlock>,
        _ number: UInt64,
        _ packet: GCDPacket,
        _ address: SocketAddress
    ) {
        let address = Data(address)
        if filter.isAsynchronous {
            return filter.queue.async {
                let passes = filter.block.value(packet.data, address, packet.tag)
                self.change { $0.queue.filtered(number, passes: passes) }
            }
        }
        onQueueSoon {
            let passes = filter.queue.sync { filter.block.value(packet.data, address, packet.tag) }
            self.change { $0.queue.filtered(number, passes: passes) }
        }
    }

    func setSendFilter(_ filter: GCDFilter<GCDAsyncUdpSocketSendFilterBlock>?) {
        // What was sent before leaves by the old one.
        drain()
        let old = settings.withLock { settings in
            defer { settings.sendFilter = filter }
            return settings.sendFilter
        }
        withExtendedLifetime(old) {}
        drain()
    }

    // MARK: Time-outs and room

    private func time(_ number: UInt64, _ timeout: TimeInterval) {
        // A clock counts nanoseconds in 64 bits: longer than a year is for ever.
        guard timeout < 366 * 86_400 else { return }
        let timer = loop.schedule(after: .seconds(timeout)) { [weak self] in self?.timedOut(number) }
        sender.withLock { sender in
            if sender.queue.first == number { sender.timer = (number, timer) } else { timer.cancel() }
        }
    }

    private func timedOut(_ number: UInt64) {
        change { sender in
            guard sender.queue.isBlocked, sender.queue.first == number else { return }
            sender.finish(1, GCDAsyncUdpSocketError(.timedOut))
            sender.queue.unblocked()
        }
    }

    func becameWritable(_ engine: DatagramEngine) {
        change { $0.queue.unblocked() }
    }
}

extension GCDSender {
    fileprivate mutating func resolved(
        _ number: UInt64,
        _ result: Result<[SocketAddress], GCDFailure>,
        _ configuration: GCDConfiguration
    ) {
        guard number >= queue.first, number - queue.first < UInt64(queue.waitingCount) else { return }
        let place = queue.firstPlace + Int(number - queue.first)
        switch result {
        case .success(let addresses):
            let choice = configuration.choose(from: addresses, usable: lifecycle.families.contains)
            queue.resolved(number, to: choice)
        case .failure(let failure):
            packets[place].failure = failure.appError("looking up a host")
            queue.resolved(number, to: nil)
        }
    }
}

extension NameResolver.Failure {
    fileprivate var asGCDFailure: GCDFailure {
        switch self {
        case .failed(let error): .system(error)
        case .timedOut, .cancelled:
            .system(UnderlyingError(domain: .nameResolution, number: EAI_AGAIN, call: "getaddrinfo", text: "no answer"))
        }
    }
}
