internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Foundation

/// Opening sockets of the system's, and binding them.
extension GCDSocketCore {
    /// How many free ports of IPv4 are tried in IPv6: one is enough but for chance.
    private static let portAttempts = 32

    /// Opens a socket for each family that is enabled, unless some are open.
    func open(_ sender: inout GCDSender) throws(GCDFailure) {
        guard !sender.lifecycle.isOpen else { return }
        let (configuration, offloads) = settings.withLock { ($0.configuration, $0.offloads) }
        guard !configuration.families.isEmpty else { throw .refused(.noFamily) }
        var failure: UnderlyingError?
        for family in configuration.families {
            do throws(UnderlyingError) {
                sender.set(try engine(family, offloads, sender), family)
            } catch {
                failure = error
            }
        }
        // A system may lack one family.
        let isMissing = failure?.condition == .familyUnsupported && sender.lifecycle.isOpen
        if let failure, !isMissing {
            let engines = sender.takeEngines()
            sender.deeds += engines.map(GCDDeed.shutDown)
            throw .system(failure)
        }
        sender.machine = SendMachine(usesSegmentation: sender.engines.contains { $0.configuration.usesSegmentation })
        let engines = sender.engines
        inlet.withLock { $0.engines = engines }
    }

    private func engine(
        _ family: AddressFamily,
        _ offloads: UDPSocket.Offloads,
        _ sender: borrowing GCDSender
    ) throws(UnderlyingError) -> DatagramEngine {
        var options = UDPSocket.Options()
        options.offloads = offloads
        options.metadata = []
        let engine = try DatagramEngine(family: family, options: options, loop: loop)
        engine.setClient(self)
        if let reusesPort = sender.reusesPort {
            try engine.descriptor.options.setPortReuse(reusesPort ? .steal : .exclusive)
        }
        if family == .ipv4, let broadcasts = sender.broadcasts {
            try engine.descriptor.options.setBroadcast(broadcasts)
        }
        return engine
    }

    // MARK: Binding

    func bind(port: UInt16, interface: String?) throws {
        try bind("binding to port \(port)") { configuration throws(GCDFailure) in
            try GCDHost.localAddresses(interface, port: port, families: configuration.families)
        }
    }

    func bind(address data: Data) throws {
        try bind("binding to an address") { configuration throws(GCDFailure) in
            guard let address = SocketAddress(data) else { throw .refused(.notAnAddress) }
            guard configuration.isEnabled(address.family) else { throw .refused(.familyIsOff(address.family)) }
            return [address]
        }
    }

    private func bind(
        _ operation: String,
        _ addresses: (GCDConfiguration) throws(GCDFailure) -> [SocketAddress]
    ) throws {
        try attempt(operation) { () throws(GCDFailure) in
            let configuration = configuration
            try check { sender throws(GCDRefusal) in try sender.lifecycle.checkBind(configuration) }
            let addresses = try addresses(configuration)
            let failure = try change { sender throws(GCDFailure) in try self.bind(&sender, to: addresses) }
            if let failure {
                closeEngines(failure.engines)
                throw .system(failure.error)
            }
        }
    }

    /// Returns what was open where it fails: the caller closes it, so that it can be tried again.
    private func bind(
        _ sender: inout GCDSender,
        to addresses: [SocketAddress]
    ) throws(GCDFailure) -> (error: UnderlyingError, engines: [DatagramEngine])? {
        try open(&sender)
        for family in AddressFamily.allCases where !addresses.contains(where: { $0.family == family }) {
            guard let unused = sender.engine(family) else { continue }
            sender.set(nil, family)
            sender.deeds.append(.shutDown(unused))
        }
        do throws(UnderlyingError) {
            try sender.bind(to: addresses, attempts: Self.portAttempts)
            sender.lifecycle.bound()
            let engines = sender.engines
            inlet.withLock { $0.engines = engines }
            return nil
        } catch {
            return (error, sender.takeEngines())
        }
    }
}

extension GCDSender {
    /// Takes the addresses, all with one port.
    fileprivate func bind(to addresses: [SocketAddress], attempts: Int) throws(UnderlyingError) {
        let pairs = addresses.compactMap { address in engine(address.family).map { ($0.descriptor, address) } }
        guard let (first, address) = pairs.first else { throw .system(EAFNOSUPPORT, call: "bind") }
        for attempt in 1...attempts {
            try first.bind(to: address)
            guard pairs.count > 1 else { return }
            do throws(UnderlyingError) {
                let port = try first.localAddress().port
                return try pairs[1].0.bind(to: SocketAddress(pairs[1].1.ip, port: port, scope: pairs[1].1.scope))
            } catch {
                guard address.port == 0, error.condition == .addressInUse, attempt < attempts else { throw error }
                try first.release()
            }
        }
    }
}
