internal import DiscoverableRuntime

/// A server that peers find by themselves: a port that admits clients, and the service by which they find it. The other side
/// of `Peer`.
///
///     let server = try await PeerServer.start("Kitchen")
///     for await session in server.sessions {
///         Task { for await text in session.messages { print(text) } }
///     }
///
/// It serves until it is closed. Dropping the last reference closes it too, without telling the clients; whoever iterates
/// over `sessions` or `states` holds one.
///
/// - Important: The name that is finally held may differ from the one that was asked for, and may change later: read `name`,
///   follow `states`.
public final class PeerServer: Sendable {
    /// The service's type.
    public let type: ServiceType
    let listener: SessionListener
    private let publication: Publication

    private init(type: ServiceType, listener: SessionListener, publication: Publication) {
        self.type = type
        self.listener = listener
        self.publication = publication
    }

    /// The name under which the server is visible, or was last; before that the one that was asked for.
    public var name: ServiceName { publication.name }

    /// The port that clients send to.
    public var port: UInt16 { listener.port }

    /// Whether the network sees the server. Clients that know its address are served in every state but `withdrawn`.
    public var state: PublicationState { publication.state }

    /// Whether the network sees the server, from now on. Any number of consumers; each finds the newest state and none that
    /// was overtaken. Ends after `withdrawn` or `failed`; cancelling ends the iteration. The sequence and its iterators keep the
    /// server.
    public var states: StateSequence<PublicationState> { publication.states(keeping: self) }

    /// Sessions with clients that were admitted.
    public var sessions: PeerServerSessions { PeerServerSessions(server: self) }

    /// How many clients are admitted now.
    public var sessionCount: Int {
        get async { await listener.sessionCount }
    }

    /// Takes the server off the network, ends all sessions, telling their clients, and closes the port. Returns when all of
    /// it is done: after three quarters of a second (by default) if a client does not react, and two seconds where the
    /// daemon hangs. May be called again. Cannot be cancelled.
    public func close() async {
        async let withdrawal: Void = publication.withdraw()
        await listener.close()
        await withdrawal
    }
}

// MARK: - Starting

extension PeerServer {
    /// Opens a port for clients and publishes it, and returns when the network sees it, which takes about a second. Where
    /// that does not come about, and where the task is cancelled, nothing stays behind: neither port nor service.
    ///
    /// - Parameters:
    ///   - name: the instance name; nil for the host's name with "Service", as the classic server has it. Where another host
    ///     holds it, another one is taken.
    ///   - type: the service type; the default is the classic server's.
    ///   - port: 1024 is the classic one; 0 takes a free one, see `port`.
    ///   - txt: what the service says of itself; nil for what the classic server says.
    ///   - configuration: rules and times of the sessions.
    ///   - timeout: how long to wait until the network sees it. nil does not wait: the server serves whoever knows its address,
    ///     and is seen once there is a daemon, see `states`.
    ///   - discovery: the connection to the daemon, or what stands for it in an app's tests.
    /// - Throws: `PeerServerError`: `publishing` with `invalidName`, `notPermitted`, `daemonUnavailable` … , `listening`
    ///   with `socket` and the reason, such as `addressInUse`; `cancelled` within one of both.
    public static func start(
        _ name: String? = nil,
        type: String = classicType,
        port: UInt16 = 1024,
        txt: TXTRecord? = nil,
        configuration: SessionConfiguration = SessionConfiguration(),
        visibleWithin timeout: Duration? = .seconds(30),
        discovery: any ServiceDiscovery = Discovery.shared
    ) async throws(PeerServerError) -> PeerServer {
        // What can never succeed is refused before anything is opened.
        var advertisement = try advertisement(name, type, txt, port: port)
        if Task.isCancelled { throw .publishing(.cancelled(while: "starting a server")) }
        let listener = try await listen(on: port, configuration)
        advertisement.port = listener.port
        return try await publish(advertisement, listener, within: timeout, discovery)
    }

    /// The type that the classic server publishes.
    public static let classicType = "_discoverable._udp"

    private static func listen(
        on port: UInt16,
        _ configuration: SessionConfiguration
    ) async throws(PeerServerError) -> SessionListener {
        do throws(SessionError) {
            return try await SessionListener.bind(port: port, configuration: configuration)
        } catch {
            throw .listening(error)
        }
    }

    private static func publish(
        _ advertisement: ServiceAdvertisement,
        _ listener: SessionListener,
        within timeout: Duration?,
        _ discovery: any ServiceDiscovery
    ) async throws(PeerServerError) -> PeerServer {
        do throws(DiscoveryError) {
            let publication = try discovery.beginPublishing(Advertisement([advertisement]))
            let server = PeerServer(type: advertisement.type, listener: listener, publication: publication)
            guard let timeout else { return server }
            do throws(DiscoveryError) {
                try await discovery.waitUntilVisible(publication, within: timeout)
                return server
            } catch {
                await publication.withdraw()
                throw error
            }
        } catch {
            await listener.close()
            throw .publishing(error)
        }
    }

    private static func advertisement(
        _ name: String?,
        _ type: String,
        _ txt: TXTRecord?,
        port: UInt16
    ) throws(PeerServerError) -> ServiceAdvertisement {
        do throws(DiscoveryError) {
            let name = if let name { try ServiceName(name) } else { try ServiceName(truncating: classicName) }
            let txt = if let txt { txt } else { try classicTXTRecord }
            return ServiceAdvertisement(name: name, type: try ServiceType(type), port: port, txt: txt)
        } catch {
            throw .publishing(error)
        }
    }

    private static var classicName: String { "\(HostName.current.prefix { $0 != "." }) Service" }

    private static var classicTXTRecord: TXTRecord {
        get throws(DiscoveryError) {
            try TXTRecord([
                TXTRecord.Entry(key: "service", text: "Discoverable Service"),
                TXTRecord.Entry(key: "version", text: "1.0.0"),
            ])
        }
    }
}
