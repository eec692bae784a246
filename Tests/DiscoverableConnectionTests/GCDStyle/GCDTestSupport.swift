import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Glibc
import Testing

/// A socket with a delegate on a queue of its own. Closed when the test is over, also when it failed.
final class GCDSubject: @unchecked Sendable {  // safe because all threads may use a socket

    let recorder: GCDRecorder
    let queue = DispatchQueue(label: "delegate")
    let socket: GCDAsyncUdpSocket

    init(socketQueue: DispatchQueue? = nil, reaction: (@Sendable (GCDAsyncUdpSocket, GCDEvent) -> Void)? = nil) {
        recorder = GCDRecorder(reaction: reaction)
        socket = GCDAsyncUdpSocket(delegate: recorder, delegateQueue: queue, socketQueue: socketQueue)
    }

    deinit {
        socket.setDelegate(nil)
        socket.close()
    }

    /// A socket that receives on a port of the loopback interface, in both families or in one.
    static func receiving(on interface: String? = "localhost") throws -> GCDSubject {
        let subject = GCDSubject()
        try subject.socket.bind(toPort: 0, interface: interface)
        try subject.socket.beginReceiving()
        return subject
    }

    /// All that the socket has told its delegate so far has been told.
    func settle() { queue.sync {} }

    /// A socket option's value, of one of the two sockets.
    func option(_ level: Int32, _ name: Int32, of family: AddressFamily = .ipv4) -> Int32? {
        let found = Locked<Int32?>(nil)
        socket.perform { [socket] in
            let descriptor = family == .ipv4 ? socket.socket4FD() : socket.socket6FD()
            var value: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            guard unsafe getsockopt(descriptor, level, name, &value, &length) == 0 else { return }
            found.withLock { [value] in $0 = value }
        }
        return found.withLock { $0 }
    }

    /// The descriptors of the IPv4 and the IPv6 socket, -1 where there is none.
    var descriptors: [Int32] {
        let found = Locked<[Int32]>([])
        socket.perform { [socket] in
            let all = [socket.socket4FD(), socket.socket6FD()]
            found.withLock { $0 = all }
        }
        return found.withLock { $0 }
    }

    /// Which of the two sockets exist.
    var exists: [Bool] { descriptors.map { $0 >= 0 } }
}

func data(_ text: String) -> Data { Data(text.utf8) }

extension Data {
    /// The kernel's form of an address.
    init(_ address: SocketAddress) {
        var bytes = [UInt8](repeating: 0, count: SocketAddress.systemSize)
        let length = unsafe bytes.withUnsafeMutableBytes { bytes -> UInt32 in
            guard let start = bytes.baseAddress else { return 0 }
            return unsafe address.write(to: start)
        }
        self.init(bytes.prefix(Int(length)))
    }
}

extension GCDAsyncUdpSocket {
    /// Sends a text without a time-out.
    func send(_ text: String, to address: SocketAddress, tag: Int = 0) {
        send(data(text), toAddress: Data(address), withTimeout: -1, tag: tag)
    }

    /// Where another socket of this host reaches this one.
    func address(_ family: AddressFamily = .ipv4) -> SocketAddress {
        .loopback(family, port: family == .ipv4 ? localPort_IPv4() : localPort_IPv6())
    }
}

extension UDPSocket {
    /// The text of the next datagram.
    func text() async throws -> String { String(decoding: try await receive().bytes, as: UTF8.self) }

    func texts(_ count: Int) async throws -> [String] {
        var texts: [String] = []
        for _ in 0..<count { texts.append(try await text()) }
        return texts
    }
}

/// A name that no host can have: fails without asking any server.
let impossibleHost = "-"
