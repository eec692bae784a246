/// What the command line asks for.
enum Command {
    case help
    case suite(Request)

    init(_ arguments: [String]) throws(UsageError) {
        if arguments.contains(where: { $0 == "--help" || $0 == "-h" }) {
            self = .help
        } else {
            self = .suite(try Request(arguments))
        }
    }
}

struct UsageError: Error {
    let text: String
}

struct Request {
    let suite: Suite
    private(set) var isJSON = false
    private(set) var keepsAwake = true
    private(set) var rounds = 11
    private(set) var names: [String] = []

    /// The rows that were asked for, in the suite's order.
    var rows: [Row] { names.isEmpty ? suite.rows : suite.rows.filter { names.contains($0.name) } }

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        guard let name = rest.popFirst(), !name.hasPrefix("-") else { throw UsageError(text: "name a suite first") }
        guard let suite = Suite.all.first(where: { $0.name == name }) else {
            let known = Suite.all.map(\.name).joined(separator: ", ")
            throw UsageError(text: "there is no suite '\(name)' (there is: \(known))")
        }
        self.suite = suite
        while let option = rest.popFirst() { try take(option, from: &rest) }
    }

    private mutating func take(_ option: String, from rest: inout ArraySlice<String>) throws(UsageError) {
        switch option {
        case "--json": isJSON = true
        case "--let-sleep": keepsAwake = false
        case "--rounds":
            guard let rounds = rest.popFirst().flatMap(Int.init), (1...10_000).contains(rounds) else {
                throw UsageError(text: "--rounds takes a number from 1 to 10000")
            }
            self.rounds = rounds
        case "--only":
            guard let name = rest.popFirst() else { throw UsageError(text: "--only takes the name of a row") }
            guard suite.rows.contains(where: { $0.name == name }) else {
                throw UsageError(text: "the suite '\(suite.name)' has no row '\(name)'")
            }
            names.append(name)
        default: throw UsageError(text: "'\(option)' is no option")
        }
    }
}

/// The text of `--help`.
let usage = """
    Usage: bench SUITE [--json] [--rounds N] [--only ROW]... [--let-sleep]

    Measures ours beside plain C that does the same work, and beside peers where they are installed, all in one run:
    each round measures everything once, every other round backwards. The ratio is the median of the rounds' ratios; the
    spread is the distance between its quartiles as a share of it. Figures of one run compare with each other only.

      --json        one JSON object a row, instead of a table
      --rounds N    how often everything is measured (11)
      --only ROW    this row and its reference; can be repeated
      --let-sleep   does not keep the CPUs awake

    Run it as root, so that it can keep the CPUs awake (/dev/cpu_dma_latency) while it measures: on a virtual machine waking
    a CPU can cost more than everything that is measured here. Build it with -c release, and let nothing else run.

    The suite discovery runs on a host of a testbed: Tests/testbed swift run -c release --package-path Tests/Benchmarks bench discovery

    Exit status: 0 all rows ran, whatever their goals; 1 a row could not run; 64 usage; 130 interrupted.

    """ + Suite.all.map(\.help).joined(separator: "\n")
