internal import CSockets
package import DiscoverableCore
internal import Glibc

/// What came beside a message: one datagram, or several that the kernel joined, all from one source.
package struct DatagramArrival: Sendable, Hashable, BitwiseCopyable {
    package let source: SocketAddress
    /// The address that the datagram was sent to: one of this host's, a group or a broadcast address.
    package let destination: IPAddress?
    /// The address that an answer should come from.
    package let local: IPAddress?
    package let interface: InterfaceIndex?
    package let trafficClass: TrafficClass?
    /// The kernel's time stamp, since 1970.
    package let timestamp: Duration?
    /// How many datagrams the kernel has dropped since the message before.
    package let droppedBefore: UInt32
}

extension DatagramArrival {
    /// - Parameters:
    ///   - system: what the control messages held.
    ///   - drops: the socket's count.
    init(
        _ system: borrowing discoverable_arrival,
        source: SocketAddress,
        family: AddressFamily,
        drops: inout DropCounter
    ) {
        let present = system.present
        func has(_ bit: Int) -> Bool { present & UInt32(bit) != 0 }
        let isAddressed = has(DISCOVERABLE_HAS_DESTINATION)
        self.source = source
        destination = isAddressed ? unsafe withUnsafeBytes(of: system.destination) { unsafe address($0, family) } : nil
        local = isAddressed ? unsafe withUnsafeBytes(of: system.local) { unsafe address($0, family) } : nil
        interface = isAddressed ? InterfaceIndex(rawValue: system.interface) : nil
        trafficClass = has(DISCOVERABLE_HAS_TRAFFIC_CLASS) ? TrafficClass(rawValue: system.traffic_class) : nil
        let time = system.timestamp
        timestamp =
            has(DISCOVERABLE_HAS_TIMESTAMP) ? .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) : nil
        droppedBefore = has(DISCOVERABLE_HAS_DROPS) ? drops.advance(to: system.drops) : 0
    }
}

private func address(_ bytes: UnsafeRawBufferPointer, _ family: AddressFamily) -> IPAddress? {
    guard let start = bytes.baseAddress else { return nil }
    return unsafe IPAddress(systemBytes: start, family: family)
}
