internal import CSockets
internal import DiscoverableCore
internal import Glibc

/// What `getifaddrs` tells, put together: it makes an entry for each link and one for each address, and names interfaces, whose
/// names can change or go while they are being asked about.
struct InterfaceList {
    /// What is known about an interface when all entries have been read.
    fileprivate struct Link {
        var index: InterfaceIndex?
        var flags: UInt32 = 0
        var addresses: [NetworkInterface.Address] = []
    }

    private var links: [String: Link] = [:]

    init() throws(UnderlyingError) {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { throw .lastSystemCall("getifaddrs") }
        defer { unsafe freeifaddrs(first) }
        var next = unsafe first
        while let entry = unsafe next {
            unsafe add(entry.pointee)
            unsafe next = entry.pointee.ifa_next
        }
    }

    /// The interfaces that still exist, by their numbers.
    func interfaces() throws(UnderlyingError) -> [NetworkInterface] {
        let socket = try socketForQuestions()
        var interfaces: [NetworkInterface] = []
        for (name, link) in links {
            guard let index = link.index ?? NetworkInterface.index(of: name) else { continue }
            guard let mtu = mtu(of: name, askedThrough: socket.rawValue) else { continue }
            interfaces.append(link.interface(index: index, name: name, mtu: mtu))
        }
        return interfaces.sorted { $0.index < $1.index }
    }

    private mutating func add(_ entry: ifaddrs) {
        // An IPv4 address may have a label of its own, `lan0:guest`, which stands here instead of the interface's name.
        let name = unsafe String(cString: entry.ifa_name).prefix { $0 != ":" }
        unsafe links[String(name), default: Link()].add(entry)
    }

    /// nil where no interface has the name any more.
    private func mtu(of name: String, askedThrough descriptor: Int32) -> Int? {
        var request = unsafe ifreq()
        unsafe withUnsafeMutableBytes(of: &request.ifr_ifrn.ifrn_name) { unsafe $0.copyBytes(from: name.utf8) }
        guard unsafe ioctl(descriptor, UInt(SIOCGIFMTU), &request) == 0 else { return nil }
        return Int(unsafe request.ifr_ifru.ifru_mtu)
    }
}

/// Any socket can be asked about interfaces. This kind exists also where a family of addresses does not.
private func socketForQuestions() throws(UnderlyingError) -> FileDescriptor {
    let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw .lastSystemCall("socket") }
    return FileDescriptor(owning: number)
}

extension InterfaceList.Link {
    func interface(index: InterfaceIndex, name: String, mtu: Int) -> NetworkInterface {
        NetworkInterface(
            index: index,
            name: name,
            isUp: has(IFF_UP),
            isRunning: has(IFF_RUNNING),
            isLoopback: has(IFF_LOOPBACK),
            supportsMulticast: has(IFF_MULTICAST),
            supportsBroadcast: has(IFF_BROADCAST),
            isPointToPoint: has(IFF_POINTOPOINT),
            mtu: mtu,
            addresses: addresses
        )
    }

    func has(_ flag: some BinaryInteger) -> Bool { flags & UInt32(flag) != 0 }

    /// `ifa_addr` is null for a link without a hardware address (a tunnel), and for nothing else.
    mutating func add(_ entry: ifaddrs) {
        flags = unsafe entry.ifa_flags
        guard let address = unsafe entry.ifa_addr else { return }
        if unsafe Int32(address.pointee.sa_family) == AF_PACKET {
            // `sockaddr_ll` is not in the Glibc module: family and protocol, two bytes each, stand before `sll_ifindex`.
            index = InterfaceIndex(
                rawValue: unsafe UnsafeRawPointer(address).loadUnaligned(fromByteOffset: 4, as: UInt32.self)
            )
        } else if let ip = unsafe SocketAddress(system: address)?.ip {
            let mask = unsafe entry.ifa_netmask.flatMap { unsafe SocketAddress(system: $0)?.ip }
            let length = mask?.leadingOnes ?? ip.width
            let broadcast = unsafe broadcastAddress(entry, of: ip)
            addresses.append(NetworkInterface.Address(ip: ip, prefixLength: length, broadcast: broadcast))
        }
    }

    /// For an address that was added without one, getifaddrs shows the address itself: the kernel has nothing else to tell.
    private func broadcastAddress(_ entry: ifaddrs, of ip: IPAddress) -> IPv4Address? {
        guard has(IFF_BROADCAST), let pointer = unsafe entry.ifa_ifu.ifu_broadaddr else { return nil }
        guard case .v4(let broadcast)? = unsafe SocketAddress(system: pointer)?.ip, .v4(broadcast) != ip else {
            return nil
        }
        return broadcast == .any ? nil : broadcast
    }
}

extension IPAddress {
    fileprivate var width: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }

    /// The length of the prefix that a mask stands for.
    fileprivate var leadingOnes: Int {
        switch self {
        case .v4(let mask): (~mask.rawValue).leadingZeroBitCount
        case .v6(let mask):
            mask.high == .max ? 64 + (~mask.low).leadingZeroBitCount : (~mask.high).leadingZeroBitCount
        }
    }
}
