internal import DiscoverableCore
internal import DiscoverableRuntime

/// An open UDP socket together with its place on an event loop. Confined to the actor that owns it; closes when it goes.
final class DatagramChannel {
    /// How many datagrams a turn of the loop reads from one socket: the others on the loop wait meanwhile.
    static let batchSize = 32
    /// How many datagrams wait for room in the kernel before further ones are lost.
    static let outboxLimit = 64

    private let socket: DatagramDescriptor
    private let loop: EventLoop
    private var registration: Registration?
    private var interest: EpollSet.Interest = []
    private var outbox: [(bytes: [UInt8], destination: SocketAddress?)] = []

    init(family: AddressFamily, loop: EventLoop) throws(UnderlyingError) {
        socket = try DatagramDescriptor(family: family)
        self.loop = loop
    }

    deinit {
        // Before the descriptor is closed, which happens after this body: its number is given out again at once.
        if let registration { loop.unregister(registration, descriptor: socket.rawDescriptor) }
    }

    var family: AddressFamily { socket.family }

    func bind(to address: SocketAddress, interface: String? = nil) throws(UnderlyingError) {
        if let interface { try socket.bind(toInterface: interface) }
        try socket.bind(to: address)
    }

    func connect(to address: SocketAddress) throws(UnderlyingError) { try socket.connect(to: address) }

    func setSendBufferSize(_ bytes: Int32) throws(UnderlyingError) { try socket.setSendBufferSize(bytes) }

    func localAddress() throws(UnderlyingError) -> SocketAddress { try socket.localAddress() }

    var isWatched: Bool { registration != nil }

    func owns(_ registration: Registration) -> Bool { self.registration == registration }

    /// Watches for `interest`, and always for errors, which `handler` must take.
    func watch(_ interest: EpollSet.Interest, handler: any ReadinessHandler) throws(UnderlyingError) {
        guard let registration else {
            registration = try loop.register(socket.rawDescriptor, interest: interest, handler: handler)
            self.interest = interest
            return
        }
        guard interest != self.interest else { return }
        try loop.update(registration, descriptor: socket.rawDescriptor, interest: interest)
        self.interest = interest
    }

    func send(_ bytes: [UInt8], to destination: SocketAddress?) -> DatagramDescriptor.SendOutcome {
        socket.send(bytes, to: destination)
    }

    func receive(
        limit: Int = batchSize,
        maximumSize: Int = 65_535,
        body: (ReceivedDatagram) -> Void
    ) -> DatagramDescriptor.BatchEnd {
        socket.receive(limit: limit, maximumSize: maximumSize, body: body)
    }

    func takeError() -> UnderlyingError? { socket.takeError() }
}

// MARK: - Sending without waiting

extension DatagramChannel {
    /// Sends, or keeps the datagram until the kernel has room; what is too much is lost, as on any link. Returns the error
    /// of the peer's host that the call has brought to light.
    func post(_ bytes: [UInt8], to destination: SocketAddress?, handler: any ReadinessHandler) -> UnderlyingError? {
        guard outbox.isEmpty else {
            keep(bytes, destination)
            return nil
        }
        switch socket.send(bytes, to: destination) {
        case .sent: return nil
        case .wouldBlock:
            keep(bytes, destination)
            try? watch([.readable, .writable], handler: handler)
            return nil
        case .failed(let error):
            // The error may be that of an earlier datagram; then it is taken now, and this one has not been sent.
            _ = socket.send(bytes, to: destination)
            return error
        }
    }

    /// The kernel has room again.
    func flushOutbox(handler: any ReadinessHandler) {
        while let (bytes, destination) = outbox.first {
            if case .wouldBlock = socket.send(bytes, to: destination) { return }
            outbox.removeFirst()
        }
        try? watch(.readable, handler: handler)
    }

    private func keep(_ bytes: [UInt8], _ destination: SocketAddress?) {
        if outbox.count < Self.outboxLimit { outbox.append((bytes, destination)) }
    }
}
