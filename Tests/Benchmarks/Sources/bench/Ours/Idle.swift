internal import CInstruments
internal import DiscoverableConnection

private let watchedMilliseconds = 2000

/// Says the share of a core that receiving sockets take to which nothing comes. One of them has sent to a port that nobody
/// listens on, and so has an error of its peer pending.
@MainActor
func stayIdle(sockets count: Int?) async throws {
    let count = try required(count)
    guard instruments_raise_descriptor_limit() > UInt64(count + 100) else {
        throw WorkerError(description: "too few descriptors are allowed (ulimit -Hn)")
    }
    let lonely = try await UDPSocket.connected(to: try await closedPort())
    var sockets = [lonely]
    while sockets.count < count { sockets.append(try await .bound()) }
    for socket in sockets { await socket.onReceive { _, _ in } }
    pause(milliseconds: 300)

    let (firstCPU, firstTime) = (instruments_cpu_nanoseconds(), instruments_now_nanoseconds())
    try lonely.enqueue([1])
    pause(milliseconds: watchedMilliseconds)
    let (lastCPU, lastTime) = (instruments_cpu_nanoseconds(), instruments_now_nanoseconds())
    Output.say(String(Double(lastCPU - firstCPU) / Double(lastTime - firstTime)))
    for socket in sockets { await socket.close() }
}

/// A port that was free a moment ago.
@MainActor
private func closedPort() async throws -> Int {
    let socket = try await UDPSocket.bound()
    let port = Int(try await socket.localAddress.port)
    await socket.close()
    return port
}
