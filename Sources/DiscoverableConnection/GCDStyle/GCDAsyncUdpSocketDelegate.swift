public import Foundation

/// Who is told what happens to a `GCDAsyncUdpSocket`, on the queue that was set with it. Every method is optional.
///
/// Errors can be taken as `Error` or as `Error?`: apps have both, and of each pair one is called. Implement one of them.
public protocol GCDAsyncUdpSocketDelegate: AnyObject {
    /// The socket has a peer now, by its address.
    func udpSocket(_ sock: GCDAsyncUdpSocket, didConnectToAddress address: Data)

    /// The socket could not be connected: the host's name has no address, say. It is open, and can be connected again.
    func udpSocket(_ sock: GCDAsyncUdpSocket, didNotConnect error: any Error)
    /// As with `Error`.
    func udpSocket(_ sock: GCDAsyncUdpSocket, didNotConnect error: (any Error)?)

    /// The system has the datagram with this tag, or the send filter has held it back.
    func udpSocket(_ sock: GCDAsyncUdpSocket, didSendDataWithTag tag: Int)

    /// The datagram with this tag could not be sent. The others follow.
    func udpSocket(_ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: any Error)
    /// As with `Error`.
    func udpSocket(_ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: (any Error)?)

    /// A datagram has arrived; it may be empty. `filterContext` is what the receive filter has put there.
    func udpSocket(
        _ sock: GCDAsyncUdpSocket,
        didReceive data: Data,
        fromAddress address: Data,
        withFilterContext filterContext: Any?
    )

    /// The socket is closed: the last that is told about it. It can be used again. The error is `GCDAsyncUdpSocketError.noError`
    /// where it was closed by `close` or `closeAfterSending`.
    func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: any Error)
    /// As with `Error`; nil where the socket was closed by `close` or `closeAfterSending`.
    func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: (any Error)?)
}

// The socket calls those with an optional error; each that is not implemented hands on to its counterpart, which does nothing.
extension GCDAsyncUdpSocketDelegate {
    /// Does nothing.
    public func udpSocket(_ sock: GCDAsyncUdpSocket, didConnectToAddress address: Data) {}

    /// Does nothing.
    public func udpSocket(_ sock: GCDAsyncUdpSocket, didNotConnect error: any Error) {}

    /// Calls the one with `Error`.
    public func udpSocket(_ sock: GCDAsyncUdpSocket, didNotConnect error: (any Error)?) {
        let error: any Error = error ?? GCDAsyncUdpSocketError.noError
        udpSocket(sock, didNotConnect: error)
    }

    /// Does nothing.
    public func udpSocket(_ sock: GCDAsyncUdpSocket, didSendDataWithTag tag: Int) {}

    /// Does nothing.
    public func udpSocket(_ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: any Error) {}

    /// Calls the one with `Error`.
    public func udpSocket(_ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: (any Error)?) {
        let error: any Error = error ?? GCDAsyncUdpSocketError.noError
        udpSocket(sock, didNotSendDataWithTag: tag, dueToError: error)
    }

    /// Does nothing.
    public func udpSocket(
        _ sock: GCDAsyncUdpSocket,
        didReceive data: Data,
        fromAddress address: Data,
        withFilterContext filterContext: Any?
    ) {}

    /// Does nothing.
    public func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: any Error) {}

    /// Calls the one with `Error`.
    public func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: (any Error)?) {
        let error: any Error = error ?? GCDAsyncUdpSocketError.noError
        udpSocketDidClose(sock, withError: error)
    }
}
