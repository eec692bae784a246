/// The groups that a socket has joined, as it joined them. Linux gives an IPv6 socket what arrives for one of its groups on any
/// interface where anybody of the host is a member (IPv4's look-up compares the interface, IPv6's the address alone).
package struct GroupMemberships: Sendable, Hashable {
    /// One joining.
    package struct Membership: Sendable, Hashable {
        let group: IPAddress
        let interface: InterfaceIndex?
        let source: IPAddress?

        /// - Parameters:
        ///   - interface: nil where the kernel was to choose, which does not tell what it chose.
        ///   - source: nil for all.
        package init(_ group: IPAddress, interface: InterfaceIndex?, source: IPAddress?) {
            self.group = group
            self.interface = interface
            self.source = source
        }
    }

    private var memberships: Set<Membership> = []

    package init() {}

    package var isEmpty: Bool { memberships.isEmpty }

    package mutating func join(_ membership: Membership) { memberships.insert(membership) }

    package mutating func leave(_ membership: Membership) { memberships.remove(membership) }

    /// Whether what was sent to `destination` and came in through `interface` is wanted: what is for no group, or for one that was
    /// joined there.
    package func admit(destination: IPAddress?, interface: InterfaceIndex?, source: IPAddress) -> Bool {
        guard let destination, destination.isMulticast else { return true }
        return memberships.contains {
            $0.group == destination && ($0.interface ?? interface) == interface && ($0.source ?? source) == source
        }
    }
}
