internal import CSockets
package import DiscoverableCore
internal import Glibc

/// What a peer's host, or a router on the way, has reported about a datagram that was sent (ICMP), from the socket's error queue
/// (`IP_RECVERR`, `IPV6_RECVERR`).
package struct DatagramReport: Sendable, Hashable {
    /// Where the datagram went that the report is about; nil where the kernel does not say.
    package let peer: SocketAddress?
    /// Who reported it: the peer's host or a router; nil where the kernel does not say.
    package let reporter: IPAddress?
    package let error: UnderlyingError
    /// For a datagram that was too large: the size of packet that would have passed.
    package let pathMTU: Int?

    package init(peer: SocketAddress?, reporter: IPAddress?, error: UnderlyingError, pathMTU: Int?) {
        self.peer = peer
        self.reporter = reporter
        self.error = error
        self.pathMTU = pathMTU
    }
}

extension DatagramDescriptor {
    /// How many reports one call takes: what is left makes the loop come back.
    private static let reportLimit = 64

    /// Takes what is pending on the socket, so that it no longer wakes an event loop: the reports in the error queue, else the
    /// socket's own error.
    ///
    /// - Parameter body: says whether the socket is still open.
    package func takeReports(_ body: (DatagramReport) -> Bool) {
        for taken in 0..<Self.reportLimit {
            switch takeReport() {
            case .report(let report):
                guard body(report) else { return }
            case .other: continue
            case .none:
                // The kernel sets the error of the next report itself when one is taken.
                if let error = takeError(), taken == 0 {
                    _ = body(DatagramReport(peer: nil, reporter: nil, error: error, pathMTU: nil))
                }
                return
            }
        }
    }

    private enum QueueEntry {
        case report(DatagramReport)
        /// Something that is no report of the network's, such as our own refusal of a datagram, which the send call has told.
        case other
        case none
    }

    private func takeReport() -> QueueEntry {
        unsafe withUnsafeTemporaryAllocation(byteCount: Int(DISCOVERABLE_CONTROL_SIZE), alignment: 16) { control in
            var name = sockaddr_in6()
            return unsafe withUnsafeMutablePointer(to: &name) { name in
                var header = unsafe msghdr()
                unsafe header.msg_name = UnsafeMutableRawPointer(name)
                unsafe header.msg_namelen = socklen_t(MemoryLayout<sockaddr_in6>.size)
                unsafe header.msg_control = control.baseAddress
                unsafe header.msg_controllen = control.count
                let flags = Int32(MSG_ERRQUEUE) | Int32(MSG_DONTWAIT)
                guard unsafe recvmsg(number, &header, flags) >= 0 else { return .none }
                return unsafe read(&header, peer: header.msg_namelen > 0 ? SocketAddress(systemBytes: name) : nil)
            }
        }
    }

    private func read(_ header: inout msghdr, peer: SocketAddress?) -> QueueEntry {
        var beside = discoverable_arrival()
        unsafe discoverable_read_control(&header, &beside)
        let isFromNetwork = beside.error.origin == originICMP || beside.error.origin == originICMP6
        guard beside.present & UInt32(DISCOVERABLE_HAS_ERROR) != 0, isFromNetwork else { return .other }
        let number = Int32(bitPattern: beside.error.number)
        let report = DatagramReport(
            peer: peer,
            reporter: unsafe discoverable_offender(&header).flatMap { unsafe SocketAddress(system: $0)?.ip },
            error: .system(number, call: "IP_RECVERR"),
            pathMTU: number == EMSGSIZE ? Int(beside.error.info) : nil
        )
        return .report(report)
    }

    private func takeError() -> UnderlyingError? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let result = unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &value, &size)
        return result == 0 && value != 0 ? .system(value, call: "SO_ERROR") : nil
    }
}

// SO_EE_ORIGIN_ICMP, SO_EE_ORIGIN_ICMP6 of <linux/errqueue.h>.
private let originICMP: UInt8 = 2
private let originICMP6: UInt8 = 3
