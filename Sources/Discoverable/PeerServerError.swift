/// Why a server did not start: the half that failed, with that half's error.
public enum PeerServerError: DiscoverableFailure, Hashable {
    /// Its port could not be opened; nothing was published.
    case listening(SessionError)
    /// It could not be published; its port is closed again.
    case publishing(DiscoveryError)

    /// The error of the half that failed.
    public var cause: any DiscoverableFailure {
        switch self {
        case .listening(let error): error
        case .publishing(let error): error
        }
    }

    /// Whether the caller's task was cancelled.
    public var isCancellation: Bool {
        switch self {
        case .listening(let error): error.code == .cancelled
        case .publishing(let error): error.code == .cancelled
        }
    }

    /// What was being done.
    public var operation: String { cause.operation }
    /// What went wrong and what to do about it.
    public var explanation: String { cause.explanation }
    /// What a caller can do about it.
    public var failureClass: FailureClass { cause.failureClass }
    /// The number of the system or of the daemon, where there is one.
    public var underlying: UnderlyingError? { cause.underlying }
}
