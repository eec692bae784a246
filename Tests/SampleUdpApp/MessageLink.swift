// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import DiscoverableConnection
import Foundation

/// Messages to and from one peer, or many, as an app's networking file holds them: the delegate on the main queue.
public class MessageLink: NSObject, GCDAsyncUdpSocketDelegate {
    public enum Event {
        case connected(String, UInt16)
        case notConnected(Error)
        case sent(Int)
        case notSent(Int, Error)
        case message(String, String)
        case closed(Error)
    }

    var socket: GCDAsyncUdpSocket?
    public var onEvent: ((Event) -> Void)?
    public private(set) var bytesFiltered = 0
    private var nextTag = 0
    private var blockedHosts: Set<String> = []
    private let filterQueue = DispatchQueue(label: "com.example.link.filter")

    public override init() {
        super.init()
        makeSocket(delegateQueue: .main)
    }

    public init(delegateQueue: DispatchQueue) {
        super.init()
        makeSocket(delegateQueue: delegateQueue)
    }

    private func makeSocket(delegateQueue: DispatchQueue) {
        socket = GCDAsyncUdpSocket(delegate: self, delegateQueue: delegateQueue)
        socket?.setPreferIPv4()
        socket?.setMaxReceiveIPv4BufferSize(2048)
        socket?.setMaxReceiveIPv6BufferSize(2048)
        socket?.setUserData("link")
        socket?.setSendFilter(
            { [weak self] data, address, tag -> Bool in
                self?.mayLeave(data, to: address, tag: tag) ?? false
            },
            with: filterQueue
        )
    }

    /// Serves a port. After `stop` it can be called again.
    public func listen(on port: UInt16) -> Bool {
        guard let socket = socket else { return false }
        do {
            try socket.enableReusePort(true)
            try socket.bind(toPort: port)
            try socket.beginReceiving()
        } catch let error as NSError {
            if error.domain == GCDAsyncUdpSocketErrorDomain {
                print("the socket is not set up for it:", error.code, error.localizedDescription)
            } else {
                print("no port:", error.localizedDescription)
            }
            socket.close()
            return false
        }
        return true
    }

    public func connect(to host: String, port: UInt16) throws {
        try socket?.connect(toHost: host, onPort: port)
        try socket?.receiveOnce()
    }

    public func join(_ group: String) throws {
        try socket?.joinMulticastGroup(group)
    }

    public func leave(_ group: String) throws {
        try socket?.leaveMulticastGroup(group, onInterface: nil)
    }

    @discardableResult
    public func send(_ text: String, to host: String? = nil, port: UInt16 = 0) -> Int {
        nextTag += 1
        let data = Data(text.utf8)
        if let host = host {
            socket?.send(data, toHost: host, port: port, withTimeout: 5, tag: nextTag)
        } else {
            socket?.send(data, withTimeout: -1, tag: nextTag)
        }
        return nextTag
    }

    public func reply(_ text: String, to address: Data) {
        guard GCDAsyncUdpSocket.isIPv4Address(address) || GCDAsyncUdpSocket.isIPv6Address(address) else { return }
        nextTag += 1
        socket?.send(text.data(using: .utf8)!, toAddress: address, withTimeout: 1.5, tag: nextTag)
    }

    public func block(_ host: String) {
        filterQueue.sync { _ = blockedHosts.insert(host) }
    }

    public func stop() {
        socket?.pauseReceiving()
        socket?.close()
    }

    public var port: UInt16 { socket?.localPort() ?? 0 }
    public var isOpen: Bool { !(socket?.isClosed() ?? true) }
    public var peer: String? { socket?.connectedHost() }

    public var descriptor: Int32 {
        var number: Int32 = -1
        socket?.perform {
            number = self.socket?.socketFD() ?? -1
        }
        return number
    }

    private func mayLeave(_ data: Data, to address: Data, tag: Int) -> Bool {
        bytesFiltered += data.count
        guard let host = GCDAsyncUdpSocket.host(fromAddress: address) else { return true }
        return !blockedHosts.contains(host)
    }

    // MARK: - GCDAsyncUdpSocketDelegate

    public func udpSocket(_ sock: GCDAsyncUdpSocket, didConnectToAddress address: Data) {
        let host = GCDAsyncUdpSocket.host(fromAddress: address) ?? "?"
        onEvent?(.connected(host, GCDAsyncUdpSocket.port(fromAddress: address)))
    }

    public func udpSocket(_ sock: GCDAsyncUdpSocket, didNotConnect error: Error) {
        onEvent?(.notConnected(error))
    }

    public func udpSocket(_ sock: GCDAsyncUdpSocket, didSendDataWithTag tag: Int) {
        onEvent?(.sent(tag))
    }

    public func udpSocket(_ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: Error) {
        if (error as NSError).code == GCDAsyncUdpSocketError.sendTimeoutError.rawValue {
            print("no room for message", tag)
        }
        onEvent?(.notSent(tag, error))
    }

    public func udpSocket(
        _ sock: GCDAsyncUdpSocket,
        didReceive data: Data,
        fromAddress address: Data,
        withFilterContext filterContext: Any?
    ) {
        let host = GCDAsyncUdpSocket.host(fromAddress: address) ?? ""
        onEvent?(.message(String(data: data, encoding: .utf8) ?? "", host))
        if data == Data("ping".utf8) { reply("pong", to: address) }
        if sock.isConnected() { try? sock.receiveOnce() }
    }

    public func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: Error) {
        onEvent?(.closed(error))
    }
}
