internal import CSockets
package import DiscoverableCore
internal import Glibc

/// How datagrams leave, and what becomes of them on their way.
extension DatagramOptions {
    /// Whether datagrams may go to a broadcast address (`SO_BROADCAST`); IPv6 has none, and the kernel does not care.
    package func setBroadcast(_ isAllowed: Bool) throws(UnderlyingError) {
        try set(.socket(SO_BROADCAST, "SO_BROADCAST"), to: isAllowed)
    }

    /// Over how many routers a datagram to one host may go (`IP_TTL`, `IPV6_UNICAST_HOPS`). IPv4 refuses 0 (`EINVAL`).
    package func setHopLimit(_ hops: UInt8) throws(UnderlyingError) {
        try set(byFamily(.ipv4(IP_TTL, "IP_TTL"), .ipv6(IPV6_UNICAST_HOPS, "IPV6_UNICAST_HOPS")), to: Int32(hops))
    }

    /// The traffic class of every datagram that says nothing else (`IP_TOS`, `IPV6_TCLASS`).
    package func setTrafficClass(_ trafficClass: TrafficClass) throws(UnderlyingError) {
        let option = byFamily(.ipv4(IP_TOS, "IP_TOS"), .ipv6(IPV6_TCLASS, "IPV6_TCLASS"))
        try set(option, to: Int32(trafficClass.rawValue))
    }

    /// What becomes of datagrams that are larger than the way allows (`IP_MTU_DISCOVER`, `IPV6_MTU_DISCOVER`).
    package func setFragmentation(_ fragmentation: Fragmentation) throws(UnderlyingError) {
        let option = byFamily(
            .ipv4(IP_MTU_DISCOVER, "IP_MTU_DISCOVER"),
            .ipv6(IPV6_MTU_DISCOVER, "IPV6_MTU_DISCOVER")
        )
        try set(option, to: fragmentation.systemValue)
        guard family == .ipv6 else { return }
        // RFC 3542 section 11.2: this host puts in no fragment header. Linux refuses what is too large by the option above alone;
        // the two should not contradict each other.
        let isWhole = fragmentation == .forbidden || fragmentation == .probe
        try set(.ipv6(IPV6_DONTFRAG, "IPV6_DONTFRAG"), to: isWhole)
    }

    /// The largest packet, headers included, that the way to the peer takes as far as this host has learnt (`IP_MTU`, `IPV6_MTU`).
    ///
    /// - Throws: `ENOTCONN` on a socket that is not connected.
    package func pathMTU() throws(UnderlyingError) -> Int {
        Int(try byFamily(.ipv4(IP_MTU, "IP_MTU"), .ipv6(IPV6_MTU, "IPV6_MTU")).value(of: descriptor))
    }
}

extension Fragmentation {
    /// The numbers are the same for both families.
    fileprivate var systemValue: Int32 {
        switch self {
        case .system: IP_PMTUDISC_WANT
        case .allowed: IP_PMTUDISC_DONT
        case .forbidden: IP_PMTUDISC_DO
        case .probe: IP_PMTUDISC_PROBE
        }
    }
}

// MARK: - What is told with received datagrams

extension DatagramOptions {
    /// Has the kernel tell more about each received datagram: what is in the set is switched on. A new socket is told nothing.
    package func addReceiveMetadata(_ metadata: ReceiveMetadata) throws(UnderlyingError) {
        let destination = byFamily(.ipv4(IP_PKTINFO, "IP_PKTINFO"), .ipv6(IPV6_RECVPKTINFO, "IPV6_RECVPKTINFO"))
        let trafficClass = byFamily(.ipv4(IP_RECVTOS, "IP_RECVTOS"), .ipv6(IPV6_RECVTCLASS, "IPV6_RECVTCLASS"))
        if metadata.contains(.destination) { try set(destination, to: true) }
        if metadata.contains(.trafficClass) { try set(trafficClass, to: true) }
        if metadata.contains(.drops) { try set(.socket(SO_RXQ_OVFL, "SO_RXQ_OVFL"), to: true) }
        if metadata.contains(.timestamp) { try set(.socket(SO_TIMESTAMPNS, "SO_TIMESTAMPNS"), to: true) }
    }

    /// Whether what peers' hosts and routers report about datagrams of ours goes to the socket's error queue, with the address that it
    /// is about (`IP_RECVERR`, `IPV6_RECVERR`). Whoever switches it on has to empty that queue.
    package func setErrorQueue(_ isOn: Bool) throws(UnderlyingError) {
        try set(byFamily(.ipv4(IP_RECVERR, "IP_RECVERR"), .ipv6(IPV6_RECVERR, "IPV6_RECVERR")), to: isOn)
    }
}
