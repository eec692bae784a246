internal import DiscoverableCore
internal import Glibc

extension AddressFamily {
    /// `AF_INET` or `AF_INET6`.
    var systemValue: Int32 {
        switch self {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        }
    }
}

extension SocketAddress {
    /// Lends the address in the kernel's form, with its length.
    func withSockAddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        switch ip {
        case .v4(let address):
            var system = sockaddr_in()
            system.sin_family = sa_family_t(AF_INET)
            system.sin_port = port.bigEndian
            system.sin_addr.s_addr = address.rawValue.bigEndian
            return unsafe lend(&system, to: body)
        case .v6(let address):
            var system = sockaddr_in6()
            system.sin6_family = sa_family_t(AF_INET6)
            system.sin6_port = port.bigEndian
            system.sin6_scope_id = scope?.rawValue ?? 0
            unsafe withUnsafeMutableBytes(of: &system.sin6_addr) { unsafe $0.copyBytes(from: address.bytes) }
            return unsafe lend(&system, to: body)
        }
    }

    /// The address that the kernel wrote at `address`; nil for a family that is neither IPv4 nor IPv6.
    ///
    /// - Parameters:
    ///   - address: points to as many bytes as the family that stands there needs.
    init?(system address: UnsafePointer<sockaddr>) {
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET:
            let system = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            let ip = IPv4Address(rawValue: UInt32(bigEndian: system.sin_addr.s_addr))
            self.init(.v4(ip), port: UInt16(bigEndian: system.sin_port))
        case AF_INET6:
            let system = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            let bytes = unsafe withUnsafeBytes(of: system.sin6_addr) { unsafe Array($0) }
            guard let ip = IPv6Address(bytes: bytes) else { return nil }
            let scope = system.sin6_scope_id == 0 ? nil : InterfaceIndex(rawValue: system.sin6_scope_id)
            self.init(.v6(ip), port: UInt16(bigEndian: system.sin6_port), scope: scope)
        default:
            return nil
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

private func lend<System, Result>(
    _ system: inout System,
    to body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    unsafe withUnsafePointer(to: &system) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe body($0, socklen_t(MemoryLayout<System>.size))
        }
    }
}
