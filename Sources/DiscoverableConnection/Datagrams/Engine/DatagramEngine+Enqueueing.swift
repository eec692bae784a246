@_spi(Package) internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

extension DatagramEngine {
    static func sending(_ count: Int) -> String { "sending \(count) bytes" }

    /// Has a datagram sent, without waiting: together with others on the loop's thread, at once on another.
    func enqueue(_ bytes: Span<UInt8>, route: DatagramRoute) throws(SocketError) {
        let count = bytes.count
        let error = unsafe bytes.withUnsafeBytes { bytes -> SocketError? in
            if let admission = unsafe enqueueIfOnLoop(bytes, route: route) {
                return admission == .admitted ? nil : refusal(admission, count)
            }
            return unsafe refusal(post(bytes, route: route), count)
        }
        if let error { throw error }
    }

    private func refusal(_ admission: Admission, _ count: Int) -> SocketError? {
        switch admission {
        case .admitted: nil
        case .full: SocketError(.outOfResources, Self.sending(count))
        case .closed: SocketError(.closed, Self.sending(count))
        }
    }

    private func refusal(_ result: ImmediateSend, _ count: Int) -> SocketError? {
        switch result {
        case .sent: nil
        case .wouldBlock: SocketError(.outOfResources, Self.sending(count))
        case .failed(let error): SocketError(error, Self.sending(count))
        case .closed: SocketError(.closed, Self.sending(count))
        }
    }
}
