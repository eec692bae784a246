package import DiscoverableCore
internal import Glibc

/// An open UDP socket of one family, non-blocking: the system calls that the connection module makes, as Swift values.
package struct DatagramDescriptor: ~Copyable, Sendable {
    private let descriptor: FileDescriptor
    package let family: AddressFamily

    /// Opens a socket. An IPv6 one carries no IPv4, so that both families can be bound to one port side by side.
    package init(family: AddressFamily) throws(UnderlyingError) {
        descriptor = try open(family)
        self.family = family
    }

    /// The socket's number, for an event loop. It belongs to the socket.
    package var rawDescriptor: Int32 { descriptor.rawValue }

    /// Takes a local address; port 0 lets the kernel choose. Never shares: on Linux, SO_REUSEADDR would let a second
    /// socket take the port and all its traffic.
    package borrowing func bind(to address: SocketAddress) throws(UnderlyingError) {
        let number = unsafe address.withSockAddr { unsafe Glibc.bind(rawDescriptor, $0, $1) == 0 ? 0 : errno }
        guard number == 0 else { throw .system(number, call: "bind") }
    }

    /// Confines the socket to one interface (SO_BINDTODEVICE).
    package borrowing func bind(toInterface name: String) throws(UnderlyingError) {
        let number = unsafe name.withCString {
            let size = socklen_t(name.utf8.count)
            return unsafe setsockopt(rawDescriptor, SOL_SOCKET, SO_BINDTODEVICE, $0, size) == 0 ? 0 : errno
        }
        guard number == 0 else { throw .system(number, call: "setsockopt(SO_BINDTODEVICE)") }
    }

    /// Fixes the peer: only its datagrams arrive, and what its host reports (a closed port) becomes an error of a call.
    package borrowing func connect(to address: SocketAddress) throws(UnderlyingError) {
        let number = unsafe address.withSockAddr { unsafe Glibc.connect(rawDescriptor, $0, $1) == 0 ? 0 : errno }
        guard number == 0 else { throw .system(number, call: "connect") }
    }

    /// Asks for room for so many unsent bytes (SO_SNDBUF); the kernel doubles it for its own needs, and has bounds.
    package borrowing func setSendBufferSize(_ bytes: Int32) throws(UnderlyingError) {
        var bytes = bytes
        let size = socklen_t(MemoryLayout<Int32>.size)
        let result = unsafe setsockopt(rawDescriptor, SOL_SOCKET, SO_SNDBUF, &bytes, size)
        guard result == 0 else { throw .lastSystemCall("setsockopt(SO_SNDBUF)") }
    }

    /// The address that the socket has taken, or that the kernel gave it.
    package borrowing func localAddress() throws(UnderlyingError) -> SocketAddress {
        var number: Int32 = 0
        let address = unsafe SocketAddress.reading {
            unsafe number = getsockname(rawDescriptor, $0, &$1) == 0 ? 0 : errno
        }
        guard number == 0, let address else { throw .system(number, call: "getsockname") }
        return address
    }
}

private func open(_ family: AddressFamily) throws(UnderlyingError) -> FileDescriptor {
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let number = socket(family.systemValue, kind, 0)
    guard number >= 0 else { throw .lastSystemCall("socket") }
    let descriptor = FileDescriptor(owning: number)
    guard family == .ipv6 else { return descriptor }
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    let result = unsafe setsockopt(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size)
    guard result == 0 else { throw .lastSystemCall("setsockopt(IPV6_V6ONLY)") }
    return descriptor
}
