internal import DiscoverableConnection
internal import Dispatch
internal import Foundation
internal import Glibc

/// One end of an exchange in GCD style: its delegate, on a queue of the app's, sends back each datagram that arrives.
final class DelegateEcho: NSObject, GCDAsyncUdpSocketDelegate {
    let progress = Progress()
    private let socket: GCDAsyncUdpSocket
    private let isConnected: Bool

    /// - Parameters:
    ///   - port: the peer's on 127.0.0.1; nil for a server, on a free port there.
    init(usesOffloads: Bool, port: Int? = nil) throws {
        socket = GCDAsyncUdpSocket()
        isConnected = port != nil
        super.init()
        socket.setDelegate(self, delegateQueue: DispatchQueue(label: "delegate"))
        socket.setOffloads(usesOffloads ? .all : .none)
        if let port {
            try socket.connect(toAddress: loopback(port: port))
        } else {
            try socket.bind(toPort: 0, interface: "127.0.0.1")
        }
        try socket.beginReceiving()
    }

    var port: UInt16 { socket.localPort() }

    func close() { socket.close() }

    func udpSocket(
        _ sock: GCDAsyncUdpSocket,
        didReceive data: Data,
        fromAddress address: Data,
        withFilterContext filterContext: Any?
    ) {
        if isConnected {
            sock.send(data, withTimeout: -1, tag: 0)
        } else {
            sock.send(data, toAddress: address, withTimeout: -1, tag: 0)
        }
        progress.add(1)
    }

    /// Sends the window, and again whenever nothing came for a while; round trips a second. Blocks the caller's thread.
    func rate(under load: Load) -> Double {
        let payload = Data(count: load.size)
        let fill = { for _ in 0..<load.window { self.socket.send(payload, withTimeout: -1, tag: 0) } }
        fill()
        return progress.rate(under: load, whenSilent: fill)
    }
}

@MainActor
func serveDelegate(usesOffloads: Bool) throws {
    let echo = try DelegateEcho(usesOffloads: usesOffloads)
    Output.say(String(echo.port))
    serve(with: echo)
}

@MainActor
func exchangeByDelegate(usesOffloads: Bool, _ load: Load?, port: Int?) throws {
    let echo = try DelegateEcho(usesOffloads: usesOffloads, port: try required(port))
    Output.say(String(echo.rate(under: try required(load))))
}

/// As `countAllocations`, of an echo server in GCD style.
@MainActor
func countAllocationsOfDelegate(_ load: Load?) throws {
    let load = try required(load)
    let echo = try DelegateEcho(usesOffloads: true)
    Output.say(String(echo.port))
    let allocations = try echo.progress.allocations(under: load)
    echo.close()
    Output.say(String(allocations))
}

/// A port of 127.0.0.1 in the kernel's form.
func loopback(port: Int) -> Data {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    return unsafe withUnsafeBytes(of: &address) { unsafe Data($0) }
}
