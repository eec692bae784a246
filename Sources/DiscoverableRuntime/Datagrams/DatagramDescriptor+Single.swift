package import DiscoverableCore
internal import Glibc

/// One datagram at a time, for those who exchange few.
extension DatagramDescriptor {
    /// Sends a datagram. It is gone where the kernel has no room for it.
    ///
    /// - Throws: the system's error: `ENETUNREACH`, `ENETDOWN`, `EPERM` …
    package func send(_ bytes: [UInt8], to address: SocketAddress) throws(UnderlyingError) {
        let failure = unsafe address.withSockAddr { target, length in
            unsafe sendto(number, bytes, bytes.count, Int32(MSG_NOSIGNAL), target, length) < 0 ? errno : 0
        }
        guard failure == 0 else { throw .system(failure, call: "sendto") }
    }

    /// Takes the next datagram of at most `limit` bytes, what is longer is cut; nil where none waits. An error that is pending
    /// on the socket, such as an unreachable port, is taken and passed over.
    package func receive(atMost limit: Int) -> (bytes: [UInt8], source: SocketAddress)? {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        let source = unsafe SocketAddress.reading { address, length in
            unsafe count = recvfrom(number, &bytes, limit, 0, address, &length)
        }
        guard count >= 0, let source else { return nil }
        return (Array(bytes.prefix(count)), source)
    }
}
