internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Foundation

/// What the app asks for and gets an answer to at once.
extension GCDSocketCore {
    /// Runs a call of the app's on the socket's queue, after what was sent before; its errors are those that apps know.
    func attempt(_ operation: String, needsDelegate: Bool = true, _ body: () throws(GCDFailure) -> Void) throws {
        let failure = onQueue { () -> GCDFailure? in
            drain()
            do throws(GCDFailure) {
                if needsDelegate { try requireDelegate() }
                try body()
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure.appError(operation) }
    }

    private func requireDelegate() throws(GCDFailure) {
        let (delegate, queue) = outlet.delegateAndQueue
        do throws(GCDRefusal) {
            try GCDLifecycle.require(hasDelegate: delegate != nil, hasQueue: queue != nil)
        } catch {
            throw .refused(error)
        }
    }

    func check(_ body: @Sendable (borrowing GCDSender) throws(GCDRefusal) -> Void) throws(GCDFailure) {
        do throws(GCDRefusal) {
            try sender.withLock { sender throws(GCDRefusal) in try body(sender) }
        } catch {
            throw .refused(error)
        }
    }

    // MARK: Connecting

    func connect(toHost host: String, port: UInt16) throws {
        try attempt("connecting to \(host)") { () throws(GCDFailure) in
            try connect(to: .host(host, port)) { () throws(GCDRefusal) in
                guard !host.isEmpty else { throw .emptyHost }
            }
        }
    }

    func connect(toAddress data: Data) throws {
        try attempt("connecting to an address") { () throws(GCDFailure) in
            let address = SocketAddress(data)
            try connect(to: address.map(GCDDestination.address) ?? .invalid) { () throws(GCDRefusal) in
                guard address != nil else { throw .notAnAddress }
            }
        }
    }

    /// Puts the connecting behind what was sent before.
    private func connect(
        to destination: GCDDestination,
        _ checkParameter: () throws(GCDRefusal) -> Void
    ) throws(GCDFailure) {
        let configuration = configuration
        try check { sender throws(GCDRefusal) in try sender.lifecycle.checkConnect(configuration) }
        do throws(GCDRefusal) { try checkParameter() } catch { throw .refused(error) }
        try change { sender throws(GCDFailure) in
            try self.open(&sender)
            sender.lifecycle.beganConnecting()
            sender.admit(GCDPacket(purpose: .connect, data: Data(), destination: destination, timeout: -1, tag: 0))
        }
    }

    // MARK: Options

    func setReuse(_ flag: Bool) throws {
        try setOption("sharing the port") { sender throws(UnderlyingError) in
            sender.reusesPort = flag
            for engine in sender.engines { try engine.descriptor.options.setPortReuse(flag ? .steal : .exclusive) }
        }
    }

    func setBroadcast(_ flag: Bool) throws {
        try setOption("allowing broadcasts") { sender throws(UnderlyingError) in
            sender.broadcasts = flag
            try sender.ipv4?.descriptor.options.setBroadcast(flag)
        }
        guard speaks(.ipv4) else { throw GCDAsyncUdpSocketError(.noBroadcasts) }
    }

    private func setOption(
        _ operation: String,
        _ body: @Sendable (inout GCDSender) throws(UnderlyingError) -> Void
    ) throws {
        try attempt(operation) { () throws(GCDFailure) in
            try change { sender throws(GCDFailure) in
                try self.open(&sender)
                do throws(UnderlyingError) { try body(&sender) } catch { throw .system(error) }
            }
        }
    }

    // MARK: Groups

    func join(_ group: String, interface: String?) throws {
        try changeGroup("joining \(group)", group, interface) { engine, ip, index throws(UnderlyingError) in
            try engine.descriptor.options.join(ip, interface: index, source: nil)
            guard ip.family == .ipv6 else { return }
            // The kernel does not tell the interfaces of an IPv6 group apart.
            try engine.descriptor.options.addReceiveMetadata(.destination)
            inlet.withLock { $0.hasIPv6Groups = true }
            onLoop { engine.state.withValue { $0.groups.join(.init(ip, interface: index, source: nil)) } }
        }
    }

    func leave(_ group: String, interface: String?) throws {
        try changeGroup("leaving \(group)", group, interface) { engine, ip, index throws(UnderlyingError) in
            try engine.descriptor.options.leave(ip, interface: index, source: nil)
            guard ip.family == .ipv6 else { return }
            onLoop { engine.state.withValue { $0.groups.leave(.init(ip, interface: index, source: nil)) } }
        }
    }

    private func changeGroup(
        _ operation: String,
        _ group: String,
        _ interface: String?,
        _ body: (DatagramEngine, IPAddress, InterfaceIndex?) throws(UnderlyingError) -> Void
    ) throws {
        try attempt(operation) { () throws(GCDFailure) in
            try check { sender throws(GCDRefusal) in try sender.lifecycle.checkGroup() }
            guard let ip = IPAddress(group), ip.isMulticast else { throw .refused(.notAGroup(group)) }
            guard let engine = sender.withLock({ $0.engine(ip.family) }) else {
                throw .refused(.familyIsOff(ip.family))
            }
            let index = try GCDHost.interfaceIndex(interface)
            do throws(UnderlyingError) { try body(engine, ip, index) } catch { throw .system(error) }
        }
    }
}
