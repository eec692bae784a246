/// Why finding, resolving or publishing failed.
public struct DiscoveryError: DiscoverableFailure, Hashable {
    /// What went wrong.
    public enum Code: Hashable, Sendable {
        /// No D-Bus or no avahi-daemon within the caller's time-out.
        case daemonUnavailable
        /// The daemon is there but did not answer within the caller's time-out.
        case daemonNotResponding
        /// Nothing of that name or type answered within the caller's time-out.
        case notFound
        /// The daemon allows no more objects, entries or clients.
        case tooManyObjects
        /// The process can have no further thread or descriptor.
        case outOfResources
        /// The name is held by another host.
        case nameCollision
        /// An instance name, service type or domain that DNS-SD cannot carry.
        case invalidName
        /// A TXT record that DNS-SD cannot carry.
        case invalidTXTRecord
        /// The data of a DNS record that is not of its type.
        case invalidRecord
        /// A port, interface or other argument that has no meaning.
        case invalidArgument
        /// The daemon's configuration or the system's policy forbids it.
        case notPermitted
        /// This version of the daemon cannot do it.
        case notSupported
        /// The caller's task was cancelled.
        case cancelled
        /// The daemon refused for another reason; `underlying` says which.
        case daemonError
    }

    /// What went wrong.
    public let code: Code
    /// What was being done: `resolving "Office" (_ipp._tcp)`.
    public let operation: String
    /// What went wrong and what to do about it.
    public let explanation: String
    /// Avahi's number, where Avahi gave one.
    public let underlying: UnderlyingError?

    /// An error with its operation and an explanation that says what to do.
    public init(_ code: Code, operation: String, explanation: String, underlying: UnderlyingError? = nil) {
        self.code = code
        self.operation = operation
        self.explanation = explanation
        self.underlying = underlying
    }

    /// The error of a call whose task was cancelled.
    package static func cancelled(while operation: String) -> DiscoveryError {
        DiscoveryError(.cancelled, operation: operation, explanation: "the task was cancelled")
    }

    /// What a caller can do about it.
    public var failureClass: FailureClass { code.failureClass }
}

extension DiscoveryError.Code {
    /// What a caller can do about an error with this code.
    public var failureClass: FailureClass {
        switch self {
        case .daemonUnavailable, .daemonNotResponding, .notFound, .cancelled, .daemonError: .tryAgain
        case .tooManyObjects, .outOfResources: .freeResources
        case .nameCollision: .chooseAnotherName
        case .invalidName, .invalidTXTRecord, .invalidRecord, .invalidArgument, .notPermitted, .notSupported:
            .giveUp
        }
    }
}
