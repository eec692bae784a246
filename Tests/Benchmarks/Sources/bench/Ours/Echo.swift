internal import DiscoverableConnection

/// One end of an exchange: each datagram that arrives is sent back, and counted.
struct Echo {
    let socket: UDPSocket
    /// Whether the peer is the socket's own, not the datagram's source.
    let isConnected: Bool
    let progress = Progress()

    @MainActor
    func start(_ style: ReceiveStyle) async {
        switch style {
        case .inline: await answerInline()
        case .bytes: await answerInPlace()
        case .async: Task { @EventLoopActor in await answerEach() }
        case .pool: Task { @concurrent in await answerEach() }
        }
    }

    private func answerInline() async {
        let (isConnected, progress) = (isConnected, progress)
        await socket.onReceive { socket, batch in
            for datagram in batch {
                try? socket.enqueue(datagram.bytes, to: isConnected ? nil : datagram.source)
            }
            progress.add(batch.count)
        }
    }

    private func answerInPlace() async {
        let (isConnected, progress) = (isConnected, progress)
        await socket.onReceive { socket, batch in
            batch.forEachRunInPlace { bytes, length, source in
                try? socket.enqueue(bytes, segmentLength: length, to: isConnected ? nil : source)
            }
            progress.add(batch.count)
        }
    }

    /// Runs where its task does.
    private func answerEach() async {
        for await datagram in socket.datagrams {
            try? socket.enqueue(datagram.bytes, to: isConnected ? nil : datagram.source)
            progress.add(1)
        }
    }
}

@MainActor
func serve(_ manner: Manner) async throws {
    let socket = try await UDPSocket.announced(offloads: manner.usesOffloads)
    await Echo(socket: socket, isConnected: false).start(manner.style)
    serve(with: socket)
}

@MainActor
func exchange(_ manner: Manner, _ load: Load?, port: Int?) async throws {
    let socket = try await UDPSocket.connected(to: required(port), offloads: manner.usesOffloads)
    let echo = Echo(socket: socket, isConnected: true)
    await echo.start(manner.style)
    Output.say(String(echo.rate(under: try required(load))))
}

/// Both ends on the shared loop.
@MainActor
func exchangeOnOneLoop(_ load: Load?) async throws {
    let server = try await UDPSocket.bound(offloads: false)
    let client = try await UDPSocket.connected(to: Int(server.localAddress.port), offloads: false)
    await Echo(socket: server, isConnected: false).start(.inline)
    let echo = Echo(socket: client, isConnected: true)
    await echo.start(.inline)
    let rate = try withExtendedLifetime(server) { echo.rate(under: try required(load)) }
    Output.say(String(rate))
}

extension Echo {
    /// Sends the window, and again whenever nothing came for a while; round trips a second. Blocks the caller's thread.
    fileprivate func rate(under load: Load) -> Double {
        let payload = [UInt8](repeating: 0, count: load.size)
        let fill = { for _ in 0..<load.window { try? socket.enqueue(payload) } }
        fill()
        return withExtendedLifetime(socket) { progress.rate(under: load, whenSilent: fill) }
    }
}
