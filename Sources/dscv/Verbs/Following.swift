internal import Discoverable

/// When a verb ends that follows what comes and goes.
enum FollowingEnd {
    /// When the user has had enough.
    case never
    case after(Duration)
    /// When all that is there has been told.
    case whenSettled

    static let options: [Option] = [.value("for"), .flag("until-settled")]

    init(_ arguments: Arguments) throws(Exit) {
        switch (try arguments.seconds("for"), arguments.has("until-settled")) {
        case (nil, false): self = .never
        case (let duration?, false): self = .after(duration)
        case (nil, true): self = .whenSettled
        case (.some, true): throw .usage("give either --for or --until-settled; leave one out")
        }
    }

    var isSettlement: Bool { if case .whenSettled = self { true } else { false } }
}

/// Follows something until its end: the settlement, the time, an error, or the user's interruption.
struct Following {
    let end: FollowingEnd
    let output: Output
    let discovery: Discovery

    /// How long a verb that has an end waits for a daemon.
    private static let daemonLimit = Duration.seconds(5)

    /// Runs `body`, which returns when all has been told and that is the end.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws(Exit) {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await body() }
                group.addTask { try await watchDaemon() }
                group.addTask { try await waitForEnd() }
                // Whoever is first ends the verb.
                _ = try await group.nextResult()?.get()
                group.cancelAll()
            }
        } catch let exit as Exit {
            throw exit
        } catch let error as DiscoveryError {
            if error.code != .cancelled { throw Exit(error) }
        } catch is CancellationError {
        } catch {
            throw .failed("\(error)")
        }
    }

    /// A verb with an end gives up on a daemon that stays away; one without says so and waits.
    private func watchDaemon() async throws {
        switch end {
        case .never: await DaemonWatch(discovery).note { output.note($0) }
        case .after, .whenSettled:
            if let absence = await DaemonWatch(discovery).absence(after: Self.daemonLimit) {
                throw Exit.unavailable(absence)
            }
        }
        try await sleepUntilCancelled()
    }

    private func waitForEnd() async throws {
        if case .after(let duration) = end { return try await Task.sleep(for: duration) }
        try await sleepUntilCancelled()
    }
}

/// Waits for nothing but the end of the task.
func sleepUntilCancelled() async throws {
    while true { try await Task.sleep(for: .seconds(3_600)) }
}
