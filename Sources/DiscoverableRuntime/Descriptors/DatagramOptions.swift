internal import CSockets
package import DiscoverableCore
internal import Glibc
internal import Synchronization

/// What can be set on a UDP socket. A view over the socket's number: whoever made it keeps the socket open meanwhile.
///
/// Every error is the kernel's, named after the call and the option: `setsockopt(IP_TTL)`.
package struct DatagramOptions: Sendable {
    package let descriptor: Int32
    package let family: AddressFamily

    package init(descriptor: Int32, family: AddressFamily) {
        self.descriptor = descriptor
        self.family = family
    }

    func set(_ option: SocketOption, to value: Int32) throws(UnderlyingError) {
        try option.set(value, of: descriptor)
    }

    func set(_ option: SocketOption, to isOn: Bool) throws(UnderlyingError) {
        try option.set(isOn ? 1 : 0 as Int32, of: descriptor)
    }

    /// The one of two options that the socket's family has.
    func byFamily(_ ipv4: SocketOption, _ ipv6: SocketOption) -> SocketOption {
        switch family {
        case .ipv4: ipv4
        case .ipv6: ipv6
        }
    }
}

// MARK: - Binding

extension DatagramOptions {
    /// Keeps IPv4 off an IPv6 socket, so that both families can have one port side by side (`IPV6_V6ONLY`); nothing to do on
    /// an IPv4 one. To be set before `bind`.
    package func setIPv6Only() throws(UnderlyingError) {
        guard family == .ipv6 else { return }
        try set(.ipv6(IPV6_V6ONLY, "IPV6_V6ONLY"), to: true)
    }

    /// Whether the port can be another socket's too. To be set before `bind`.
    package func setPortReuse(_ reuse: PortReuse) throws(UnderlyingError) {
        try set(.socket(SO_REUSEADDR, "SO_REUSEADDR"), to: reuse == .steal)
        try set(.socket(SO_REUSEPORT, "SO_REUSEPORT"), to: reuse == .balance)
    }

    /// Confines the socket to one interface, by its name, or to none (`SO_BINDTODEVICE`).
    ///
    /// - Throws: `ENODEV` for a name that no interface has; `EPERM` where another confinement would have to be lifted first and
    ///   the process may not (`CAP_NET_RAW`).
    package func setInterface(_ name: String?) throws(UnderlyingError) {
        let option = SocketOption.socket(SO_BINDTODEVICE, "SO_BINDTODEVICE")
        // The kernel would cut a long name, and take what is left for another interface; an empty one it takes for none.
        if let name, !NetworkInterface.canBeName(name) { throw option.error(ENODEV, from: "setsockopt") }
        try option.set(text: name ?? "", of: descriptor)
    }

    private var boundInterface: SocketOption { .socket(DISCOVERABLE_SO_BINDTOIFINDEX, "SO_BINDTOIFINDEX") }

    /// The interface that the socket is confined to.
    package func interface() throws(UnderlyingError) -> InterfaceIndex? {
        let number = try boundInterface.value(of: descriptor)
        return number == 0 ? nil : InterfaceIndex(rawValue: UInt32(bitPattern: number))
    }

    /// Confines the socket to an interface, by its number (`SO_BINDTOIFINDEX`, since 5.1).
    package func setInterface(_ index: InterfaceIndex) throws(UnderlyingError) {
        try set(boundInterface, to: Int32(bitPattern: index.rawValue))
    }
}

// MARK: - Room

extension DatagramOptions {
    private var sendBuffer: SocketOption { .socket(SO_SNDBUF, "SO_SNDBUF") }
    private var receiveBuffer: SocketOption { .socket(SO_RCVBUF, "SO_RCVBUF") }

    /// Asks for room for so many unsent bytes. The kernel takes what its bounds allow (`net.core.wmem_max`) without a word.
    package func setSendBufferSize(_ bytes: Int) throws(UnderlyingError) {
        try set(sendBuffer, to: Int32(clamping: max(0, bytes)))
    }

    /// Asks for room for so many unread bytes. The kernel takes what its bounds allow (`net.core.rmem_max`) without a word.
    package func setReceiveBufferSize(_ bytes: Int) throws(UnderlyingError) {
        try set(receiveBuffer, to: Int32(clamping: max(0, bytes)))
    }

    /// The room that the kernel really gives for unsent bytes, its own overhead included: twice what it granted.
    package func sendBufferSize() throws(UnderlyingError) -> Int { Int(try sendBuffer.value(of: descriptor)) }

    /// The room that the kernel really gives for unread bytes, its own overhead included: twice what it granted.
    package func receiveBufferSize() throws(UnderlyingError) -> Int { Int(try receiveBuffer.value(of: descriptor)) }
}

// MARK: - Offloads

extension DatagramOptions {
    /// Whether the kernel may hand over runs of datagrams in one piece (`UDP_GRO`).
    ///
    /// - Returns: false where the kernel has no such thing (before 5.0), and hands over each by itself.
    package func setReceiveOffload(_ isOn: Bool) throws(UnderlyingError) -> Bool {
        do throws(UnderlyingError) {
            try set(.udp(DISCOVERABLE_UDP_GRO, "UDP_GRO"), to: isOn)
            return true
        } catch {
            guard error.number == ENOPROTOOPT else { throw error }
            return false
        }
    }

    /// Whether the kernel cuts one piece into a run of datagrams (`UDP_SEGMENT`, since 4.18). An older kernel would ignore the control
    /// message that asks for it, and send one huge datagram.
    ///
    /// The kernel is asked once a process.
    package var canSegment: Bool {
        switch kernelSegments.load(ordering: .relaxed) {
        case .yes: return true
        case .no: return false
        case .unknown:
            return askWhetherKernelSegments()
        }
    }
}

extension DatagramOptions {
    /// Only an answer about the option is kept, not one about this descriptor.
    private func askWhetherKernelSegments() -> Bool {
        do throws(UnderlyingError) {
            _ = try SocketOption.udp(DISCOVERABLE_UDP_SEGMENT, "UDP_SEGMENT").value(of: descriptor)
            kernelSegments.store(.yes, ordering: .relaxed)
            return true
        } catch {
            if error.number == ENOPROTOOPT { kernelSegments.store(.no, ordering: .relaxed) }
            return false
        }
    }
}

/// What the kernel has answered.
private enum KernelAnswer: UInt8, AtomicRepresentable {
    case unknown, yes, no
}

private let kernelSegments = Atomic(KernelAnswer.unknown)
