internal import Discoverable

/// `dscv serve [NAME]`: publishes a server, admits its clients and prints what they say. Lines of standard input go to all of
/// them; with `--echo` each also gets back what it said.
struct ServeVerb {
    private let name: ServiceName
    private let type: ServiceType
    private let port: UInt16
    private let echoes: Bool
    private let output: Output

    init(_ words: [String]) throws(Exit) {
        let arguments = try Arguments(words, options: [.value("type"), .value("port"), .flag("echo")])
        guard arguments.operands.count <= 1 else {
            throw .usage("serve takes one name, such as: dscv serve \"My server\"")
        }
        let portText = arguments.value("port") ?? "1024"
        guard let port = UInt16(portText) else {
            throw .usage("\"\(portText)\" is no port; a port is a number from 0 (any free one) to 65535")
        }
        self.port = port
        name = try orExit { () throws(DiscoveryError) in
            if let text = arguments.operands.first { return try ServiceName(text) }
            return try ServiceName(truncating: "\(HostName.current) Service")
        }
        type = try orExit { () throws(DiscoveryError) in try ServiceType(arguments.value("type") ?? defaultSessionType)
        }
        echoes = arguments.has("echo")
        output = Output(asJSON: arguments.has("json"))
    }

    func run() async throws(Exit) {
        let listener: SessionListener
        do throws(SessionError) {
            listener = try await SessionListener.bind(port: port)
        } catch {
            throw .failed(error.description)
        }
        let clients = Clients()
        let serving = [
            Task { await serve(listener, clients) },
            Task { for await line in InputLines.read() { await clients.send(line) { output.note($0) } } },
        ]
        let outcome = await publish(port: listener.port)
        for task in serving { task.cancel() }
        await listener.close()
        try outcome.get()
    }

    /// What the reference server says of itself.
    private func advertisement(port: UInt16) throws(DiscoveryError) -> ServiceAdvertisement {
        let txt = try TXTRecord([
            TXTRecord.Entry(key: "service", text: "Discoverable Service"),
            TXTRecord.Entry(key: "version", text: "1.0.0"),
        ])
        return ServiceAdvertisement(name: name, type: type, port: port, txt: txt)
    }

    /// Publishes the server until the task is cancelled.
    private func publish(port: UInt16) async -> Result<Void, Exit> {
        let watching = Task { await DaemonWatch(.shared).note { output.note($0) } }
        defer { watching.cancel() }
        do throws(DiscoveryError) {
            let publication = try await Discovery.shared.publish(advertisement(port: port), timeout: nil)
            for await state in publication.states {
                switch state {
                case .established(let name):
                    var line = Line("serving")
                    line.name = name.text
                    line.type = type.text
                    line.port = port
                    output.print(line)
                case .failed(let error): throw error
                case .waitingForDaemon, .registering, .withdrawn: continue
                }
            }
            await publication.withdraw()
            return .success(())
        } catch {
            return error.code == .cancelled ? .success(()) : .failure(Exit(error))
        }
    }

    private func serve(_ listener: SessionListener, _ clients: Clients) async {
        await withDiscardingTaskGroup { group in
            for await session in listener.sessions {
                group.addTask { await serve(session, clients) }
            }
        }
    }

    private func serve(_ session: Session, _ clients: Clients) async {
        let address = await session.peerAddress?.endpointText ?? "?"
        let id = await clients.add(session)
        let report = SessionReport(output: output, peer: session.peerName.map { "\($0) (\(address))" } ?? address)
        await withDiscardingTaskGroup { group in
            let (texts, echo) = AsyncStream.makeStream(of: String.self)
            group.addTask {
                for await text in texts { try? await session.send(text) }
            }
            // The echo waits for its acknowledgement, which must not hold up the printing.
            await report.follow(session.events) { text in if echoes { echo.yield(text) } }
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
