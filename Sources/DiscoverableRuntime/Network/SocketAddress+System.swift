internal import CSockets
package import DiscoverableCore
internal import Glibc

extension AddressFamily {
    /// `AF_INET` or `AF_INET6`.
    package var systemValue: Int32 {
        switch self {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        }
    }
}

/// The kernel's form of addresses, `sockaddr_in` and `sockaddr_in6`. All of this is done for every datagram: nothing here
/// allocates, and pointers need no alignment.
extension SocketAddress {
    /// The size of the larger form, `sockaddr_in6`.
    package static var systemSize: Int { MemoryLayout<sockaddr_in6>.size }

    /// Writes the kernel's form; returns its length (`socklen_t`).
    ///
    /// - Parameters:
    ///   - pointer: the beginning of at least `systemSize` writable bytes.
    @discardableResult
    package func write(to pointer: UnsafeMutableRawPointer) -> UInt32 {
        switch ip {
        case .v4(let address):
            var system = sockaddr_in()
            system.sin_family = sa_family_t(AF_INET)
            system.sin_port = port.bigEndian
            system.sin_addr.s_addr = address.rawValue.bigEndian
            unsafe pointer.storeBytes(of: system, as: sockaddr_in.self)
            return UInt32(MemoryLayout<sockaddr_in>.size)
        case .v6(let address):
            var system = sockaddr_in6()
            system.sin6_family = sa_family_t(AF_INET6)
            system.sin6_port = port.bigEndian
            system.sin6_addr = in6_addr(address)
            system.sin6_scope_id = scope?.rawValue ?? 0
            unsafe pointer.storeBytes(of: system, as: sockaddr_in6.self)
            return UInt32(MemoryLayout<sockaddr_in6>.size)
        }
    }

    /// Reads what the kernel wrote; nil for a family that is neither IPv4 nor IPv6, and for fewer bytes than it needs.
    ///
    /// - Parameters:
    ///   - pointer: the beginning of `length` readable bytes.
    ///   - length: how many bytes the kernel says it wrote (`msg_namelen`).
    package init?(systemBytes pointer: UnsafeRawPointer, length: Int = SocketAddress.systemSize) {
        guard length >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(unsafe pointer.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            let system = unsafe pointer.loadUnaligned(as: sockaddr_in.self)
            let ip = IPv4Address(rawValue: UInt32(bigEndian: system.sin_addr.s_addr))
            self.init(.v4(ip), port: UInt16(bigEndian: system.sin_port))
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let system = unsafe pointer.loadUnaligned(as: sockaddr_in6.self)
            let scope = InterfaceIndex(rawValue: system.sin6_scope_id)
            self.init(.v6(IPv6Address(system.sin6_addr)), port: UInt16(bigEndian: system.sin6_port), scope: scope)
        default:
            return nil
        }
    }

    /// The address that the kernel wrote at `address`; nil for a family that is neither IPv4 nor IPv6.
    ///
    /// - Parameters:
    ///   - address: points to as many bytes as the family that stands there needs.
    init?(system address: UnsafePointer<sockaddr>) {
        unsafe self.init(systemBytes: UnsafeRawPointer(address))
    }

    /// Lends the address in the kernel's form, with its length.
    func withSockAddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_in6()
        return unsafe withUnsafeMutablePointer(to: &storage) { storage in
            let length = unsafe write(to: storage)
            return unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }

    /// The address that `fill` writes, in the kernel's form, into room for the largest; nil for a foreign family.
    static func reading(_ fill: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Void) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe fill(address, &length)
                return unsafe SocketAddress(system: address)
            }
        }
    }
}
