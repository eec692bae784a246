internal import Discoverable

/// All that `dscv doctor` knows of a host before it judges.
struct Facts {
    var daemon: Daemon
    /// Whether its program is there to be started.
    var isInstalled: Bool
    var configuration: ConfigurationFile
    var interfaces: [Interface]
    /// The host's own name, up to the first dot.
    var systemHostName: String
    /// The name under which the daemon tells of this host; nil where it did not say.
    var heldHostName: String?
    /// Services of this host that another one's name made change theirs; nil where nobody could tell.
    var renamedServices: [String]?
    var nameService: NameService
    /// Who has UDP port 5353 open besides avahi-daemon.
    var otherResponders: [Responder]
    var roundTrip: RoundTrip

    enum Daemon: Equatable {
        /// There is no D-Bus, for this reason.
        case noBus(String)
        /// No daemon has its name on D-Bus. A process may be there nevertheless.
        case absent(process: Int32?)
        /// It has its name and does not answer.
        case hangs
        case runs(version: String)
    }

    struct ConfigurationFile: Equatable {
        let path: String
        let content: Content

        enum Content: Equatable {
            case read(DaemonConfiguration)
            case missing
            case unreadable(String)
        }

        /// What holds: the daemon's defaults where there is nothing to read.
        var effective: DaemonConfiguration {
            if case .read(let configuration) = content { configuration } else { DaemonConfiguration("") }
        }
    }

    struct Interface: Equatable {
        var name: String
        var isUp = true
        var isLoopback = false
        var supportsMulticast = true
        var isPointToPoint = false
        /// Of which there are addresses.
        var families: [AddressFamily]
    }

    struct NameService: Equatable {
        /// What stands behind `hosts:` in nsswitch.conf; nil where there is no such line.
        var sources: [String]?
        /// Whether libc would find the library of the sources that begin with `mdns`.
        var hasLibrary: Bool
    }

    /// A process that has port 5353 open, as far as it can be seen.
    struct Responder: Equatable, Hashable {
        /// nil where only root may look.
        var process: String?
        var user: String
    }

    enum RoundTrip: Equatable {
        /// Published, found, resolved under this host's name and withdrawn, within these seconds.
        case succeeded(host: String, seconds: Double)
        case publishingFailed(DiscoveryError)
        case notFound
        case resolvingFailed(DiscoveryError)
        /// It was withdrawn and is still told.
        case notWithdrawn
        case notTried
    }
}
