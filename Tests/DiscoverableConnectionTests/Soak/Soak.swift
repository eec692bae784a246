import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import TestSupport

/// Everything at once, for a time, in a process of its own: what it held before, it holds afterwards.
struct Soak {
    let seed: UInt64
    /// How long a first run takes, after which the process has what it keeps.
    let warmUp: Duration
    let duration: Duration

    /// Returns what must not be.
    func complaints() async throws -> [String] {
        let loop = try EventLoop(name: "soak")
        say("seed \(seed), \(duration)")
        let first = SoakRun(seed: ~seed, duration: warmUp, loop: loop)
        try await perform(first)
        let before = try await quiet(loop)
        let run = SoakRun(seed: seed, duration: duration, loop: loop)
        try await perform(run)
        let after = try await quiet(loop)
        judge(run, before, after)
        judgeRoundTrips(run)
        await judgeIdleness(of: loop, run)
        say("\(run.figures.withLock { $0 })")
        say("before \(before), after \(after)")
        return (first.complaints + run.complaints).map { "seed \(seed): \($0)" }
    }

    // MARK: What is left

    private func judge(_ run: SoakRun, _ before: ProcessState, _ after: ProcessState) {
        run.expect(
            after.descriptors == before.descriptors,
            "descriptors: \(before.descriptors), then \(after.descriptors)"
        )
        let growth = after.memory - before.memory
        run.expect(ProcessState.isSanitized || growth < 24 << 20, "the memory has grown by \(growth) bytes")
    }

    /// Nobody's flood has held up the others. Not the slowest counts: on a busy machine the whole process may stand still for a while.
    private func judgeRoundTrips(_ run: SoakRun) {
        let times = run.roundTrips.withLock { $0 }
        say("round trips: half in \(times.percentile(50)), 95 % in \(times.percentile(95)), all in \(times.slowest)")
        let limit = Duration.milliseconds(ProcessState.isSanitized ? 5_000 : 500)
        run.expect(times.percentile(95) < limit, "round trips take \(times.percentile(95))")
    }

    /// What the last references close, the loops that they hold among it, may take a moment.
    private func quiet(_ loop: EventLoop) async throws -> ProcessState {
        var state = ProcessState.current
        for _ in 0..<20 {
            await pause(.milliseconds(50), on: loop)
            let next = ProcessState.current
            if next.descriptors == state.descriptors, next.threads == state.threads { break }
            state = next
        }
        return ProcessState.current
    }

    private func judgeIdleness(of loop: EventLoop, _ run: SoakRun) async {
        let before = await cpuTime(of: loop)
        // Idleness can only be seen by letting time pass.
        await pause(.seconds(1))
        let used = await cpuTime(of: loop) - before
        run.expect(used < .milliseconds(10), "the idle loop uses \(used) of a second")
    }

    // MARK: The run

    private func perform(_ run: SoakRun) async throws {
        let alarm = EventLoop.shared.schedule(after: run.deadline - .now + .seconds(60)) {
            fatalError("seed \(seed): unfinished: \(run.unfinished); \(run.complaints)")
        }
        defer { alarm.cancel() }
        let servers = try await openServers(in: run)
        let serving = Task {
            await withTaskGroup(of: Void.self) { group in
                for server in servers { group.addTask { await server.serve() } }
            }
        }
        try await performScripts(servers, in: run)
        for server in servers {
            var auditor = try await HealthyClient(of: server, in: run)
            await auditor.audit()
            await run.close(server.socket)
        }
        await serving.value
    }

    private func openServers(in run: SoakRun) async throws -> [EchoServer] {
        var generator = run.fork()
        var servers: [EchoServer] = []
        for family in AddressFamily.allCases {
            for style in EchoServer.Style.allCases {
                let offloads = Bool.random(using: &generator)
                servers.append(try await EchoServer(style, family, offloads: offloads, in: run))
            }
        }
        return servers
    }

    private func performScripts(_ servers: [EchoServer], in run: SoakRun) async throws {
        var clients: [HealthyClient] = []
        var targets = servers.map(\.address)
        for server in servers + servers {
            let client = try await HealthyClient(of: server, in: run)
            if let target = try await client.target { targets.append(target) }
            clients.append(client)
        }
        var probers: [Prober] = []
        for server in servers { probers.append(try await Prober(of: server, in: run)) }
        let openings = (0..<3).map { _ in Openings(in: run) }
        let peers = try (0..<2).map { try Peers(servers, number: $0, in: run) }
        let garbage = Garbage(at: targets, in: run)
        let flood = Flood(in: run)
        await withTaskGroup(of: Void.self) { group in
            for (index, client) in clients.enumerated() {
                // Some of them beside their sockets, the others on the pool.
                group.addTask(executorPreference: index % 4 == 0 ? run.loop.taskExecutor : nil) {
                    var client = client
                    await run.perform("a client") { try await client.talk() }
                }
            }
            for prober in probers {
                group.addTask(executorPreference: run.loop.taskExecutor) {
                    var prober = prober
                    await run.perform("a prober") { try await prober.probe() }
                }
            }
            for script in openings {
                group.addTask {
                    var script = script
                    await run.repeating("openings") { try await script.step() }
                }
            }
            for script in peers {
                group.addTask {
                    var script = script
                    await run.repeating("peers") { try await script.step() }
                }
            }
            group.addTask {
                var script = garbage
                await run.repeating("garbage") { try await script.step() }
            }
            group.addTask {
                var script = flood
                await run.repeating("floods") { try await script.burst() }
            }
        }
    }
}
