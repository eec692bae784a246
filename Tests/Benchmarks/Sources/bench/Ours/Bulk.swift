internal import DiscoverableConnection

/// Datagrams of one step of the sender: eight messages of 54 segments, as the reference has them.
private let datagramsAtOnce = 8 * 54

@MainActor
func receiveBulk(_ load: Load?) async throws {
    let socket = try await UDPSocket.announced()
    let progress = Progress()
    await socket.onReceive { _, batch in progress.add(batch.count) }
    // The time runs from the first datagram, however long the sender takes to start.
    while progress.value == 0 { pause(milliseconds: 1) }
    let rate = try withExtendedLifetime(socket) { progress.rate(under: try required(load)) }
    Output.say(String(rate))
}

@MainActor
func sendBulk(size: Int?, port: Int?) async throws {
    var options = UDPSocket.Options()
    options.sendQueueLimit = 2 * datagramsAtOnce * (try required(size))
    let socket = try UDPSocket(family: .ipv4, options: options)
    try await socket.connect(to: SocketAddress(.v4(.loopback), port: UInt16(clamping: required(port))))
    let length = try required(size)
    let payload = [UInt8](repeating: 0, count: datagramsAtOnce * length)
    Task { @EventLoopActor in
        while true {
            try? socket.enqueue(payload, segmentLength: length)
            socket.flush()
            await Task.yield()
        }
    }
    serve(with: socket)
}
