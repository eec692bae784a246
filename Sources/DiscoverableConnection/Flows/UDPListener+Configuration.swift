extension UDPListener {
    /// How many flows a listener has, and what it keeps for each.
    ///
    /// - Important: Whoever can forge source addresses can fill these limits. What waits in all is at most `maximumFlows` times
    ///   `queueLimit` datagrams.
    public struct Configuration: Hashable, Sendable {
        /// How many new flows wait to be taken from `UDPListener.flows`, at least 1. Further new peers are refused.
        public var backlog = 128
        /// How many flows there are at a time, at least 1. Further new peers are refused; no flow has to give way.
        public var maximumFlows = 4_096
        /// How many datagrams wait in each flow, at least 1. Further ones are dropped and counted (`UDPFlow.droppedDatagrams`).
        public var queueLimit = 256
        /// How long nothing may arrive in a flow or be sent by it, before it ends; nil for ever.
        public var idleTimeout: Duration?

        /// The defaults: flows do not end by themselves.
        public init() {}
    }
}
