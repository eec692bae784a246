extension UDPSocket {
    /// The datagrams that arrive, until the socket is closed or the consumer's task is cancelled, which loses none.
    ///
    /// Several consumers may iterate: each datagram goes to one of them. For a slow one, 64 datagrams wait in the socket and
    /// more in the kernel, which drops what is too much. Errors of the peer's host do not end the sequence: they wait for
    /// the next `send` or `receive`.
    public nonisolated var datagrams: Datagrams { Datagrams(socket: self) }

    /// The datagrams of a socket.
    public struct Datagrams: AsyncSequence, Sendable {
        fileprivate let socket: UDPSocket

        /// Starts at what nobody has taken yet.
        public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

        /// Takes one datagram after the other.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let socket: UDPSocket

            /// The next datagram; nil once the socket is closed or the task cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Datagram? {
                try? await socket.next(takesErrors: false)
            }

            /// The next datagram; nil once the socket is closed or the task cancelled.
            public mutating func next() async -> Datagram? {
                try? await socket.next(takesErrors: false)
            }
        }
    }
}
