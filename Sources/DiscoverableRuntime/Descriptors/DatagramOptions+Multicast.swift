internal import CSockets
package import DiscoverableCore
internal import Glibc

/// Groups: which ones the socket receives, and how datagrams to groups leave. Interfaces are always named by their number, since an
/// address may belong to several or to none.
extension DatagramOptions {
    /// Receives what is sent to a group, from anyone or from one source only (`MCAST_JOIN_GROUP`, `MCAST_JOIN_SOURCE_GROUP`).
    ///
    /// - Parameters:
    ///   - group: the group, of the socket's family.
    ///   - interface: where to listen; nil lets the kernel choose one by its routes.
    ///   - source: the only host whose datagrams are wanted; several calls name several.
    /// - Throws: `EAFNOSUPPORT` for an address of the other family, `EINVAL` for an address that is no group and for a group
    ///   that was joined in the other way, `ENODEV` for an interface that is none, `EADDRINUSE` for a group that was joined
    ///   before, `EADDRNOTAVAIL` for a source that was, `ENOBUFS` for more groups than the kernel allows
    ///   (`net.ipv4.igmp_max_memberships`, 20) or more sources (`igmp_max_msf`, 10).
    package func join(_ group: IPAddress, interface: InterfaceIndex?, source: IPAddress?) throws(UnderlyingError) {
        if let source {
            let option = byFamily(
                .ipv4(MCAST_JOIN_SOURCE_GROUP, "MCAST_JOIN_SOURCE_GROUP"),
                .ipv6(MCAST_JOIN_SOURCE_GROUP, "MCAST_JOIN_SOURCE_GROUP")
            )
            try setMembership(option, group, interface, source)
        } else {
            let option = byFamily(
                .ipv4(MCAST_JOIN_GROUP, "MCAST_JOIN_GROUP"),
                .ipv6(MCAST_JOIN_GROUP, "MCAST_JOIN_GROUP")
            )
            try setMembership(option, group, interface)
        }
    }

    /// Receives a group no longer, or no longer from one source. The arguments must be those of the joining.
    ///
    /// - Throws: `EADDRNOTAVAIL` for what was not joined (`EINVAL` where a source is given and the group was not joined at
    ///   all), and as `join` does.
    package func leave(_ group: IPAddress, interface: InterfaceIndex?, source: IPAddress?) throws(UnderlyingError) {
        if let source {
            let option = byFamily(
                .ipv4(MCAST_LEAVE_SOURCE_GROUP, "MCAST_LEAVE_SOURCE_GROUP"),
                .ipv6(MCAST_LEAVE_SOURCE_GROUP, "MCAST_LEAVE_SOURCE_GROUP")
            )
            try setMembership(option, group, interface, source)
        } else {
            let option = byFamily(
                .ipv4(MCAST_LEAVE_GROUP, "MCAST_LEAVE_GROUP"),
                .ipv6(MCAST_LEAVE_GROUP, "MCAST_LEAVE_GROUP")
            )
            try setMembership(option, group, interface)
        }
    }

    private func setMembership(
        _ option: SocketOption,
        _ group: IPAddress,
        _ interface: InterfaceIndex?
    ) throws(UnderlyingError) {
        try requireFamily(of: group, for: option)
        var request = group_req()
        request.gr_interface = interface?.rawValue ?? 0
        request.gr_group = group.storage
        try option.set(request, of: descriptor)
    }

    private func setMembership(
        _ option: SocketOption,
        _ group: IPAddress,
        _ interface: InterfaceIndex?,
        _ source: IPAddress
    ) throws(UnderlyingError) {
        try requireFamily(of: group, for: option)
        try requireFamily(of: source, for: option)
        var request = group_source_req()
        request.gsr_interface = interface?.rawValue ?? 0
        request.gsr_group = group.storage
        request.gsr_source = source.storage
        try option.set(request, of: descriptor)
    }

    /// The kernel's own answers to a wrong family differ between the two families and the calls.
    private func requireFamily(of address: IPAddress, for option: SocketOption) throws(UnderlyingError) {
        guard address.family == family else { throw option.error(EAFNOSUPPORT, from: "setsockopt") }
    }
}

extension DatagramOptions {
    /// The interface that datagrams to groups leave through (`IP_MULTICAST_IF`, `IPV6_MULTICAST_IF`); nil leaves it to the
    /// kernel's routes.
    ///
    /// - Throws: `EADDRNOTAVAIL` (IPv4) or `ENODEV` (IPv6) for a number that no interface has, `EINVAL` on a socket that is confined
    ///   to another one.
    package func setMulticastInterface(_ interface: InterfaceIndex?) throws(UnderlyingError) {
        let number = Int32(truncatingIfNeeded: interface?.rawValue ?? 0)
        switch family {
        case .ipv4:
            var request = ip_mreqn()
            request.imr_ifindex = number
            try SocketOption.ipv4(IP_MULTICAST_IF, "IP_MULTICAST_IF").set(request, of: descriptor)
        case .ipv6:
            try set(.ipv6(IPV6_MULTICAST_IF, "IPV6_MULTICAST_IF"), to: number)
        }
    }

    /// Over how many routers a datagram to a group may go (`IP_MULTICAST_TTL`, `IPV6_MULTICAST_HOPS`): 0 stays in this host, 1,
    /// which is what the kernel begins with, on the link.
    package func setMulticastHopLimit(_ hops: UInt8) throws(UnderlyingError) {
        let option = byFamily(
            .ipv4(IP_MULTICAST_TTL, "IP_MULTICAST_TTL"),
            .ipv6(IPV6_MULTICAST_HOPS, "IPV6_MULTICAST_HOPS")
        )
        try set(option, to: Int32(hops))
    }

    /// Whether members on this host get what the socket sends to groups (`IP_MULTICAST_LOOP`, `IPV6_MULTICAST_LOOP`). On Linux it is the
    /// sender's to say. The kernel begins with yes.
    package func setMulticastLoopback(_ isOn: Bool) throws(UnderlyingError) {
        let option = byFamily(
            .ipv4(IP_MULTICAST_LOOP, "IP_MULTICAST_LOOP"),
            .ipv6(IPV6_MULTICAST_LOOP, "IPV6_MULTICAST_LOOP")
        )
        try set(option, to: isOn)
    }

    /// Whether the socket also gets what arrives for groups that only other sockets of this host have joined (`IP_MULTICAST_ALL`,
    /// `IPV6_MULTICAST_ALL`). The kernel begins with yes.
    ///
    /// A kernel without the option for IPv6 (before 4.20) goes on as before.
    package func setReceivesGroupsOfOthers(_ isOn: Bool) throws(UnderlyingError) {
        let option = byFamily(
            .ipv4(IP_MULTICAST_ALL, "IP_MULTICAST_ALL"),
            .ipv6(IPV6_MULTICAST_ALL, "IPV6_MULTICAST_ALL")
        )
        do throws(UnderlyingError) {
            try set(option, to: isOn)
        } catch {
            guard family == .ipv6, error.number == ENOPROTOOPT else { throw error }
        }
    }
}

extension IPAddress {
    /// The address in the form that the protocol independent requests hold.
    fileprivate var storage: sockaddr_storage {
        var storage = sockaddr_storage()
        unsafe withUnsafeMutablePointer(to: &storage) {
            _ = unsafe SocketAddress(self, port: 0).write(to: UnsafeMutableRawPointer($0))
        }
        return storage
    }
}
