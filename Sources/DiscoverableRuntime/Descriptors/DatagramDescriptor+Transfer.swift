package import DiscoverableCore
internal import Glibc

/// A datagram as it came from the kernel.
package struct ReceivedDatagram: Sendable, Hashable {
    package let bytes: [UInt8]
    package let source: SocketAddress
    /// Whether it was longer than the room that was given.
    package let isTruncated: Bool
}

extension DatagramDescriptor {
    /// What became of a datagram that was to be sent.
    package enum SendOutcome: Sendable, Hashable {
        /// The kernel has it.
        case sent
        /// The kernel has no room; the socket becomes writable when it has.
        case wouldBlock
        /// It was not sent. The socket goes on: on Linux the error may also be that of an earlier datagram, reported now.
        case failed(UnderlyingError)
    }

    /// Why a batch of received datagrams ended.
    package enum BatchEnd: Sendable, Hashable {
        /// Nothing is left to read now.
        case empty
        /// As many as were asked for; there may be more.
        case full
        /// An error was pending, and is now taken. The socket goes on.
        case failed(UnderlyingError)
    }

    /// Sends one datagram, which may be empty; `destination` is nil on a connected socket.
    package borrowing func send(_ bytes: [UInt8], to destination: SocketAddress?) -> SendOutcome {
        while true {
            let number = transmit(bytes, to: destination)
            switch number {
            case 0: return .sent
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed(.system(number, call: "sendto"))
            }
        }
    }

    /// The error of the call; 0 if there was none.
    private borrowing func transmit(_ bytes: [UInt8], to destination: SocketAddress?) -> Int32 {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let destination else {
                return unsafe Glibc.send(rawDescriptor, buffer.baseAddress, buffer.count, 0) < 0 ? errno : 0
            }
            return unsafe destination.withSockAddr {
                unsafe sendto(rawDescriptor, buffer.baseAddress, buffer.count, 0, $0, $1) < 0 ? errno : 0
            }
        }
    }

    /// Reads up to `limit` datagrams of at most `maximumSize` bytes each and hands them to `body`, in order.
    package borrowing func receive(limit: Int, maximumSize: Int, body: (ReceivedDatagram) -> Void) -> BatchEnd {
        // One byte of room more than needed: its address is never null, also where the size asked for is zero.
        unsafe withUnsafeTemporaryAllocation(byteCount: maximumSize + 1, alignment: 16) { buffer in
            for _ in 0..<limit {
                switch unsafe receiveOne(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(maximumSize))) {
                case .success(let datagram?): body(datagram)
                case .success(nil): return .empty
                case .failure(let error): return .failed(error)
                }
            }
            return .full
        }
    }

    private borrowing func receiveOne(
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Result<ReceivedDatagram?, UnderlyingError> {
        var length = 0
        var number: Int32 = 0
        let source = unsafe SocketAddress.reading { address, size in
            repeat {
                // MSG_TRUNC makes recvfrom return the datagram's real length.
                let flags = Int32(MSG_TRUNC)
                unsafe length = recvfrom(rawDescriptor, buffer.baseAddress, buffer.count, flags, address, &size)
                number = errno
            } while length < 0 && number == EINTR
        }
        guard length >= 0 else {
            return number == EAGAIN ? .success(nil) : .failure(.system(number, call: "recvfrom"))
        }
        guard let source else { return .failure(.system(EAFNOSUPPORT, call: "recvfrom")) }
        let bytes = unsafe Array(buffer.prefix(length))
        return .success(ReceivedDatagram(bytes: bytes, source: source, isTruncated: length > buffer.count))
    }

    /// Takes the error that is pending on the socket, so that it no longer wakes an event loop: the socket's own error,
    /// and what waits in the error queue.
    package borrowing func takeError() -> UnderlyingError? {
        drainErrorQueue()
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let result = unsafe getsockopt(rawDescriptor, SOL_SOCKET, SO_ERROR, &number, &size)
        return result == 0 && number != 0 ? .system(number, call: "SO_ERROR") : nil
    }

    /// Whatever waits there is a report about an earlier datagram; left alone, it keeps the socket in error for ever.
    private borrowing func drainErrorQueue() {
        for _ in 0..<64 {
            var message = unsafe msghdr()
            let flags = Int32(MSG_ERRQUEUE) | Int32(MSG_DONTWAIT)
            guard unsafe recvmsg(rawDescriptor, &message, flags) >= 0 else { return }
        }
    }
}
