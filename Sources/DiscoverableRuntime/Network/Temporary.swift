internal import DiscoverableCore
internal import Glibc

// Until the branch that replaces it is merged.
extension SocketAddress {
    func write(to memory: UnsafeMutableRawPointer) -> socklen_t {
        unsafe withSockAddr { address, size in
            unsafe memory.copyMemory(from: address, byteCount: Int(size))
            return size
        }
    }
    init?(systemBytes: UnsafeRawPointer) {
        unsafe self.init(system: systemBytes.assumingMemoryBound(to: sockaddr.self))
    }
}
extension IPAddress {
    init(systemBytes bytes: UnsafeRawPointer, family: AddressFamily) {
        switch family {
        case .ipv4: self = unsafe .v4(IPv4Address(rawValue: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
        case .ipv6:
            self = unsafe .v6(
                IPv6Address(
                    high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                    low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                )
            )
        }
    }
    func write(to memory: UnsafeMutableRawPointer) {
        switch self {
        case .v4(let address): unsafe memory.storeBytes(of: address.rawValue.bigEndian, as: UInt32.self)
        case .v6(let address):
            unsafe memory.storeBytes(of: address.high.bigEndian, as: UInt64.self)
            unsafe memory.storeBytes(of: address.low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
    }
}
