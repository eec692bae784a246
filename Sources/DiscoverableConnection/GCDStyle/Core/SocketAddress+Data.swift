internal import DiscoverableCore
internal import DiscoverableRuntime
internal import Foundation

extension SocketAddress {
    /// The address in a `sockaddr_in` or `sockaddr_in6`; nil for anything else, also for one that is cut.
    init?(_ data: Data) {
        let address = unsafe data.withUnsafeBytes { bytes -> SocketAddress? in
            guard let start = bytes.baseAddress else { return nil }
            return unsafe SocketAddress(systemBytes: start, length: bytes.count)
        }
        guard let address else { return nil }
        self = address
    }
}

extension Data {
    /// The address as a `sockaddr_in` or `sockaddr_in6`.
    init(_ address: SocketAddress) {
        self = unsafe withUnsafeTemporaryAllocation(byteCount: SocketAddress.systemSize, alignment: 8) { room in
            guard let start = room.baseAddress else { return Data() }
            let length = unsafe address.write(to: start)
            return unsafe Data(bytes: start, count: Int(length))
        }
    }
}
