extension UDPFlow {
    /// The peer's datagrams, until the flow is over and all are taken, or the consumer's task is cancelled, which loses none.
    ///
    /// Several consumers may iterate: each datagram goes to one of them. For a slow one `UDPListener.Configuration.queueLimit`
    /// datagrams wait; further ones are dropped and counted (`droppedDatagrams`).
    public nonisolated var datagrams: Datagrams { Datagrams(flow: self) }

    /// The datagrams of a flow.
    public struct Datagrams: AsyncSequence, Sendable {
        /// A datagram.
        public typealias Element = Datagram
        /// The sequence does not fail: it ends when the flow is over; `receive` tells why.
        public typealias Failure = Never

        fileprivate let flow: UDPFlow

        /// Starts at what nobody has taken yet.
        public func makeAsyncIterator() -> Iterator { Iterator(flow: flow) }

        /// Takes one datagram after the other.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let flow: UDPFlow

            /// The next datagram; nil once the flow is over or the task cancelled.
            public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Datagram? {
                if let datagram = flow.takeNow() { return datagram }
                guard case .datagram(let datagram) = await flow.delivery() else { return nil }
                return datagram
            }
        }
    }
}
