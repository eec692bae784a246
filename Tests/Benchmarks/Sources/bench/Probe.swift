/// One measurement: a program, or two that talk to each other, one of which says a line of numbers.
struct Probe: Hashable, Sendable {
    enum Reporter: Sendable { case first, second }

    /// Says its port first where there is a second program.
    let first: Program
    /// Gets the first one's port as its last argument.
    var second: Program?
    var reporter = Reporter.first
    /// How long the machine is left alone before it: what the probe before has left to do elsewhere disturbs nobody.
    var rest: Duration = .zero

    /// How long a worker may take to say its line. Far more than it needs, so that only a broken one is cut off.
    private static let patience: Duration = .seconds(120)

    /// Measures once. Both programs are gone when this returns.
    func measure(in workshop: Workshop) throws(ProbeError) -> [Double] {
        pause(milliseconds: Int(rest / .milliseconds(1)))
        var first = try Child(workshop.arguments(of: first))
        guard let second else { return try numbers(first.line(within: Self.patience)) }
        let port = try first.line(within: Self.patience)
        var other = try Child(workshop.arguments(of: second) + [port])
        switch reporter {
        case .first: return try numbers(first.line(within: Self.patience))
        case .second: return try numbers(other.line(within: Self.patience))
        }
    }

    private func numbers(_ line: String) throws(ProbeError) -> [Double] {
        let numbers = line.split(separator: " ").compactMap { Double($0) }
        guard !numbers.isEmpty else { throw .failed("said '\(line)' instead of a number") }
        return numbers
    }
}

enum ProbeError: Error {
    case failed(String)
    case interrupted
}

/// What a probe starts.
enum Program: Hashable, Sendable {
    /// This executable again.
    case worker([String])
    case peer(Peer, [String])
    /// The program of ours beside this one that the suite `discovery` measures.
    case discoveryWorker([String])
    /// The program of `AvahiReferences`.
    case reference([String])

    /// Tells a worker from a call of the command. Not part of the command's interface.
    static let workerArgument = "worker"
}
