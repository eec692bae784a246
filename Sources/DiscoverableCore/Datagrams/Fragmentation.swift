/// What becomes of a datagram that is larger than the way to its destination allows (the path's MTU).
public enum Fragmentation: Hashable, Sendable, CaseIterable {
    /// What the kernel does by itself (`IP_PMTUDISC_WANT`): datagrams within the path's MTU are never cut on the way, larger
    /// ones leave this host in fragments.
    case system
    /// Fragments always (`IP_PMTUDISC_DONT`). Over IPv4, routers may cut as well; what this host has learnt about the
    /// path's MTU is kept.
    case allowed
    /// Never fragments (`IP_PMTUDISC_DO`): sending a datagram that is larger than the path's MTU, as far as this host has learnt it,
    /// fails with `EMSGSIZE`, and what turns out too large later is reported as an error of the peer.
    case forbidden
    /// Never fragments, and does not believe what this host has learnt (`IP_PMTUDISC_PROBE`): only a datagram larger than the MTU of
    /// the interface fails. For protocols that find out by themselves how large datagrams may be (RFC 8899).
    case probe
}
