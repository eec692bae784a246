/// Where a publication stands. Of several services the name is the first one's; `Publication.names` has all. One without a
/// service is called by the first of its other names.
public enum PublicationState: Hashable, Sendable {
    /// There is no daemon to publish with; goes on by itself when one comes.
    case waitingForDaemon
    /// The name is being claimed on the network for the first time, which takes about a second.
    case registering(ServiceName)
    /// It is visible under this name.
    case established(ServiceName)
    /// Another host holds the name, and this one is being claimed instead.
    case renaming(from: ServiceName, to: ServiceName)
    /// It was visible and had to be withdrawn, since the daemon ended, or the host took another name; it is being published
    /// again under the same name.
    case republishing(ServiceName)
    /// It was withdrawn.
    case withdrawn
    /// It ended with an error.
    case failed(DiscoveryError)

    /// Whether nothing can follow.
    public var isFinal: Bool {
        switch self {
        case .waitingForDaemon, .registering, .established, .renaming, .republishing: false
        case .withdrawn, .failed: true
        }
    }
}
