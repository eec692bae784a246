internal import CSockets
public import DiscoverableCore
internal import Glibc

/// A network interface of this host, as the kernel describes it at the moment of the question.
public struct NetworkInterface: Hashable, Sendable {
    /// An address of an interface.
    public struct Address: Hashable, Sendable, CustomStringConvertible {
        /// The address itself.
        public let ip: IPAddress
        /// How many of its first bits all hosts on the link have in common: 0…32 for IPv4, 0…128 for IPv6.
        public let prefixLength: Int
        /// The address that reaches all hosts on the link; nil where none is set, and always for IPv6.
        public let broadcast: IPv4Address?

        /// `192.0.2.1/24`.
        public var description: String { "\(ip)/\(prefixLength)" }
    }

    /// The kernel's number, which stays the same as long as the interface exists.
    public let index: InterfaceIndex
    /// The kernel's name, such as `lan0`.
    public let name: String
    /// Whether it is switched on (`IFF_UP`).
    public let isUp: Bool
    /// Whether it can carry packets now: it is switched on, and its cable is plugged in or its network is joined (`IFF_RUNNING`).
    public let isRunning: Bool
    /// Whether it leads back to this host (`IFF_LOOPBACK`).
    public let isLoopback: Bool
    /// Whether groups can be reached through it (`IFF_MULTICAST`).
    public let supportsMulticast: Bool
    /// Whether all hosts on its link can be reached by one address (`IFF_BROADCAST`).
    public let supportsBroadcast: Bool
    /// Whether exactly one other host is at its far end, as in a tunnel (`IFF_POINTOPOINT`).
    public let isPointToPoint: Bool
    /// The largest packet that it takes, in bytes, headers included.
    public let mtu: Int
    /// Its addresses, in the kernel's order; may be empty.
    public let addresses: [Address]

    /// All interfaces, by their numbers. One that comes or goes meanwhile is listed or not.
    ///
    /// - Throws: the system's error where it cannot be asked: descriptors or memory are used up.
    public static func all() throws(UnderlyingError) -> [NetworkInterface] {
        try InterfaceList().interfaces()
    }
}

// MARK: - Names and numbers

extension NetworkInterface {
    /// The number of the interface called `name`; nil where there is none.
    package static func index(of name: String) -> InterfaceIndex? {
        guard canBeName(name) else { return nil }
        let number = unsafe if_nametoindex(name)
        return number == 0 ? nil : InterfaceIndex(rawValue: number)
    }

    /// The number of the interface that leads back to this host; nil where there is none, or the system cannot be asked.
    package static var loopback: InterfaceIndex? {
        (try? all())?.first { $0.isLoopback }?.index
    }

    /// The name of an interface; nil where there is none (any more).
    package static func name(of index: InterfaceIndex) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
            guard let start = buffer.baseAddress, unsafe if_indextoname(index.rawValue, start) != nil else {
                return nil
            }
            return unsafe String(cString: start)
        }
    }

    /// Whether an interface can be called so. The kernel looks at as much of a text as a name can have, up to a zero byte or a
    /// colon, and would find an interface by a text that is not its name.
    package static func canBeName(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1..<Int(IF_NAMESIZE)).contains(bytes.count) && !bytes.contains(0) && !bytes.contains(0x3a)
    }
}
