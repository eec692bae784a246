internal import DiscoverableCore

extension UDPSocket {
    /// The datagrams that arrive, until the socket is closed or the consumer's task is cancelled, which loses none.
    ///
    /// Several consumers may iterate: each datagram goes to one of them. For a slow one, one batch waits in the socket and more in
    /// the kernel, which drops what is too much, and counts it (`Datagram.droppedBefore`).
    public nonisolated var datagrams: Datagrams { Datagrams(socket: self) }

    /// The datagrams that arrive, as many at once as the kernel has, read in place. As `datagrams`.
    public nonisolated var batches: Batches { Batches(socket: self) }

    /// What peers' hosts, routers and this host's kernel report about datagrams that had left. None of it ends the socket.
    ///
    /// Any number of consumers may iterate, each gets every report from its first on; the first also gets those that came before
    /// it. For a slow one the newest 256 wait. Cancelling ends the iteration.
    public nonisolated var errors: EventSequence<DatagramFailure> {
        for engine in engines { engine.watchErrors() }
        return EventSequence(source: self, broadcast: input.failures)
    }

    /// The datagrams of a socket.
    public struct Datagrams: AsyncSequence, Sendable {
        /// A datagram.
        public typealias Element = Datagram
        /// The sequence does not fail: it ends when the socket is closed.
        public typealias Failure = Never

        fileprivate let socket: UDPSocket

        /// Starts at what nobody has taken yet.
        public func makeAsyncIterator() -> Iterator { Iterator(socket: socket, consumer: UDPSocket.Consumer(socket)) }

        /// Takes one datagram after the other.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let socket: UDPSocket
            fileprivate let consumer: UDPSocket.Consumer

            /// The next datagram; nil once the socket is closed or the task cancelled.
            public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Datagram? {
                if let batch = socket.takeNow(limit: 1) { return batch[0] }
                return await consumer.nextBatch(limit: 1)?[0]
            }
        }
    }

    /// The datagrams of a socket, in batches.
    public struct Batches: AsyncSequence, Sendable {
        /// Datagrams that have arrived together.
        public typealias Element = DatagramBatch
        /// The sequence does not fail: it ends when the socket is closed.
        public typealias Failure = Never

        fileprivate let socket: UDPSocket

        /// Starts at what nobody has taken yet.
        public func makeAsyncIterator() -> Iterator { Iterator(socket: socket, consumer: UDPSocket.Consumer(socket)) }

        /// Takes one batch after the other.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let socket: UDPSocket
            fileprivate let consumer: UDPSocket.Consumer

            /// The next batch; nil once the socket is closed or the task cancelled.
            public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> DatagramBatch? {
                if let batch = socket.takeNow(limit: .max) { return batch }
                return await consumer.nextBatch(limit: .max)
            }
        }
    }
}
