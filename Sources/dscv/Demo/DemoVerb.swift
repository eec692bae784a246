internal import Discoverable

/// `dscv demo`: everything, between two hosts of the testbed, each step on a line with its time. It succeeds only if all of it
/// happened.
struct DemoVerb {
    private let output: Output
    private let testbed: Testbed
    private let discovery = Discovery.shared
    private let type = "_dscv-demo._tcp"
    private let serverType = "_dscv-demo._udp"
    private let messageCount = 10

    init(_ words: [String]) throws(Exit) {
        let arguments = try Arguments(words, options: [])
        guard arguments.operands.isEmpty else { throw .usage("demo takes no operands; leave them out") }
        output = Output(arguments)
        testbed = try Testbed()
    }

    func run() async throws(Exit) {
        try await showDiscovery()
        try await showSession()
    }

    // MARK: Discovery

    private func showDiscovery() async throws(Exit) {
        let name = "Demo 🎈 a.b"
        let log = BrowseLog(discovery.browse(try orExit { () throws(DiscoveryError) in try ServiceType(type) }))
        let publisher = try await step("published \"\(name)\" on \(testbed.peer)") { () async throws(Exit) in
            let publisher = try testbed.start("publish", name, type, "4242", "path=/", "flag", "--json")
            try await waitForLine("established", of: publisher)
            return publisher
        }
        let service = try await step("found it from this host") { () async throws(Exit) in
            try await log.waitForAddition(of: name, within: .seconds(10))
        }
        try await step("resolved it") { () async throws(Exit) in try await resolve(service) }
        try await step("restarted avahi-daemon under the browse: nothing lost, nothing told twice") {
            () async throws(Exit) in try await restartDaemon(log)
        }
        let second = try await step("found a second service, once: the browse is alive") { () async throws(Exit) in
            let second = try testbed.start("publish", "Second", type, "4243", "--json")
            _ = try await log.waitForAddition(of: "Second", within: .seconds(10))
            return second
        }
        try await step("withdrew both, and saw both go") { () async throws(Exit) in
            publisher.end()
            second.end()
            try await log.waitForRemovals(of: [name, "Second"], within: .seconds(10))
        }
    }

    private func resolve(_ service: BrowsedService) async throws(Exit) {
        let resolved = try await orExit { () async throws(DiscoveryError) in try await discovery.resolve(service) }
        var line = Line("resolved", service)
        line.add(resolved)
        output.print(line)
        let expected = ["path=/", "flag"].map { Array($0.utf8) }
        guard resolved.port == 4242, resolved.txt.strings == expected else {
            throw .failed("the port or the TXT record is not what was published")
        }
    }

    /// What nobody confirms is told as removed five seconds after the daemon has told what it sees: watch for longer.
    private func restartDaemon(_ log: BrowseLog) async throws(Exit) {
        let before = await log.count
        try await testbed.tell("daemon", "alpha", "restart")
        try await pause(.seconds(8))
        guard discovery.state == .running else { throw .failed("the daemon did not come back") }
        let told = await log.events(from: before)
        guard !told.contains(where: \.isAdditionOrRemoval) else { throw .failed("the restart was told as: \(told)") }
    }

    // MARK: A session

    private func showSession() async throws(Exit) {
        let server = try await step("serving on \(testbed.peer)") { () async throws(Exit) in
            let server = try testbed.start(
                "serve",
                "Demo server",
                "--type",
                serverType,
                "--port",
                "0",
                "--echo",
                "--json"
            )
            try await waitForLine("serving", of: server)
            return server
        }
        let session = try await step("found the server and connected") { () async throws(Exit) in
            let peer = try await orExit { () async throws(DiscoveryError) in try await Peer.find(serverType) }
            return try await orExit { () async throws(SessionError) in try await peer.connect() }
        }
        try await step("\(messageCount) messages each way, each acknowledged") { () async throws(Exit) in
            try await exchange(session)
        }
        try await step("strength is 100 %") { () async throws(Exit) in
            let strength = await session.strength
            guard strength == 100 else { throw .failed("strength is \(strength.map(String.init) ?? "unknown")") }
        }
        try await step("closed the session, and the server knows it") { () async throws(Exit) in
            await session.close()
            try await waitForLine("closed", of: server)
        }
        server.end()
    }

    private func exchange(_ session: Session) async throws(Exit) {
        let texts = (1...messageCount).map { "message \($0)" }
        let echoes = Task {
            var echoes: [String] = []
            for await text in session.messages {
                echoes.append(text)
                if echoes.count == texts.count { break }
            }
            return echoes
        }
        for text in texts {
            try await orExit { () async throws(SessionError) in try await session.send(text) }
        }
        guard try await within(.seconds(10), "the server's messages", { await echoes.value }) == texts else {
            throw .failed("the server's messages are not the ones that were sent to it")
        }
    }

    // MARK: Steps

    /// Does one step and prints it with the time that it took.
    private func step<Value>(_ text: String, _ body: () async throws(Exit) -> Value) async throws(Exit) -> Value {
        let start = ContinuousClock.now
        do {
            let value = try await body()
            var line = Line("done")
            line.reason = text
            line.seconds = start.duration(to: .now).inSeconds
            output.print(line)
            return value
        } catch {
            throw .failed("this did not happen: \(text): \(error.message)")
        }
    }

    /// Waits until a peer tells an event in its JSON lines.
    private func waitForLine(_ event: String, of process: DemoProcess) async throws(Exit) {
        let lines = process.lines
        try await within(.seconds(15), "\"\(event)\" from \(testbed.peer)") {
            for await line in lines where line.contains("\"event\":\"\(event)\"") { return }
        }
    }
}
