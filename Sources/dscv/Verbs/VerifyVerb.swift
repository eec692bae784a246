internal import Discoverable

/// `dscv verify NAME TYPE`: whether a service is truly there, asked of its host and not of the daemon's cache.
struct VerifyVerb {
    private let instance: ServiceInstance
    private let timeout: Duration
    private let output: Output

    init(_ words: [String]) throws(Exit) {
        let arguments = try Arguments(words, options: [.value("domain"), .value("timeout")])
        guard arguments.operands.count == 2 else {
            throw .usage("verify takes a name and a type, such as: dscv verify Office _ipp._tcp")
        }
        instance = try arguments.instance()
        timeout = try arguments.seconds("timeout") ?? .seconds(2)
        output = Output(arguments)
    }

    func run() async throws(Exit) {
        let answer = try await orExit { () async throws(DiscoveryError) in
            try await Discovery.shared.verify(instance, timeout: timeout)
        }
        guard let answer else {
            if output.asJSON { output.print(Line("absent", instance)) }
            throw .failed("\(instance): nobody answers for it, whatever the daemon's cache still lists")
        }
        var line = Line("verified", instance)
        line.paths = [Line.Path(answer.path)]
        line.host = answer.location.target.text
        line.port = answer.location.port
        line.addresses = [answer.responder.hostText]
        line.rtt = answer.roundTrip.inSeconds
        output.print(line)
    }
}
