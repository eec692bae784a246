internal import Discoverable

/// `dscv serve [NAME]`: publishes a server, admits its clients and prints what they say. Lines of standard input go to all of
/// them; with `--echo` each also gets back what it said.
struct ServeVerb {
    private let name: String?
    private let type: String
    private let port: UInt16
    private let echoes: Bool
    private let output: Output

    init(_ words: [String]) throws(Exit) {
        let arguments = try Arguments(words, options: [.value("type"), .value("port"), .flag("echo")])
        guard arguments.operands.count <= 1 else {
            throw .usage("serve takes one name, such as: dscv serve \"My server\"")
        }
        let portText = arguments.value("port") ?? String(classicPort)
        guard let port = UInt16(portText) else {
            throw .usage("\"\(portText)\" is no port; a port is a number from 0 (any free one) to 65535")
        }
        self.port = port
        name = arguments.operands.first
        type = arguments.value("type") ?? PeerServer.classicType
        echoes = arguments.has("echo")
        output = Output(arguments)
    }

    /// Serves until the task is cancelled; clients that know the address also while there is no daemon.
    func run() async throws(Exit) {
        let server: PeerServer
        do throws(PeerServerError) {
            server = try await PeerServer.start(name, type: type, port: port, visibleWithin: nil)
        } catch {
            if error.isCancellation { return }
            throw Exit(error)
        }
        let clients = Clients()
        let serving = [
            Task { await serve(server.sessions, clients) },
            Task { for await line in InputLines() { await clients.send(line) { output.note($0) } } },
            Task { await DaemonWatch(.shared).note { output.note($0) } },
        ]
        let failure = await report(server)
        for task in serving { task.cancel() }
        await server.close()
        if let failure { throw Exit(failure) }
    }

    /// Tells under which name the server is visible, whenever that changes, until the task is cancelled. Returns why it can
    /// no longer be published.
    private func report(_ server: PeerServer) async -> DiscoveryError? {
        for await state in server.states {
            switch state {
            case .established(let name):
                var line = Line("serving")
                line.name = name.text
                line.type = server.type.text
                line.port = server.port
                output.print(line)
            case .failed(let error): return error
            case .waitingForDaemon, .registering, .renaming, .republishing, .withdrawn: continue
            }
        }
        return nil
    }

    private func serve(_ sessions: PeerServerSessions, _ clients: Clients) async {
        await withDiscardingTaskGroup { group in
            for await session in sessions {
                group.addTask { await serve(session, clients) }
            }
        }
    }

    private func serve(_ session: Session, _ clients: Clients) async {
        let address = await session.peerAddress?.endpointText ?? "?"
        let id = await clients.add(session)
        let report = SessionReport(output: output, peer: session.peerName.map { "\($0) (\(address))" } ?? address)
        await withDiscardingTaskGroup { group in
            // Where a client sends faster than it acknowledges, the newest are as good as any.
            let (texts, echo) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(256))
            group.addTask {
                for await text in texts { try? await session.send(text) }
            }
            // The echo waits for its acknowledgement, which must not hold up the printing.
            await report.follow(session) { event in
                if echoes, let text = event.message { echo.yield(text) }
            }
            echo.finish()
        }
        await clients.remove(id)
    }
}

/// The clients that are there now.
private actor Clients {
    private var sessions: [Int: Session] = [:]
    private var lastID = 0

    func add(_ session: Session) -> Int {
        lastID += 1
        sessions[lastID] = session
        return lastID
    }

    func remove(_ id: Int) {
        sessions[id] = nil
    }

    /// Sends a line to all clients, side by side.
    func send(_ line: String, note: @escaping @Sendable (String) -> Void) async {
        let sessions = Array(sessions.values)
        await withDiscardingTaskGroup { group in
            for session in sessions {
                group.addTask {
                    do throws(SessionError) {
                        try await session.send(line)
                    } catch {
                        note(error.description)
                    }
                }
            }
        }
    }
}
