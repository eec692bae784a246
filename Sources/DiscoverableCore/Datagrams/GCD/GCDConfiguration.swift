/// What an app sets once, and what stays when the socket is closed.
package struct GCDConfiguration: Sendable, Hashable {
    private var isIPv4Enabled = true
    private var isIPv6Enabled = true
    /// The family that is taken where a host has both; nil takes the first address.
    package var preference: AddressFamily?
    /// How many bytes of a datagram are kept: the header's number in a new socket.
    package var ipv4Limit: UInt32 = 9216
    package var ipv6Limit: UInt32 = 9216

    package init() {}

    package func isEnabled(_ family: AddressFamily) -> Bool {
        switch family {
        case .ipv4: isIPv4Enabled
        case .ipv6: isIPv6Enabled
        }
    }

    package mutating func setEnabled(_ isEnabled: Bool, _ family: AddressFamily) {
        switch family {
        case .ipv4: isIPv4Enabled = isEnabled
        case .ipv6: isIPv6Enabled = isEnabled
        }
    }

    /// The families that are opened.
    package var families: [AddressFamily] { AddressFamily.allCases.filter(isEnabled) }

    /// How many bytes are kept of a datagram of a family.
    package func limit(_ family: AddressFamily) -> Int {
        switch family {
        case .ipv4: Int(ipv4Limit)
        case .ipv6: Int(ipv6Limit)
        }
    }

    /// The address that is used of a host's: the first one of the family that is preferred, else the first one at all, of those
    /// that the socket can use. Nil where it can use none.
    package func choose(
        from addresses: [SocketAddress],
        usable: (AddressFamily) -> Bool
    ) -> SocketAddress? {
        let candidates = addresses.filter { usable($0.family) }
        return candidates.first { $0.family == preference } ?? candidates.first
    }
}
