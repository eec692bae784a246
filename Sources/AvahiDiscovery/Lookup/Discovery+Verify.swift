public import DiscoverableCore
internal import DiscoverableRuntime

/// A host's own answer for a service, given on being asked.
public struct FreshAnswer: Hashable, Sendable {
    /// The way on which it answered.
    public let path: ServicePath
    /// Who answered.
    public let responder: SocketAddress
    /// Where the service listens, by its own word.
    public let location: RecordData.ServiceLocation
    /// From the first question to the answer; more than a few milliseconds where a question or an answer was lost.
    public let roundTrip: Duration
}

extension Discovery {
    /// Asks the network, and not the daemon's cache, whether a service is truly there.
    ///
    /// A host that is switched off or leaves without a goodbye stays in the daemon's cache for up to 75 minutes, and the
    /// daemon answers every browser and resolver from there. Avahi's client interface has nothing that makes it ask anew. So
    /// this asks the hosts themselves: the SRV record of the service, by multicast on each interface and over each family on
    /// which the service was seen, from an ordinary UDP port. A responder answers such a question to the asker alone, at once,
    /// and from what it publishes (RFC 6762 section 6.7); no answer is kept in any cache, and no other host is disturbed. The
    /// question is repeated after 0.25, 0.75 and 1.75 s, and every 2 s from then on.
    ///
    /// Costs one UDP socket for each path and nothing of the daemon; works while the daemon hangs or is away. Services of this
    /// host are answered for by this host's own daemon.
    ///
    /// - Important: nil means that nobody answered. A packet filter on this host that lets in answers from port 5353 only to
    ///   port 5353 makes every service look absent, and so does a responder that heeds only questions from port 5353,
    ///   as avahi-daemon does on the loopback interface. The daemon's cache is left as it is.
    ///
    /// - Parameters:
    ///   - service: the service, with the paths on which it was seen.
    ///   - timeout: how long to wait for an answer; a living host on the link needs milliseconds.
    /// - Returns: the first answer; nil where none came in time.
    /// - Throws: `DiscoveryError`: `invalidArgument` for a service in another domain than `local`, of which no host of the
    ///   link knows; `outOfResources`; `cancelled`.
    public func verify(
        _ service: BrowsedService,
        timeout: Duration = .seconds(2)
    ) async throws(DiscoveryError) -> FreshAnswer? {
        try await verify(service.instance, on: service.paths, timeout: timeout)
    }

    /// The same for a service that is known by its name, on all interfaces that do multicast.
    ///
    /// - Parameters:
    ///   - instance: the service.
    ///   - timeout: how long to wait for an answer.
    /// - Returns: the first answer; nil where none came in time.
    /// - Throws: `DiscoveryError`, as for a browsed service.
    public func verify(
        _ instance: ServiceInstance,
        timeout: Duration = .seconds(2)
    ) async throws(DiscoveryError) -> FreshAnswer? {
        try await verify(instance, on: try multicastPaths(while: "verifying \(instance)"), timeout: timeout)
    }

    private func verify(
        _ instance: ServiceInstance,
        on paths: [ServicePath],
        timeout: Duration
    ) async throws(DiscoveryError) -> FreshAnswer? {
        let operation = "verifying \(instance)"
        guard instance.domain == .local else {
            throw DiscoveryError(
                .invalidArgument,
                operation: operation,
                explanation: "only services in the domain local answer on the link; ask the name servers of this one"
            )
        }
        let query = FreshQuery(id: .random(in: 0...UInt16.max), name: try DNSName(instance), type: .srv)
        let output = FreshQuestion.Output()
        let question = FreshQuestion(query, operation: operation, output: output)
        question.begin(on: paths, for: timeout)
        defer { question.end() }
        let cancelled: @Sendable () -> DiscoveryError = { .cancelled(while: operation) }
        // Its own time-out is an answer and no error.
        return try await output.value(within: nil, timedOut: cancelled, cancelled: cancelled)
    }

    private func multicastPaths(while operation: String) throws(DiscoveryError) -> [ServicePath] {
        let interfaces: [NetworkInterface]
        do throws(UnderlyingError) {
            interfaces = try NetworkInterface.all()
        } catch {
            throw DiscoveryError(
                .outOfResources,
                operation: operation,
                explanation:
                    "the interfaces of this host cannot be listed; close some descriptors, or raise `ulimit -n`",
                underlying: error
            )
        }
        return interfaces.filter { $0.isUp && $0.supportsMulticast && !$0.isLoopback }.flatMap { interface in
            Set(interface.addresses.map(\.ip.family)).sorted().map {
                ServicePath(interface: interface.index, family: $0)
            }
        }
    }
}
