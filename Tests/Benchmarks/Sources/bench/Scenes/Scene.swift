/// What has to stand before a row can be measured: hosts of the testbed with services, or nothing.
enum Scene: CaseIterable, Sendable {
    /// This process and its workers are all.
    case bare
    /// Our host sees another one on one link over IPv4, which publishes services.
    case oneLink
    /// It sees that one on two links over both families.
    case fourPaths
    /// Our host on one link over IPv4, and nobody publishes but itself.
    case alone
    /// Instead of avahi-daemon a program of ours sends the signals.
    case scriptedDaemon

    /// The services that the other host publishes.
    var services: [ServiceSet] {
        switch self {
        case .bare, .alone, .scriptedDaemon: []
        case .oneLink: [.hundred, .twoHundred, .thousand, .threeThousand]
        case .fourPaths: [.twoHundred]
        }
    }

    /// On how many paths each of them is seen.
    var paths: Int { self == .fourPaths ? 4 : 1 }

    /// What the testbed's control program is told first, word by word.
    var preparations: [[String]] {
        switch self {
        case .bare: []
        case .oneLink, .alone: [["link", "alpha", "lan1", "down"]] + configuration(ipv6: "no", links: "lan0")
        case .fourPaths: [["link", "alpha", "lan1", "up"]] + configuration(ipv6: "yes", links: "lan0,lan1")
        case .scriptedDaemon: [["daemon", "alpha", "stop"]]
        }
    }

    /// What it is told when all is measured.
    var restorations: [[String]] {
        switch self {
        case .bare, .oneLink, .fourPaths, .alone: []
        case .scriptedDaemon: [["daemon", "alpha", "start"]]
        }
    }

    /// The other host does not claim its services on the loopback interface, which would take its daemon longer than the links.
    private func configuration(ipv6: String, links: String) -> [[String]] {
        [
            ["config", "alpha", "server", "cache-entries-max", "16384"],
            ["config", "alpha", "server", "use-ipv6", ipv6],
            ["config", "beta", "server", "use-ipv6", ipv6],
            ["config", "beta", "server", "allow-interfaces", links],
        ]
    }
}

/// Services of one type, numbered from 0.
struct ServiceSet: Hashable, Sendable {
    let count: Int
    var type: String { "_bench\(count)._tcp" }
    /// For a worker's command line.
    var words: [String] { [type, String(count)] }

    static let hundred = ServiceSet(count: 100)
    static let twoHundred = ServiceSet(count: 200)
    static let thousand = ServiceSet(count: 1000)
    static let threeThousand = ServiceSet(count: 3000)
}
