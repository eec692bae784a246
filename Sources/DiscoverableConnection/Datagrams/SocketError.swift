public import DiscoverableCore
internal import DiscoverableRuntime

/// What a socket, or the resolution of a host's name, reports.
public struct SocketError: DiscoverableFailure, Hashable {
    /// What went wrong.
    public enum Code: Hashable, Sendable {
        /// The socket was closed, before or during the call.
        case closed
        /// The caller's task was cancelled.
        case cancelled
        /// The caller's time was over.
        case timedOut
        /// Nobody listens on the peer's port: what its host reports about a datagram (`UDPSocket.errors`).
        case refused
        /// There is no way to the address.
        case unreachable
        /// The port belongs to another socket.
        case addressInUse
        /// The address is none of this host's.
        case addressUnavailable
        /// The socket has an address already.
        case alreadyBound
        /// The address is of the other family than the socket.
        case wrongFamily
        /// The system allows it only to others.
        case permissionDenied
        /// The datagram is larger than a datagram can be, or than the link takes.
        case tooLarge
        /// Descriptors or memory are used up.
        case outOfResources
        /// There is no interface of that name.
        case noSuchInterface
        /// The host's name is unknown.
        case nameNotFound
        /// A connected socket sends to its peer only.
        case alreadyConnected
        /// A destination is needed.
        case notConnected
        /// The address is no group's (224.0.0.0/4, ff00::/8), or not one of the kind that was asked for.
        case notAGroup
        /// The socket is a member of the group already.
        case alreadyJoined
        /// The socket is no member of the group, with this interface and source.
        case notJoined
        /// Anything else; see `underlying`.
        case other
    }

    /// What went wrong.
    public let code: Code
    /// What was being done.
    public let operation: String
    /// The system's number, where there is one.
    public let underlying: UnderlyingError?

    init(_ code: Code, _ operation: String, underlying: UnderlyingError? = nil) {
        self.code = code
        self.operation = operation
        self.underlying = underlying
    }

    init(_ underlying: UnderlyingError, _ operation: String) {
        self.init(Code(underlying), operation, underlying: underlying)
    }

    /// What went wrong and what to do about it.
    public var explanation: String {
        switch code {
        case .closed: "the socket is closed; open another one"
        case .cancelled: "the task was cancelled"
        case .timedOut: "the time was over; try again, or allow more time"
        case .refused: "nobody listens on the peer's port; start the peer or check the port"
        case .unreachable: "there is no way to the address now; check the network, or try the peer's next address"
        case .addressInUse: "another socket has the port; close it, or use another port (0 takes a free one)"
        case .addressUnavailable: "the address is none of this host's; bind to one of its own"
        case .alreadyBound: "the socket has an address already; open another one"
        case .wrongFamily: "the address is of the other family (IPv4, IPv6) than the socket; use a socket of its family"
        case .permissionDenied: "not permitted; ports below 1024 and broadcasts need rights or options"
        case .tooLarge: "the datagram is too large; send smaller ones"
        case .outOfResources: "descriptors or buffers are used up; close some, or wait"
        case .noSuchInterface: "there is no such interface; look at the list of interfaces"
        case .nameNotFound: "the name has no address; check its spelling and the network's name service"
        case .alreadyConnected: "a connected socket sends to its peer only; use another socket"
        case .notConnected: "a destination is needed; connect the socket or name one"
        case .notAGroup: "the address is no group's; groups are 224.0.0.0/4 and ff00::/8"
        case .alreadyJoined: "the socket is a member of the group already; there is nothing to do"
        case .notJoined: "the socket is no member; leave with the interface and the source of the joining"
        case .other: "the system refused"
        }
    }

    /// What a caller can do about it.
    public var failureClass: FailureClass {
        switch code {
        case .timedOut, .refused, .unreachable, .nameNotFound: .tryAgain
        case .outOfResources, .addressInUse: .freeResources
        case .closed, .cancelled, .addressUnavailable, .wrongFamily, .permissionDenied, .tooLarge: .giveUp
        case .noSuchInterface, .alreadyConnected, .notConnected, .alreadyBound, .other: .giveUp
        case .notAGroup, .alreadyJoined, .notJoined: .giveUp
        }
    }
}

extension SocketError.Code {
    init(_ error: UnderlyingError) {
        self =
            switch error.condition {
            case .refused: .refused
            case .unreachable: .unreachable
            case .addressInUse: .addressInUse
            case .addressUnavailable: .addressUnavailable
            case .familyUnsupported: .wrongFamily
            case .permissionDenied: .permissionDenied
            case .tooLarge: .tooLarge
            case .outOfResources, .noBufferSpace: .outOfResources
            case .noSuchInterface: .noSuchInterface
            case .notASocket: .closed
            case .wouldBlock, .interrupted, .invalidArgument, .inputOutput, .other:
                error.domain == .nameResolution ? .nameNotFound : .other
            }
    }
}
