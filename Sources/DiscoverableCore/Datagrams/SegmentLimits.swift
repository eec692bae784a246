/// How large the datagrams may be that leave in one message (UDP_SEGMENT), by destination: learnt from the kernel's refusals.
///
/// A device without checksum offload refuses every such message (EIO), one with a small MTU those of larger datagrams (EMSGSIZE,
/// EINVAL on older kernels); what was refused once is not tried again on that path. The memory is bounded: when too many
/// paths have refused, all do.
package struct SegmentLimits: Sendable {
    private static let capacity = 64

    private var limits: [IPAddress?: Int] = [:]
    /// The limit of every path that is not in the table.
    private var common: Int

    /// - Parameter isSupported: whether the kernel knows UDP_SEGMENT at all, and the app wants it.
    package init(isSupported: Bool) {
        common = isSupported ? .max : 0
    }

    /// The length up to which datagrams to `destination` may share a message; 0 where they may not.
    package func limit(for destination: SocketAddress?) -> Int {
        limits.isEmpty ? common : limits[destination?.ip] ?? common
    }

    /// Notes that datagrams of `length` bytes were refused on the way to `destination`; all lengths where `byDevice`.
    package mutating func refused(_ length: Int, to destination: SocketAddress?, byDevice: Bool) {
        let limit = byDevice ? 0 : min(length - 1, self.limit(for: destination))
        if limits.count == Self.capacity, limits[destination?.ip] == nil {
            common = 0
        } else {
            limits[destination?.ip] = limit
        }
    }
}
