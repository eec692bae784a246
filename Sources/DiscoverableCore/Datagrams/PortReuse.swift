/// Whether a UDP port can be bound while another socket has it. On Linux each answer moves traffic, so none of the latter two
/// is ever chosen silently.
public enum PortReuse: Hashable, Sendable, CaseIterable {
    /// The port is this socket's alone: binding one that is taken fails.
    case exclusive
    /// Several sockets that all say so have one port (`SO_REUSEADDR`). A datagram to one host goes to the socket that was bound
    /// last: it takes all traffic from the others. A datagram to a group or a broadcast goes to each of them.
    case steal
    /// Several sockets of one user that all say so share the work of one port (`SO_REUSEPORT`): the kernel gives each peer to
    /// one of them, by a hash over both addresses. Which one changes when a socket joins or leaves. A datagram to a group or a
    /// broadcast goes to each of them.
    case balance
}
