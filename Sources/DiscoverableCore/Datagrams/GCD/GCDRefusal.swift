/// Why a socket in GCD style does not do what it was asked for.
package enum GCDRefusal: Error, Sendable, Hashable {
    /// The numbers of the original's header.
    package enum Code: Int, Sendable, Hashable {
        case badConfig = 1
        case badParam = 2
        case sendTimeout = 3
        case other = 5
    }

    case noDelegate
    case noDelegateQueue
    case noFamily
    case alreadyBound
    case alreadyConnected
    case isConnecting
    case notBound
    case notOpen
    case connectedHasNoGroups
    case notConnected
    case sendsToPeerOnly
    case noBroadcasts
    case noSuchInterface(String)
    case interfaceWithoutFamily(String)
    case notAnAddress
    case notAGroup(String)
    case emptyHost
    case familyIsOff(AddressFamily)
    case noUsableAddress
    case familyNotOpen(AddressFamily)
    case timedOut

    package var code: Code {
        switch self {
        case .noDelegate, .noDelegateQueue, .noFamily, .alreadyBound, .alreadyConnected, .isConnecting, .notBound,
            .notOpen, .connectedHasNoGroups, .notConnected, .sendsToPeerOnly, .noBroadcasts:
            .badConfig
        case .noSuchInterface, .interfaceWithoutFamily, .notAnAddress, .notAGroup, .emptyHost, .familyIsOff:
            .badParam
        case .noUsableAddress, .familyNotOpen: .other
        case .timedOut: .sendTimeout
        }
    }

    /// What is wrong, and what to do about it.
    package var explanation: String {
        switch self {
        case .noDelegate: "nobody would be told anything; set a delegate first"
        case .noDelegateQueue: "the delegate has no queue; set a delegate queue first"
        case .noFamily: "both families are switched off; enable IPv4 or IPv6"
        case .alreadyBound: "the socket has a port already (sending takes one too); close it before binding again"
        case .alreadyConnected: "the socket is connected; close it first"
        case .isConnecting: "the socket is being connected; wait for the outcome, or close it"
        case .notBound: "the socket has no port yet; bind it first"
        case .notOpen: "there is nothing to receive from; bind the socket first"
        case .connectedHasNoGroups: "a connected socket hears its peer only; join groups with another socket"
        case .notConnected: "there is no destination; connect the socket, or send to a host or an address"
        case .sendsToPeerOnly:
            "a connected socket sends to its peer only; send without a destination, or use another socket"
        case .noBroadcasts: "IPv6 has no broadcasts; enable IPv4, or send to a group"
        case .noSuchInterface(let name): "there is no interface \"\(name)\"; give its name or one of its addresses"
        case .interfaceWithoutFamily(let name): "\"\(name)\" has no address of a family that is enabled"
        case .notAnAddress: "the data is no sockaddr_in or sockaddr_in6"
        case .notAGroup(let text): "\"\(text)\" is no group's address; groups are 224.0.0.0/4 and ff00::/8"
        case .emptyHost: "the host has no name; give a name or an address"
        case .familyIsOff(let family): "the address is of \(family), which is switched off; enable it"
        case .noUsableAddress: "the host has no address of a family that the socket has"
        case .familyNotOpen(let family):
            "the address is of \(family), which the socket does not have; use another socket"
        case .timedOut: "there was no room in the system for too long; allow more time, or send less"
        }
    }
}
