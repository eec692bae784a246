internal import DiscoverableCore
internal import DiscoverableRuntime
public import Foundation

/// What stands in an address.
extension GCDAsyncUdpSocket {
    /// The host, as text without a scope; nil for what is no address.
    public class func host(fromAddress address: Data) -> String? { SocketAddress(address)?.ip.description }

    /// The port; 0 for what is no address.
    public class func port(fromAddress address: Data) -> UInt16 { SocketAddress(address)?.port ?? 0 }

    /// `AF_INET` or `AF_INET6`; `AF_UNSPEC` for what is no address.
    public class func family(fromAddress address: Data) -> Int32 { SocketAddress(address)?.family.systemValue ?? 0 }

    /// Whether it is an address of IPv4.
    public class func isIPv4Address(_ address: Data) -> Bool { SocketAddress(address)?.family == .ipv4 }

    /// Whether it is an address of IPv6.
    public class func isIPv6Address(_ address: Data) -> Bool { SocketAddress(address)?.family == .ipv6 }

    /// Takes an address apart; false, and nothing is changed, for what is none. Nil for what is of no interest.
    @discardableResult
    public class func getHost(
        _ hostPtr: UnsafeMutablePointer<NSString?>?,
        port portPtr: UnsafeMutablePointer<UInt16>?,
        fromAddress address: Data
    ) -> Bool {
        unsafe getHost(hostPtr, port: portPtr, family: nil, fromAddress: address)
    }

    /// Takes an address apart, its family (`AF_INET`, `AF_INET6`) included; false, and nothing is changed, for what is none. Nil for
    /// what is of no interest.
    @discardableResult
    public class func getHost(
        _ hostPtr: UnsafeMutablePointer<NSString?>?,
        port portPtr: UnsafeMutablePointer<UInt16>?,
        family afPtr: UnsafeMutablePointer<Int32>?,
        fromAddress address: Data
    ) -> Bool {
        guard let address = SocketAddress(address) else { return false }
        unsafe hostPtr?.pointee = NSString(string: address.ip.description)
        unsafe portPtr?.pointee = address.port
        unsafe afPtr?.pointee = address.family.systemValue
        return true
    }
}
