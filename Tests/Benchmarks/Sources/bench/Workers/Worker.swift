internal import CInstruments
internal import Glibc

/// This executable as one of the programs that a probe starts: `bench worker NAME ARGUMENT...`.
@MainActor
enum Worker {
    /// Longer than any measurement takes.
    private static let longestLifeSeconds: UInt32 = 120

    /// Never returns.
    static func run(_ arguments: [String]) async -> Never {
        instruments_limit_life(longestLifeSeconds)
        guard let name = arguments.first else { exit(64) }
        let rest = Array(arguments.dropFirst())
        do {
            if let reference = ReferenceWorker(rawValue: name) {
                try reference.run(rest.map { try required(Int($0)) })
                exit(0)
            }
            guard let worker = OurWorker(rawValue: name) else { exit(64) }
            try await worker.run(rest)
            exit(0)
        } catch {
            Output.complain("bench worker \(name): \(error)")
            exit(1)
        }
    }
}
