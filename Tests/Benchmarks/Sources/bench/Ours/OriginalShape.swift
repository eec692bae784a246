internal import Dispatch
internal import Foundation
internal import Glibc

/// One end of an exchange in the shape of the class that ours replaces: a read source on the socket's queue, one `recvfrom` an
/// event, datagram and address each a `Data` of its own, one block a datagram on the delegate's queue; each send is a block on the
/// socket's queue, and one `sendto`. Without what else the original does for a datagram: filters, time-outs, its queue of packets.
final class OriginalShape: Sendable {
    let progress = Progress()
    private let descriptor: Int32
    private let isConnected: Bool
    private let socketQueue = DispatchQueue(label: "socket")
    private let delegateQueue = DispatchQueue(label: "delegate")

    /// - Parameters:
    ///   - port: the peer's on 127.0.0.1; nil for a server, on a free port there.
    init(port: Int? = nil) throws {
        isConnected = port != nil
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let address = loopback(port: port ?? 0)
        let status = unsafe address.withUnsafeBytes { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) { address in
                guard let address = address.baseAddress else { return -1 as Int32 }
                let length = socklen_t(MemoryLayout<sockaddr_in>.size)
                return isConnected
                    ? unsafe connect(descriptor, address, length) : unsafe bind(descriptor, address, length)
            }
        }
        guard status == 0 else { throw WorkerError(description: "no socket: error \(errno)") }
    }

    var port: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { address in
            _ = unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
            return unsafe UInt16(bigEndian: address.pointee.sin_port)
        }
    }

    /// Receives for as long as the source lives that is returned.
    func start() -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: socketQueue)
        source.setEventHandler { self.receive() }
        source.resume()
        return source
    }

    private func receive() {
        guard let room = unsafe malloc(roomBytes) else { return }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe recvfrom(descriptor, room, roomBytes, 0, $0, &length)
            }
        }
        guard count >= 0 else {
            unsafe free(room)
            return
        }
        let data = unsafe Data(bytesNoCopy: room, count: count, deallocator: .free)
        let source = unsafe withUnsafeBytes(of: &address) { unsafe Data($0) }
        delegateQueue.async { self.received(data, from: source) }
    }

    private func received(_ data: Data, from source: Data) {
        send(data, to: isConnected ? nil : source)
        progress.add(1)
    }

    private func send(_ data: Data, to destination: Data?) {
        socketQueue.async { [descriptor] in
            unsafe data.withUnsafeBytes { content in
                guard let destination else {
                    _ = unsafe sendto(descriptor, content.baseAddress, content.count, 0, nil, 0)
                    return
                }
                unsafe destination.withUnsafeBytes { address in
                    unsafe address.withMemoryRebound(to: sockaddr.self) {
                        _ = unsafe sendto(
                            descriptor,
                            content.baseAddress,
                            content.count,
                            0,
                            $0.baseAddress,
                            socklen_t(destination.count)
                        )
                    }
                }
            }
        }
    }

    /// Sends the window, and again whenever nothing came for a while; round trips a second. Blocks the caller's thread.
    func rate(under load: Load) -> Double {
        let payload = Data(count: load.size)
        let fill = { for _ in 0..<load.window { self.send(payload, to: nil) } }
        fill()
        return progress.rate(under: load, whenSilent: fill)
    }
}

/// What a datagram may have, as in the header of the original.
private let roomBytes = 9216

@MainActor
func serveLikeTheOriginal() throws {
    let echo = try OriginalShape()
    Output.say(String(echo.port))
    serve(with: echo.start())
}

@MainActor
func exchangeLikeTheOriginal(_ load: Load?, port: Int?) throws {
    let echo = try OriginalShape(port: try required(port))
    let source = echo.start()
    let rate = try withExtendedLifetime(source) { echo.rate(under: try required(load)) }
    Output.say(String(rate))
}
