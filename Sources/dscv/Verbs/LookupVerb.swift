internal import Discoverable

/// `dscv lookup HOST-OR-ADDRESS`: all addresses of a host, or the name of the host that has an address.
struct LookupVerb {
    private enum Question {
        case host(DNSName)
        case address(IPAddress)
    }

    private let question: Question
    private let scope: DiscoveryScope
    private let timeout: Duration
    private let output: Output

    init(_ words: [String]) throws(Exit) {
        let arguments = try Arguments(words, options: [.value("timeout")] + Arguments.scopeOptions)
        guard arguments.operands.count == 1 else {
            throw .usage("lookup takes a host's name or an address, such as: dscv lookup beta.local")
        }
        var scope = try arguments.scope()
        question = try LookupVerb.question(arguments.operands[0], scope: &scope)
        self.scope = scope
        timeout = try arguments.seconds("timeout") ?? .seconds(5)
        output = Output(arguments)
    }

    /// An address may name its interface, as in `fe80::1%eth0`: it is asked for there.
    private static func question(_ text: String, scope: inout DiscoveryScope) throws(Exit) -> Question {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if let address = IPAddress(parts[0]) {
            if parts.count == 2 { scope.interface = try Arguments.interface(parts[1]) }
            return .address(address)
        }
        return .host(try orExit { () throws(DiscoveryError) in try fullName(text) })
    }

    func run() async throws(Exit) {
        var line = Line("resolved")
        switch question {
        case .host(let name):
            let found = try await orExit { () async throws(DiscoveryError) in
                try await Discovery.shared.lookUpAddresses(of: name, on: scope, timeout: timeout)
            }
            line.host = name.text
            line.addresses = found.map { $0.endpoint(port: 0).hostText }
        case .address(let address):
            let name = try await orExit { () async throws(DiscoveryError) in
                try await Discovery.shared.lookUpHostName(of: address, on: scope, timeout: timeout)
            }
            line.host = name.text
            line.addresses = [address.description]
        }
        output.print(line)
    }
}
