internal import DiscoverableConnection
internal import DiscoverableCore
internal import DiscoverableRuntime

extension DiscoverableError {
    /// Why nothing was found.
    init(browsing code: DiscoveryError.Code) {
        self =
            switch code {
            case .notFound, .daemonUnavailable, .daemonNotResponding: .discoverTimeout
            case .invalidName, .invalidTXTRecord, .invalidRecord, .invalidArgument, .notPermitted:
                .discoverIncorrectConfiguration
            case .tooManyObjects, .outOfResources: .discoverResolveBusy
            case .cancelled: .discoverResolveCanceled
            case .nameCollision, .notSupported, .daemonError: .discoverResolveUnknown
            }
    }

    /// Why what was found did not tell where it listens.
    init(resolving code: DiscoveryError.Code) {
        self =
            switch code {
            case .notFound, .daemonNotResponding: .discoverResolveTimeout
            case .daemonUnavailable: .discoverResolveFailed
            case .invalidName, .invalidTXTRecord, .invalidRecord, .invalidArgument, .notPermitted:
                .discoverIncorrectConfiguration
            case .tooManyObjects, .outOfResources: .discoverResolveBusy
            case .cancelled: .discoverResolveCanceled
            case .nameCollision, .notSupported, .daemonError: .discoverResolveUnknown
            }
    }

    /// Why a host's name has no address.
    init(lookingUp code: SocketError.Code) {
        self =
            switch code {
            case .timedOut: .connectTimeout
            case .cancelled: .connectCanceled
            case .closed, .refused, .unreachable, .addressInUse, .addressUnavailable, .alreadyBound, .wrongFamily,
                .permissionDenied, .tooLarge, .outOfResources, .noSuchInterface, .nameNotFound, .alreadyConnected,
                .notConnected, .notAGroup, .alreadyJoined, .notJoined, .other:
                .connectOther
            }
    }
}

extension Discoverable.State {
    /// What a connecting without success ends in: what the system has said where it has said something, else what the peer
    /// has not said.
    init(_ failure: SessionConnectFailure, underlying: UnderlyingError?) {
        switch failure {
        case .endedByPeer: self = .disconnected
        // The system's word for one of several addresses is not the answer where another one has answered.
        case .noAnswer, .noHandshake: self = .failed(.connectShakeNoResponse)
        case .refused:
            self = underlying.flatMap(ConnectCondition.init).map(Self.init) ?? .failed(.connectRefused)
        case .unreachable:
            self = underlying.flatMap(ConnectCondition.init).map(Self.init) ?? .failed(.connectHostDown)
        }
    }

    /// What an error of the system ends in.
    init(_ condition: ConnectCondition) {
        self =
            switch condition {
            case .addressUnavailable: .failed(.connectAddressUnavailable)
            case .permissionDenied: .failed(.connectPermissionDenied)
            case .deviceBusy: .failed(.connectDeviceBusy)
            case .canceled: .failed(.connectCanceled)
            case .refused: .failed(.connectRefused)
            case .hostDown: .failed(.connectHostDown)
            case .alreadyConnected: .failed(.connectAlreadyConnected)
            case .notConnected: .disconnected
            case .timedOut: .failed(.connectTimeout)
            case .networkDown: .failed(.connectNetworkDown)
            case .other: .failed(.connectOther)
            }
    }
}
