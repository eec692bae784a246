public import Foundation

/// What `GCDAsyncUdpSocket` itself finds wrong. What the system finds wrong is an `NSError` of the domain `NSPOSIXErrorDomain` with its
/// `errno`, and what name resolution does, one of the domain `kCFStreamErrorDomainNetDB` with its `EAI_` number.
///
/// As an `NSError` it has the domain `GCDAsyncUdpSocketErrorDomain` and the number of its code. Two of them are equal where their codes
/// are.
public struct GCDAsyncUdpSocketError: Error, Sendable, RawRepresentable, Hashable {
    /// The numbers of the header.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        /// Nothing went wrong: what a delegate gets whose `udpSocketDidClose` has room for an error only.
        case noError = 0
        /// The socket is not in a state for it: what was called before, or is missing.
        case badConfig = 1
        /// What was handed over makes no sense.
        case badParam = 2
        /// There was no room for the datagram, for too long.
        case sendTimeout = 3
        /// The socket was closed.
        case closed = 4
        /// Anything else; see the description.
        case other = 5
    }

    /// What went wrong.
    public let code: Code
    private let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Nothing went wrong.
    public static let noError = GCDAsyncUdpSocketError(.noError, "no error")
    /// The socket is not in a state for it.
    public static let badConfigError = GCDAsyncUdpSocketError(.badConfig, "the socket is not set up for this")
    /// What was handed over makes no sense.
    public static let badParamError = GCDAsyncUdpSocketError(.badParam, "a parameter makes no sense")
    /// There was no room for the datagram, for too long.
    public static let sendTimeoutError = GCDAsyncUdpSocketError(.sendTimeout, "the time for sending was over")
    /// The socket was closed.
    public static let closedError = GCDAsyncUdpSocketError(.closed, "the socket was closed")
    /// Anything else.
    public static let otherError = GCDAsyncUdpSocketError(.other, "it cannot be done")

    /// The number of the code, 0…5.
    public var rawValue: Int { code.rawValue }

    /// The error with a number of the header; nil for one that it does not have.
    public init?(rawValue: Int) {
        guard let code = Code(rawValue: rawValue) else { return nil }
        switch code {
        case .noError: self = .noError
        case .badConfig: self = .badConfigError
        case .badParam: self = .badParamError
        case .sendTimeout: self = .sendTimeoutError
        case .closed: self = .closedError
        case .other: self = .otherError
        }
    }

    /// Compares the codes.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// For `catch GCDAsyncUdpSocketError.badConfigError`.
    public static func ~= (pattern: Self, error: any Error) -> Bool { (error as? Self)?.code == pattern.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension GCDAsyncUdpSocketError: CustomNSError, LocalizedError, CustomStringConvertible {
    /// `GCDAsyncUdpSocketErrorDomain`.
    public static var errorDomain: String { GCDAsyncUdpSocketErrorDomain }
    /// The number of the code.
    public var errorCode: Int { code.rawValue }
    /// The description.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
    /// What went wrong, and what to do about it.
    public var errorDescription: String? { message }
    /// What went wrong, and what to do about it.
    public var description: String { message }
}
