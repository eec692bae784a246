public import DiscoverableCore

/// What a session or a listener reports.
public struct SessionError: DiscoverableFailure, Hashable {
    /// What went wrong.
    public enum Code: Hashable, Sendable {
        /// No session came about.
        case connectFailed(SessionConnectFailure)
        /// The peer acknowledged the message not in time; it may have arrived all the same.
        case notAcknowledged
        /// The session ended before the outcome was known.
        case closed(SessionCloseReason)
        /// The session is not connected (yet, or any more).
        case notConnected
        /// The text is empty.
        case emptyMessage
        /// The text has more than 1,024 bytes.
        case messageTooLong(bytes: Int)
        /// The text contains a word of the protocol, by which a classic peer would end the session.
        case messageContainsProtocolWord(String)
        /// Too many messages wait for their acknowledgement.
        case tooManyOutstanding
        /// The caller's task was cancelled.
        case cancelled
        /// The configuration cannot be used: what is wrong with it.
        case invalidConfiguration(String)
        /// The socket could not be opened or bound.
        case socket(SocketError.Code)
    }

    /// What went wrong.
    public let code: Code
    /// What was being done.
    public let operation: String
    /// The system's number, where there is one.
    public let underlying: UnderlyingError?

    package init(_ code: Code, _ operation: String, underlying: UnderlyingError? = nil) {
        self.code = code
        self.operation = operation
        self.underlying = underlying
    }

    init(_ error: SocketError) {
        self.init(.socket(error.code), error.operation, underlying: error.underlying)
    }

    /// What went wrong and what to do about it.
    public var explanation: String {
        switch code {
        case .connectFailed(let failure): failure.explanation
        case .notAcknowledged: "the message was not acknowledged in time; send it again if it may arrive twice"
        case .closed(let reason): "the session is over, since \(reason.explanation); connect again"
        case .notConnected: "the session is not connected; connect first"
        case .emptyMessage: "a message needs at least one byte"
        case .messageTooLong(let bytes): "the message has \(bytes) bytes and at most 1024 fit; split it"
        case .messageContainsProtocolWord(let word):
            "the message contains \"\(word)\", by which peers would end; reword it"
        case .tooManyOutstanding: "too many messages wait for acknowledgements; await earlier ones first"
        case .cancelled: "the task was cancelled"
        case .invalidConfiguration(let problem): problem
        case .socket(let code): SocketError(code, operation).explanation
        }
    }

    /// What a caller can do about it.
    public var failureClass: FailureClass {
        switch code {
        case .connectFailed, .notAcknowledged, .closed: .tryAgain
        case .tooManyOutstanding: .freeResources
        case .notConnected, .emptyMessage, .messageTooLong, .messageContainsProtocolWord, .cancelled,
            .invalidConfiguration:
            .giveUp
        case .socket(let code): SocketError(code, operation).failureClass
        }
    }
}

extension SessionError {
    init(_ refusal: SendRefusal) {
        let code: Code =
            switch refusal {
            case .message(.empty): .emptyMessage
            case .message(.tooLong(let bytes)): .messageTooLong(bytes: bytes)
            case .message(.containsProtocolWord(let word)): .messageContainsProtocolWord(word)
            case .notConnected(.closed(let reason)): .closed(reason)
            case .notConnected(.failed(let failure)): .connectFailed(failure)
            case .notConnected: .notConnected
            case .tooManyOutstanding: .tooManyOutstanding
            }
        self.init(code, "sending a message")
    }
}

extension SessionConnectFailure {
    /// What went wrong and what to do about it.
    public var explanation: String {
        switch self {
        case .noAnswer: "the peer did not answer; check that it runs and that no firewall drops UDP"
        case .noHandshake: "the peer acknowledges but does not admit us; it may serve somebody else: restart it"
        case .refused: "nobody listens on the peer's port; start the peer or check the port"
        case .unreachable: "there is no way to the peer's address; check the network"
        case .endedByPeer: "the peer ended the session instead of admitting us; try again later"
        }
    }
}

extension SessionCloseReason {
    /// Why the session ended.
    public var explanation: String {
        switch self {
        case .closedLocally: "it was closed on this side"
        case .closedByPeer: "the peer closed it"
        case .lost: "the peer acknowledged hardly any of the last messages"
        case .silent: "the peer no longer answers"
        case .idle: "the peer was silent for too long"
        case .displaced: "the peer had said nothing since it connected, and its place was needed for another one"
        }
    }
}
