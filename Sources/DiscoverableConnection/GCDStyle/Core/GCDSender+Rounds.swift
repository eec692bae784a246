@_spi(Package) internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Foundation

/// One round: what can leave does.
extension GCDSender {
    /// How many messages leave by one system call.
    private static let messageLimit = 64
    /// How many bytes are gathered.
    private static let byteLimit = 256 * 1024

    /// Does one step after the other. Returns false where something has to come first.
    mutating func advance(filter: GCDFilter<GCDAsyncUdpSocketSendFilterBlock>?) -> Bool {
        while true {
            let step = queue.next(lifecycle, hasFilter: filter != nil)
            switch step {
            case .rest:
                flush()
                return !queue.isBlocked
            case .wait:
                flush()
                return false
            case .send(let address): stage(packets[queue.nextPlace - 1], to: address)
            case .filter(let address):
                let number = queue.first + UInt64(queue.takenCount)
                guard let filter else { return false }
                deeds.append(.ask(filter, number, packets[queue.nextPlace], address))
            case .drop, .connect, .refuse, .fail:
                // In the order of the calls: what was taken before has its outcome first.
                flush()
                if queue.takenCount == 0, !queue.isBlocked { settle(step) }
            }
        }
    }

    /// Gives the first packet its outcome without sending it.
    private mutating func settle(_ step: GCDSendQueue.Step) {
        switch step {
        case .drop: finish(1, nil)
        case .connect(let address): connect(to: address)
        case .refuse(let refusal): finish(1, GCDAsyncUdpSocketError(refusal))
        case .fail: finish(1, packets[queue.firstPlace].failure ?? GCDAsyncUdpSocketError(.noUsableAddress))
        case .rest, .wait, .send, .filter: break
        }
    }

    private mutating func stage(_ packet: GCDPacket, to address: SocketAddress?) {
        let family = address?.family ?? lifecycle.peer?.family ?? .ipv4
        if engine?.family != family, !machine.isEmpty {
            flush()
            // With the others, this one waits again.
            if queue.isBlocked { return }
        }
        engine = self.engine(family)
        let kit = kit ?? GCDSendKit.take()
        self.kit = kit
        let offset = kit.append(packet.data)
        let count = machine.enqueue(length: packet.data.count, at: offset, route: DatagramRoute(address))
        if count >= Self.messageLimit || kit.count > Self.byteLimit { flush() }
    }

    /// Hands what was gathered to the kernel.
    private mutating func flush() {
        guard let engine, let kit, !machine.isEmpty else { return }
        // Also by a call that fails the kernel has given it a port.
        lifecycle.bound()
        while !machine.isEmpty {
            let first = machine.firstWaiting
            let step =
                switch kit.send(machine, on: engine.descriptor) {
                case .sent(let count): machine.sent(count)
                case .failed(let number):
                    machine.failed(SystemCondition(errno: number), .system(number, call: "sendmmsg"))
                }
            let failure = machine.hasOutcomes ? machine.takeOutcomes().first?.failure : nil
            finish(Int(machine.firstWaiting - first), failure.map { GCDFailure.system($0).appError("sending") })
            if step == .waitForRoom { return block(engine, kit) }
        }
        kit.removeAll()
    }

    /// The kernel has no room: everything that was gathered waits as before.
    private mutating func block(_ engine: DatagramEngine, _ kit: GCDSendKit) {
        machine.takeBack()
        kit.removeAll()
        queue.blocked()
        deeds.append(.watch(engine))
        let packet = packets[queue.firstPlace]
        guard packet.timeout >= 0, timer?.number != queue.first else { return }
        deeds.append(.time(queue.first, packet.timeout))
    }

    /// The first packets have an outcome: all the same one.
    mutating func finish(_ count: Int, _ failure: (any Error)?) {
        guard count > 0 else { return }
        for place in queue.firstPlace..<queue.firstPlace + count {
            switch (packets[place].purpose, failure) {
            case (.send, nil): notices.append(.sent(packets[place].tag))
            case (.send, let failure?): notices.append(.notSent(packets[place].tag, failure))
            case (.connect, nil): break
            case (.connect, let failure?):
                lifecycle.failedToConnect()
                notices.append(.notConnected(failure))
            }
        }
        forget(count)
    }

    /// The first packets go without a word.
    mutating func forget(_ count: Int) {
        let removed = queue.finish(count)
        if removed == packets.count {
            packets.removeAll(keepingCapacity: removed <= 4096)
        } else {
            packets.removeFirst(removed)
        }
        if let timer, timer.number < queue.first {
            timer.timer.cancel()
            self.timer = nil
        }
    }

    private mutating func connect(to address: SocketAddress) {
        guard let engine = self.engine(address.family) else {
            return finish(1, GCDAsyncUdpSocketError(.noUsableAddress))
        }
        do throws(UnderlyingError) {
            try engine.descriptor.connect(to: address)
        } catch {
            return finish(1, GCDFailure.system(error).appError("connecting to \(address)"))
        }
        lifecycle.connected(to: address)
        let other: AddressFamily = address.family == .ipv4 ? .ipv6 : .ipv4
        if let unused = self.engine(other) {
            set(nil, other)
            deeds.append(.shutDown(unused))
        }
        deeds.append(.connected(address))
        notices.append(.connected(address))
        forget(1)
    }

    mutating func putKitBack() {
        guard machine.isEmpty, let kit = kit.take() else { return }
        kit.giveBack()
    }
}
