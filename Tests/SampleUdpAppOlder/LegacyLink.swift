// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import DiscoverableConnection
import Foundation

/// The networking file of an older app: its errors are optional, as the header said before it told about nil.
public class LegacyLink: NSObject {
    public var log: [String] = []
    public var onLog: ((String) -> Void)?

    private var _socket: GCDAsyncUdpSocket?
    private let queue: DispatchQueue

    public init(queue: DispatchQueue = DispatchQueue.main) {
        self.queue = queue
    }

    deinit {
        _socket?.setDelegate(nil)
        _socket?.close()
    }

    /// Opens the socket when it is first used, and again after it was closed.
    private var socket: GCDAsyncUdpSocket? {
        if _socket == nil {
            let port: UInt16 = 0
            let sock = GCDAsyncUdpSocket(delegate: self, delegateQueue: queue)
            do {
                try sock.bind(toPort: port)
                try sock.beginReceiving()
            } catch let error {
                note("setup: \(error.localizedDescription)")
                sock.close()
                return nil
            }
            _socket = sock
        }
        return _socket
    }

    public func open() -> UInt16 {
        return socket?.localPort() ?? 0
    }

    public func connect(host: String, port: UInt16) {
        guard let socket = socket else { return }
        do {
            try socket.connect(toHost: host, onPort: port)
        } catch {
            note("connect: \(error.localizedDescription)")
        }
    }

    public func send(_ message: String, tag: Int) {
        guard let data = message.data(using: String.Encoding.utf8) else { return }
        socket?.send(data, withTimeout: 2.0, tag: tag)
    }

    public func send(_ data: Data, host: String, port: UInt16, tag: Int) {
        socket?.send(data, toHost: host, port: port, withTimeout: 2.0, tag: tag)
    }

    public func broadcast(_ message: String, port: UInt16) {
        guard let socket = socket else { return }
        do { try socket.enableBroadcast(true) } catch { note("broadcast: \(error.localizedDescription)") }
        socket.send(message.data(using: .utf8)!, toHost: "255.255.255.255", port: port, withTimeout: -1, tag: 0)
    }

    public func close() {
        _socket?.close()
    }

    private func note(_ line: String) {
        log.append(line)
        onLog?(line)
    }
}

extension LegacyLink: GCDAsyncUdpSocketDelegate {
    public func udpSocket(_ sock: GCDAsyncUdpSocket, didConnectToAddress address: Data) {
        note("connected")
    }

    public func udpSocket(_ sock: GCDAsyncUdpSocket, didNotConnect error: Error?) {
        guard let error = error else { return }
        note("not connected: \(error.localizedDescription)")
    }

    public func udpSocket(_ sock: GCDAsyncUdpSocket, didSendDataWithTag tag: Int) {
        note("sent \(tag)")
    }

    public func udpSocket(_ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: Error?) {
        note("not sent \(tag): \(error?.localizedDescription ?? "")")
    }

    public func udpSocket(
        _ sock: GCDAsyncUdpSocket,
        didReceive data: Data,
        fromAddress address: Data,
        withFilterContext filterContext: Any?
    ) {
        var hostname: NSString?
        var port: UInt16 = 0
        GCDAsyncUdpSocket.getHost(&hostname, port: &port, fromAddress: address)
        note("received \(String(data: data, encoding: .utf8) ?? "?") from \(hostname ?? "nobody")")
    }

    public func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: Error?) {
        if let error = error {
            note("closed: \(error.localizedDescription)")
        } else {
            note("closed")
        }
        _socket = nil
    }
}
