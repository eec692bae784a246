internal import Discoverable

/// `dscv resolve NAME TYPE`.
struct ResolveVerb {
    private let instance: ServiceInstance
    private let timeout: Duration
    private let output: Output

    init(_ words: [String]) throws(Exit) {
        let arguments = try Arguments(words, options: [.value("domain"), .value("timeout")])
        guard arguments.operands.count == 2 else {
            throw .usage("resolve takes a name and a type, such as: dscv resolve Office _ipp._tcp")
        }
        instance = try arguments.instance()
        timeout = try arguments.seconds("timeout") ?? .seconds(5)
        output = Output(arguments)
    }

    func run() async throws(Exit) {
        let service = try await orExit { () async throws(DiscoveryError) in
            try await Discovery.shared.resolve(instance, timeout: timeout)
        }
        var line = Line("resolved", instance)
        line.add(service)
        output.print(line)
    }
}
