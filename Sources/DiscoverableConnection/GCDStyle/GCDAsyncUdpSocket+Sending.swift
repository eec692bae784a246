public import Dispatch
public import Foundation

/// Sending. Nothing is waited for: the delegate is told what became of each datagram, in the order of the calls.
///
/// What is sent while the delegate is called leaves together when it returns, or within some milliseconds.
extension GCDAsyncUdpSocket {
    /// Sends to the peer of a connected socket.
    ///
    /// - Parameters:
    ///   - data: with nothing in it nothing is sent, and nothing told, as the header says.
    ///   - timeout: how many seconds to wait for room in the system, once the datagram is the first that waits; negative for as long
    ///     as it takes.
    ///   - tag: what the delegate is told.
    public func send(_ data: Data, withTimeout timeout: TimeInterval, tag: Int) {
        guard !data.isEmpty else { return }
        core.send(data, to: .peer, timeout: timeout, tag: tag)
    }

    /// Looks a host up, and sends to it. For a socket that is not connected. Later datagrams wait meanwhile.
    public func send(_ data: Data, toHost host: String, port: UInt16, withTimeout timeout: TimeInterval, tag: Int) {
        guard !data.isEmpty else { return }
        core.send(data, to: .host(host, port), timeout: timeout, tag: tag)
    }

    /// Sends to an address. For a socket that is not connected.
    public func send(_ data: Data, toAddress remoteAddr: Data, withTimeout timeout: TimeInterval, tag: Int) {
        guard !data.isEmpty else { return }
        core.send(data, toAddress: remoteAddr, timeout: timeout, tag: tag)
    }

    /// Has a block asked before each datagram leaves, without waiting for it. As `setSendFilter(_:with:isAsynchronous:)`.
    public func setSendFilter(_ filterBlock: GCDAsyncUdpSocketSendFilterBlock?, with filterQueue: DispatchQueue?) {
        setSendFilter(filterBlock, with: filterQueue, isAsynchronous: true)
    }

    /// Has a block asked before each datagram leaves. One that it holds back counts as sent.
    ///
    /// - Parameters:
    ///   - filterBlock: nil for none.
    ///   - filterQueue: where it runs; nil for none.
    ///   - isAsynchronous: false has the socket's queue wait for it: it must not use the socket then.
    public func setSendFilter(
        _ filterBlock: GCDAsyncUdpSocketSendFilterBlock?,
        with filterQueue: DispatchQueue?,
        isAsynchronous: Bool
    ) {
        core.setSendFilter(GCDFilter(filterBlock, queue: filterQueue, isAsynchronous: isAsynchronous))
    }
}
