/// The names under which the daemon tells of this host.
public struct HostIdentity: Hashable, Sendable {
    /// The host's own label, such as `alpha`; where another host had it first, `alpha-2`.
    public let name: String
    /// The domain, on the local network `local`.
    public let domain: Domain
    /// Both together: `alpha.local`.
    public let fullName: DNSName

    /// A host's names.
    public init(name: String, domain: Domain, fullName: DNSName) {
        self.name = name
        self.domain = domain
        self.fullName = fullName
    }
}

/// How this host's name stands on the network.
public enum LocalHostState: Hashable, Sendable {
    /// There is no daemon that would tell; goes on by itself when one comes.
    case waitingForDaemon
    /// The name is being claimed.
    case registering(HostIdentity)
    /// Others find the host under this name.
    case established(HostIdentity)
    /// Another host has the name; the daemon is about to take another one.
    case collision(HostIdentity)

    /// The names, where there is a daemon.
    public var identity: HostIdentity? {
        switch self {
        case .waitingForDaemon: nil
        case .registering(let identity), .established(let identity), .collision(let identity): identity
        }
    }
}
