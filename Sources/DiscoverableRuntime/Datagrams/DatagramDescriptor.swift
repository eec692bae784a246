internal import CSockets
package import DiscoverableCore
internal import Glibc

/// An open UDP socket of one family, non-blocking, that any thread may call: the kernel orders the calls.
///
/// Its number stays its own until `close`. What runs on another thread than the one that closes it keeps it open with
/// `whileOpen`, or it might send into a socket that was given the number since.
package final class DatagramDescriptor: Sendable {
    /// The socket's number, for the system calls and the event loop.
    package let number: Int32
    package let family: AddressFamily
    private let owner: LockedInPlace<FileDescriptor?>

    /// Opens a socket. An IPv6 one carries no IPv4, so that both families can be bound to one port side by side.
    package init(family: AddressFamily) throws(UnderlyingError) {
        let descriptor = try open(family)
        number = descriptor.rawValue
        owner = LockedInPlace(.some(descriptor))
        self.family = family
    }

    /// Closes it, after the calls that other threads are in.
    package func close() {
        owner.withLock { $0 = nil }
    }

    /// Runs a call that does not block; nil where the socket is closed.
    package func whileOpen<Result>(_ body: () -> Result) -> Result? {
        owner.withLock { owner in
            guard owner != nil else { return nil }
            return body()
        }
    }

    /// What can be set on it.
    package var options: DatagramOptions { DatagramOptions(descriptor: number, family: family) }

    /// Takes a local address; port 0 lets the kernel choose.
    package func bind(to address: SocketAddress) throws(UnderlyingError) {
        let failure = unsafe address.withSockAddr { unsafe Glibc.bind(number, $0, $1) == 0 ? 0 : errno }
        guard failure == 0 else { throw .system(failure, call: "bind") }
    }

    /// Fixes the peer: only its datagrams arrive.
    package func connect(to address: SocketAddress) throws(UnderlyingError) {
        let failure = unsafe address.withSockAddr { unsafe Glibc.connect(number, $0, $1) == 0 ? 0 : errno }
        guard failure == 0 else { throw .system(failure, call: "connect") }
    }

    /// Lets every peer in again. The address that was bound, the port and the interface stay.
    package func disconnect() throws(UnderlyingError) {
        let bound = try localAddress()
        try release()
        let left = try localAddress()
        // The kernel takes back a port that it chose itself, but never an address that was asked for.
        guard left.port == 0, bound.port != 0 else { return }
        try bind(to: SocketAddress(left.ip, port: bound.port, scope: bound.scope))
    }

    /// Gives up the peer, and a port that the kernel chose; then the socket can be bound again.
    package func release() throws(UnderlyingError) {
        let interface = try options.interface()
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        let failure = unsafe Glibc.connect(number, &nobody, socklen_t(MemoryLayout<sockaddr>.size)) == 0 ? 0 : errno
        guard failure == 0 else { throw .system(failure, call: "connect(AF_UNSPEC)") }
        // The kernel gives up the confinement as well, which would let others in.
        if let interface { try options.setInterface(interface) }
    }

    /// The address that the socket has taken, or that the kernel gave it.
    package func localAddress() throws(UnderlyingError) -> SocketAddress {
        var failure: Int32 = 0
        let address = unsafe SocketAddress.reading {
            unsafe failure = getsockname(number, $0, &$1) == 0 ? 0 : errno
        }
        guard failure == 0, let address else { throw .system(failure, call: "getsockname") }
        return address
    }
}

private func open(_ family: AddressFamily) throws(UnderlyingError) -> FileDescriptor {
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let number = socket(family.systemValue, kind, 0)
    guard number >= 0 else { throw .lastSystemCall("socket") }
    let descriptor = FileDescriptor(owning: number)
    try DatagramOptions(descriptor: number, family: family).setIPv6Only()
    return descriptor
}
