internal import CInstruments
internal import Glibc

/// What the suite `discovery` measures of ours: a program of its own with no other library of ours in it, since its memory and
/// its computing are compared with those of plain C.
///
///     discovery-worker resolve TYPE SERVICES     browses and resolves; says its figures
///     discovery-worker growth TYPE SERVICES      says what each service costs, and the share that was resolved
///     discovery-worker publish SERVICES          publishes, says its figures, ends
///     discovery-worker latency SAMPLES           says the median delay of a browse's events, in microseconds
@main
struct DiscoveryWorker {
    /// Longer than any measurement takes.
    private static let longestLifeSeconds: UInt32 = 120

    static func main() async {
        instruments_limit_life(longestLifeSeconds)
        let words = CommandLine.arguments.dropFirst()
        do {
            try await run(words.first, words.dropFirst().first, words.last.flatMap { Int($0) })
        } catch {
            print("discovery-worker: \(error)")
            exit(1)
        }
    }

    private static func run(_ name: String?, _ type: String?, _ count: Int?) async throws {
        guard let type, let count else { throw WorkerError(description: "an argument is missing") }
        switch name {
        case "resolve": try await resolveServices(of: type, count: count)
        case "growth": try await resolveAgain(services: type, count: count)
        case "publish": try await publishServices(count: count)
        case "latency": try await receiveEvents(samples: count)
        default: throw WorkerError(description: "there is no such work")
        }
    }
}

struct WorkerError: Error, CustomStringConvertible {
    let description: String
}

/// Says the milliseconds since `start`, those that this process has computed, its largest resident memory in megabytes, and `share`:
/// the line that the references say too.
func sayFigures(since start: UInt64, share: Double) {
    let wall = Double(instruments_now_nanoseconds() - start) / 1e6
    let cpu = Double(instruments_cpu_nanoseconds()) / 1e6
    print(wall, cpu, Double(instruments_peak_kilobytes()) / 1024, share)
}
