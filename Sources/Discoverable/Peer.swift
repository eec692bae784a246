internal import DiscoverableRuntime

/// A peer that was found on the network: who it is, where it listens, and the way to talk to it.
///
///     let peer = try await Peer.find("_discoverable._udp")
///     let session = try await peer.connect()
///     try await session.send("hello")
public struct Peer: Hashable, Sendable {
    /// What was found out about its service.
    public let service: ResolvedService

    /// A peer whose service an app has resolved by itself.
    public init(_ service: ResolvedService) {
        self.service = service
    }

    /// The peer's name, for people.
    public var name: String { service.instance.name.text }
}

// MARK: - Finding

extension Peer {
    /// Finds the first peer of a type, or the one of a name, and where it listens. A peer that is listed but no longer
    /// answers is passed over for the next one.
    ///
    /// - Parameters:
    ///   - type: the service type, such as `_discoverable._udp`.
    ///   - name: the instance name; nil takes whoever is found first.
    ///   - timeout: how long to look in all.
    ///   - discovery: the connection to the daemon, or what stands for it in an app's tests.
    /// - Throws: `DiscoveryError`: `notFound` where nobody fits in time; `daemonUnavailable` where there is no avahi-daemon,
    ///   `daemonNotResponding` where it hangs; `invalidName` for what is no type or name; `cancelled`.
    public static func find(
        _ type: String,
        named name: String? = nil,
        timeout: Duration = .seconds(5),
        discovery: any ServiceDiscovery = Discovery.shared
    ) async throws(DiscoveryError) -> Peer {
        let type = try ServiceType(type)
        let name = try name.map { text throws(DiscoveryError) in try ServiceName(text) }
        let operation = "looking for " + (name.map { "\"\($0)\" (\(type))" } ?? "a peer of type \(type)")
        let answer = Waiter<ResolvedService, DiscoveryError>()
        let search = Task {
            await resolveAll(discovery.browse(type), named: name, within: timeout, discovery, into: answer)
        }
        defer { search.cancel() }
        let service = try await answer.value(within: timeout) {
            discovery.failure(while: operation)
                ?? DiscoveryError(
                    .notFound,
                    operation: operation,
                    explanation:
                        "nobody was found within \(timeout); see that it runs on this link and that UDP port 5353 "
                        + "is not filtered"
                )
        } cancelled: {
            .cancelled(while: operation)
        }
        return Peer(service)
    }

    /// Resolves everything that fits, side by side: the first that answers is the one.
    private static func resolveAll(
        _ browser: ServiceBrowser,
        named name: ServiceName?,
        within timeout: Duration,
        _ discovery: any ServiceDiscovery,
        into answer: Waiter<ResolvedService, DiscoveryError>
    ) async {
        await withDiscardingTaskGroup { group in
            do throws(DiscoveryError) {
                for try await event in browser {
                    guard case .added(let service) = event, name.map({ $0 == service.instance.name }) ?? true else {
                        continue
                    }
                    group.addTask {
                        guard let resolved = try? await discovery.resolve(service, timeout: timeout) else { return }
                        answer.resume(.success(resolved))
                    }
                }
            } catch {
                answer.resume(.failure(error))
            }
        }
    }
}

// MARK: - Talking

extension Peer {
    /// Opens a session with the peer: tries all its addresses until one answers.
    ///
    /// - Parameters:
    ///   - deviceName: what the peer is told that we are called; nil for the host's name.
    ///   - configuration: rules and times; by default it takes 10 s at most.
    /// - Throws: `SessionError`: `connectFailed` with the reason (nobody answered, refused, ended by the peer …);
    ///   `cancelled`.
    public func connect(
        as deviceName: String? = nil,
        configuration: SessionConfiguration = SessionConfiguration()
    ) async throws(SessionError) -> Session {
        var configuration = configuration
        if let deviceName { configuration.deviceName = deviceName }
        return try await Session.connect(to: service.addresses, configuration: configuration)
    }
}
