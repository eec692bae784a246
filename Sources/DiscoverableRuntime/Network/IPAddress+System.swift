internal import CSockets
package import DiscoverableCore
internal import Glibc

/// Addresses as they stand in packets and in the kernel's structures (`in_addr`, `in6_addr`): 4 or 16 bytes in network
/// order, at any alignment. Nothing here allocates.
extension IPAddress {
    /// Writes the 4 or 16 bytes of the address; returns how many.
    ///
    /// - Parameters:
    ///   - pointer: the beginning of as many writable bytes; 16 are always enough.
    @discardableResult
    package func write(to pointer: UnsafeMutableRawPointer) -> Int {
        switch self {
        case .v4(let address):
            unsafe pointer.storeBytes(of: address.rawValue.bigEndian, as: UInt32.self)
            return 4
        case .v6(let address):
            unsafe address.write(to: pointer)
            return 16
        }
    }

    /// Reads the 4 or 16 bytes of an address of the family.
    ///
    /// - Parameters:
    ///   - pointer: the beginning of as many readable bytes.
    package init(systemBytes pointer: UnsafeRawPointer, family: AddressFamily) {
        switch family {
        case .ipv4:
            let number = unsafe pointer.loadUnaligned(as: UInt32.self)
            self = .v4(IPv4Address(rawValue: UInt32(bigEndian: number)))
        case .ipv6:
            self = unsafe .v6(IPv6Address(systemBytes: pointer))
        }
    }
}

extension IPv6Address {
    /// Writes the sixteen bytes of the address.
    package func write(to pointer: UnsafeMutableRawPointer) {
        unsafe pointer.storeBytes(of: high.bigEndian, as: UInt64.self)
        unsafe pointer.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }

    /// Reads the sixteen bytes of an address.
    package init(systemBytes pointer: UnsafeRawPointer) {
        self.init(
            high: UInt64(bigEndian: unsafe pointer.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: unsafe pointer.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
    }

    init(_ system: in6_addr) {
        self = unsafe withUnsafePointer(to: system) { unsafe IPv6Address(systemBytes: UnsafeRawPointer($0)) }
    }
}

extension in6_addr {
    init(_ address: IPv6Address) {
        self.init()
        unsafe withUnsafeMutablePointer(to: &self) { unsafe address.write(to: UnsafeMutableRawPointer($0)) }
    }
}
