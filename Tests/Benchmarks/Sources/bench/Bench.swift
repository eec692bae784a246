internal import CInstruments
internal import Glibc
internal import Measuring

@main
struct Bench {
    /// On the main actor, so that a worker can wait there without taking a thread of the cooperative pool.
    @MainActor
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == Program.workerArgument {
            await Worker.run(Array(arguments.dropFirst()))
        }
        do {
            switch try Command(arguments) {
            case .help:
                Output.say(usage)
            case .suite(let request):
                exit(try run(request))
            }
        } catch let error as UsageError {
            Output.complain("bench: \(error.text); see bench --help")
            exit(64)
        } catch {
            exit(130)
        }
    }

    /// The exit status: 1 if a row could not run. A goal that is not met is a figure, not a failure of the run.
    private static func run(_ request: Request) throws(Interrupted) -> Int32 {
        prepareMachine(keepsAwake: request.keepsAwake)
        let workshop = Workshop()
        let rows = try workshop.prepare(request.rows)
        var results: [RowResult] = []
        for scene in Scene.allCases {
            let part = rows.filter { $0.scene == scene }
            guard !part.isEmpty else { continue }
            var rounds = Rounds(rows: part, workshop: workshop)
            try rounds.run(request.rounds, in: scene)
            results += rounds.results(suite: request.suite.name)
        }
        for line in request.isJSON ? results.map(\.json) : Table(results).lines { Output.say(line) }
        return results.contains { $0.isFailure } ? 1 : 0
    }

    private static func prepareMachine(keepsAwake: Bool) {
        instruments_catch_interrupts()
        if keepsAwake, !instruments_keep_awake() {
            Output.complain(
                "bench: CPUs go to sleep between datagrams (no access to /dev/cpu_dma_latency): run as root"
            )
        }
        #if DEBUG
            Output.complain("bench: this is a debug build, whose figures mean nothing: swift run -c release")
        #endif
    }
}

extension RowResult {
    fileprivate var isFailure: Bool {
        switch outcome {
        case .measured: false
        case .failed: true
        }
    }
}

/// Somebody wants the run to end.
struct Interrupted: Error {}
