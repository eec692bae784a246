package import DiscoverableCore
internal import Glibc

/// A network interface of this host, as the kernel describes it at the moment of the question.
package struct NetworkInterface: Sendable, Hashable {
    /// The kernel's number.
    package let index: InterfaceIndex
    /// The kernel's name, such as `lan0`.
    package let name: String
    /// Whether it is switched on (`IFF_UP`).
    package let isUp: Bool
    /// Whether it leads back to this host (`IFF_LOOPBACK`).
    package let isLoopback: Bool
    /// Its addresses, in the kernel's order; may be empty.
    package let addresses: [IPAddress]

    /// The number of the interface called `name`; nil where there is none.
    package static func index(of name: String) -> InterfaceIndex? {
        let number = unsafe if_nametoindex(name)
        return number == 0 ? nil : InterfaceIndex(rawValue: number)
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

    /// All interfaces, by their numbers.
    package static func all() throws(UnderlyingError) -> [NetworkInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { throw .lastSystemCall("getifaddrs") }
        defer { unsafe freeifaddrs(first) }
        var interfaces: [InterfaceIndex: NetworkInterface] = [:]
        var next = unsafe first
        while let entry = unsafe next {
            unsafe add(entry.pointee, to: &interfaces)
            unsafe next = entry.pointee.ifa_next
        }
        return interfaces.values.sorted { $0.index < $1.index }
    }

    /// Each entry is an interface with one of its addresses, or without any: `ifa_addr` may be null (a tun device).
    private static func add(_ entry: ifaddrs, to interfaces: inout [InterfaceIndex: NetworkInterface]) {
        let name = unsafe String(cString: entry.ifa_name)
        // An interface that has gone meanwhile has no number any more.
        guard let index = index(of: name) else { return }
        let address = unsafe entry.ifa_addr.flatMap { unsafe SocketAddress(system: $0)?.ip }
        interfaces[index] = NetworkInterface(
            index: index,
            name: name,
            isUp: unsafe entry.ifa_flags & UInt32(IFF_UP) != 0,
            isLoopback: unsafe entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0,
            addresses: (interfaces[index]?.addresses ?? []) + (address.map { [$0] } ?? [])
        )
    }
}
