internal import DiscoverableCore
internal import DiscoverableRuntime

extension DatagramEngine {
    /// Opens a socket of one family, not bound yet, set up as `options` say.
    convenience init(
        family: AddressFamily,
        options: UDPSocket.Options = UDPSocket.Options(),
        loop: EventLoop
    ) throws(UnderlyingError) {
        let descriptor = try DatagramDescriptor(family: family)
        var configuration = Configuration()
        configuration.maximumDatagramSize = min(max(0, options.maximumDatagramSize), 65_535)
        configuration.queueLimit = options.sendQueueLimit
        try descriptor.options.apply(options, to: &configuration)
        self.init(descriptor: descriptor, configuration: configuration, loop: loop)
    }
}

extension DatagramEngine {
    /// Takes a local address, and where asked one interface only. A socket that is bound to all addresses is told the one that was
    /// asked, so that its answers can leave from there.
    func bind(to address: SocketAddress, interface: String?) throws(UnderlyingError) {
        if let interface { try descriptor.options.setInterface(interface) }
        if address.ip.isAny { try descriptor.options.addReceiveMetadata(.destination) }
        try descriptor.bind(to: address)
    }
}

extension DatagramOptions {
    fileprivate func apply(
        _ options: UDPSocket.Options,
        to configuration: inout DatagramEngine.Configuration
    ) throws(UnderlyingError) {
        if options.reuse != .exclusive { try setPortReuse(options.reuse) }
        // Drops are counted anyway, and told from the first receive call on: a socket that only sends need not ask.
        try addReceiveMetadata(options.metadata.subtracting(.drops))
        configuration.countsDrops = options.metadata.contains(.drops)
        // The peer of a report is known from the error queue only.
        try setErrorQueue(true)
        // What others of this host have joined is nothing of ours.
        try setReceivesGroupsOfOthers(false)
        if let size = options.receiveBufferSize { try setReceiveBufferSize(size) }
        if let size = options.sendBufferSize { try setSendBufferSize(size) }
        configuration.usesSegmentation = options.offloads.contains(.segmentation) && canSegment
        configuration.usesCoalescing = options.offloads.contains(.coalescing)
    }
}
