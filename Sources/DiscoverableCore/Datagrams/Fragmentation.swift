/// What becomes of a datagram that is larger than the way to its destination allows (the path's MTU).
public enum Fragmentation: Hashable, Sendable, CaseIterable {
    /// What the kernel does by itself (`IP_PMTUDISC_WANT`): datagrams within the path's MTU are never cut on the way, larger
    /// ones leave this host in fragments.
    case system
    /// Nothing is marked as not to be cut (`IP_PMTUDISC_DONT`): larger datagrams leave in fragments, and over IPv4 routers may
    /// cut as well.
    case allowed
    /// Never fragments (`IP_PMTUDISC_DO`): sending a datagram that is larger than the path's MTU, as far as this host has learnt it,
    /// fails with `EMSGSIZE`, and what turns out too large later is reported as an error of the peer.
    case forbidden
    /// Never fragments, and does not believe what this host has learnt (`IP_PMTUDISC_PROBE`): only a datagram larger than the MTU of
    /// the interface fails. For protocols that find out by themselves how large datagrams may be (RFC 8899).
    case probe
}
