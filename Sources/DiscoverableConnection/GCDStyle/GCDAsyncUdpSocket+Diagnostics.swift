// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import DiscoverableCore
public import Foundation

/// What the socket is now.
extension GCDAsyncUdpSocket {
    /// The address that the socket has: the IPv4 one where it has both. Nil before it was bound, connected, or has sent.
    public func localAddress() -> Data? { core.localAddress(nil).map(Data.init) }
    /// The host in `localAddress`, as text without a scope.
    public func localHost() -> String? { core.localAddress(nil).map(\.ip.description) }
    /// The port in `localAddress`; 0 where there is none.
    public func localPort() -> UInt16 { core.localAddress(nil)?.port ?? 0 }

    /// The IPv4 address that the socket has.
    public func localAddress_IPv4() -> Data? { core.localAddress(.ipv4).map(Data.init) }
    /// The host in `localAddress_IPv4`.
    public func localHost_IPv4() -> String? { core.localAddress(.ipv4).map(\.ip.description) }
    /// The port in `localAddress_IPv4`; 0 where there is none.
    public func localPort_IPv4() -> UInt16 { core.localAddress(.ipv4)?.port ?? 0 }

    /// The IPv6 address that the socket has.
    public func localAddress_IPv6() -> Data? { core.localAddress(.ipv6).map(Data.init) }
    /// The host in `localAddress_IPv6`.
    public func localHost_IPv6() -> String? { core.localAddress(.ipv6).map(\.ip.description) }
    /// The port in `localAddress_IPv6`; 0 where there is none.
    public func localPort_IPv6() -> UInt16 { core.localAddress(.ipv6)?.port ?? 0 }

    /// The peer's address; nil where the socket is not connected.
    public func connectedAddress() -> Data? { core.peer.map(Data.init) }
    /// The peer's host, as text without a scope; nil where the socket is not connected.
    public func connectedHost() -> String? { core.peer.map(\.ip.description) }
    /// The peer's port; 0 where the socket is not connected.
    public func connectedPort() -> UInt16 { core.peer?.port ?? 0 }

    /// Whether the socket has one peer.
    public func isConnected() -> Bool { core.peer != nil }

    /// Whether no socket of the system's is open: also before the first use.
    public func isClosed() -> Bool { !core.isOpen }

    /// Whether the socket speaks IPv4, or will when it is opened.
    public func isIPv4() -> Bool { core.speaks(.ipv4) }

    /// Whether the socket speaks IPv6, or will when it is opened.
    public func isIPv6() -> Bool { core.speaks(.ipv6) }
}
