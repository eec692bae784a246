public import DiscoverableCore

/// Where a `Discovery` tells what it does with the daemon: a closure of the app's, for its log.
///
/// Set when a `Discovery` is made, or later by `Discovery.setDiagnostics(_:)`. Where none is set, nothing is put together and
/// nothing is called.
///
/// - Important: The closure is called on the thread of the connection to the daemon, one event after the other in the order
///   in which things happen, and never inside a lock. It may call the `Discovery`, but whatever it waits for, the
///   connection waits for too: hand on what takes long.
public struct DiscoveryDiagnostics: Sendable {
    /// How much an event matters.
    public enum Level: Int, Hashable, Comparable, Sendable, CaseIterable, CustomStringConvertible {
        /// Each object in the daemon, and each call that it did not take.
        case debug
        /// What an app's user may want to know: the daemon's comings and goings, the states of publications.
        case info
        /// What is mended by itself, or is a peer's fault.
        case warning
        /// What ends a stream or a publication.
        case error

        /// Orders by how much an event matters.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        /// `debug`, `info`, `warning` or `error`.
        public var description: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    /// Something that happened.
    public struct Event: Hashable, Sendable, CustomStringConvertible {
        /// How much it matters.
        public let level: Level
        /// What it is, for code.
        public let kind: Kind
        /// What it is, for people: one line without control characters, whatever the network said.
        public let message: String

        init(_ level: Level, _ kind: Kind, _ message: String) {
            self.level = level
            self.kind = kind
            self.message = message.printableLine
        }

        /// The level and the message: `warning: avahi-daemon is gone`.
        public var description: String { "\(level): \(message)" }
    }

    /// What can happen. More may be added: keep a `default` where you switch over it.
    public enum Kind: Hashable, Sendable {
        /// The connection to the daemon stands otherwise than before.
        case daemonState(DaemonState)
        /// The daemon made an object for us; so many it holds for us now.
        case objectOpened(count: Int)
        /// The daemon freed an object of ours; so many it still holds.
        case objectFreed(count: Int)
        /// The daemon refused a call or did not answer it.
        case callFailed(UnderlyingError)
        /// What was refused is asked for again later, by itself.
        case postponed
        /// A stream, a resolve or a publication ended by this error.
        case ended(DiscoveryError)
        /// A publication stands otherwise than before.
        case publicationState(PublicationState)
        /// The network told something that is no valid name, type or record, and was passed over: so many by now. Told for
        /// the first, the second, the fourth, the eighth and so on, so that a broken peer does not fill the log.
        case malformedItem(count: UInt64)
    }

    /// The least level that is told.
    public let minimumLevel: Level
    let handler: @Sendable (Event) -> Void

    /// Tells the events of a level and those that matter more.
    ///
    /// - Parameters:
    ///   - minimumLevel: the least level that is told.
    ///   - handler: is called on the connection's thread; see `DiscoveryDiagnostics`.
    public init(minimumLevel: Level = .info, handler: @escaping @Sendable (Event) -> Void) {
        self.minimumLevel = minimumLevel
        self.handler = handler
    }
}
