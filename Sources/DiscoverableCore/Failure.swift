/// What a caller can do about an error: the four answers that exist.
public enum FailureClass: Sendable, Hashable {
    /// The cause may pass by itself: the same call may succeed later.
    case tryAgain
    /// Something is used up (objects in the daemon, clients, descriptors): free some of it first.
    case freeResources
    /// The name is taken: the same call with another name can succeed.
    case chooseAnotherName
    /// The call as it stands can never succeed.
    case giveUp
}

/// The number under an error, as the system or the daemon gave it, with its text.
public struct UnderlyingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Whose number it is.
    public enum Domain: Sendable, Hashable {
        /// An `errno` of a system call.
        case errno
        /// An error number of Avahi (`avahi-common/error.h`), negative.
        case avahi
        /// An `EAI_` number of `getaddrinfo`.
        case nameResolution
    }

    /// Whose number it is.
    public let domain: Domain
    /// The number itself.
    public let number: Int32
    /// The call that gave the number, such as `sendmsg` or `avahi_client_new`.
    public let call: String
    /// The owner's own text for the number.
    public let text: String

    /// An error number with the call that gave it and its owner's text.
    public init(domain: Domain, number: Int32, call: String, text: String) {
        self.domain = domain
        self.number = number
        self.call = call
        self.text = text
    }

    /// The call, the text and the number on one line.
    public var description: String { "\(call): \(text) (\(number))" }
}

/// What all public errors of this package have in common.
public protocol DiscoverableFailure: Error, CustomStringConvertible {
    /// What was being done, as a sentence's beginning: `browsing for _http._tcp`.
    var operation: String { get }
    /// What went wrong and what to do about it, as one sentence.
    var explanation: String { get }
    /// What a caller can do about it.
    var failureClass: FailureClass { get }
    /// The number of the system or of the daemon, where there is one.
    var underlying: UnderlyingError? { get }
}

extension DiscoverableFailure {
    /// One line: what was being done, what went wrong, what to do, and the number under it.
    public var description: String {
        let cause = underlying.map { " [\($0)]" } ?? ""
        return "\(operation): \(explanation)\(cause)".printableLine
    }
}

extension String {
    /// The text on one line of bounded length. Names come from the network: one must not break the line, steer the terminal or
    /// fill the log that it is printed to.
    package var printableLine: String {
        var scalars = String.UnicodeScalarView(unicodeScalars.prefix(1_000))
        if unicodeScalars.dropFirst(1_000).first != nil { scalars.append("…") }
        let shown = scalars.map { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) ? "\u{fffd}" : $0 }
        return String(String.UnicodeScalarView(shown))
    }
}
