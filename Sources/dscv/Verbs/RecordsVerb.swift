internal import Discoverable

/// `dscv records NAME [RRTYPE]`: what the network says of a name.
struct RecordsVerb {
    private let name: DNSName
    /// The types that are asked for.
    private let types: [RecordType]
    private let scope: DiscoveryScope
    private let follows: Bool
    private let timeout: Duration
    private let output: Output
    private let discovery = Discovery.shared

    /// What a name of the local network can have, where no type is given.
    private static let usualTypes: [RecordType] = [.a, .aaaa, .cname, .ptr, .srv, .txt, .hinfo]

    init(_ words: [String]) throws(Exit) {
        let options = [.flag("follow"), .value("timeout")] + Arguments.scopeOptions
        let arguments = try Arguments(words, options: options)
        let operands = arguments.operands
        guard (1...2).contains(operands.count) else {
            throw .usage("records takes a name and perhaps a type, such as: dscv records beta.local AAAA")
        }
        (name, types) = try orExit { () throws(DiscoveryError) in
            (
                try fullName(operands[0]),
                operands.count == 2 ? [try RecordType(operands[1])] : Self.usualTypes
            )
        }
        scope = try arguments.scope()
        follows = arguments.has("follow")
        timeout = try arguments.seconds("timeout") ?? .seconds(5)
        output = Output(arguments)
    }

    func run() async throws(Exit) {
        if follows { return try await follow() }
        let found = try await lookUp()
        for record in found.sorted(by: { $0.record < $1.record }) { output.print(Line("added", record)) }
    }

    /// Each type for itself: what has no records of one type may have some of another.
    private func lookUp() async throws(Exit) -> [BrowsedRecord] {
        let answers = await withTaskGroup(of: Result<[BrowsedRecord], DiscoveryError>.self) { group in
            for type in types { group.addTask { await lookUp(type) } }
            var answers: [Result<[BrowsedRecord], DiscoveryError>] = []
            for await answer in group { answers.append(answer) }
            return answers
        }
        let found = answers.flatMap { (try? $0.get()) ?? [] }
        if found.isEmpty, case .failure(let error)? = answers.first { throw Exit(error) }
        return found
    }

    private func lookUp(_ type: RecordType) async -> Result<[BrowsedRecord], DiscoveryError> {
        do throws(DiscoveryError) {
            let question = RecordQuestion(name, type, on: scope)
            return .success(try await discovery.lookUpRecords(question, timeout: timeout))
        } catch {
            return .failure(error)
        }
    }

    private func follow() async throws(Exit) {
        let report = ListReport<BrowsedRecord>(output: output, end: .never) { event, found in Line(event, found) }
        try await Following(end: .never, output: output, discovery: discovery).run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for type in types {
                    let records = discovery.records(RecordQuestion(name, type, on: scope))
                    group.addTask { try await report.follow(records) }
                }
                try await group.waitForAll()
            }
        }
    }
}

extension Line {
    /// A record: what it says as text, and in the fields of services where they mean the same.
    init(_ event: String, _ found: BrowsedRecord) {
        self.init(event)
        name = found.record.name.text
        type = found.record.type.description
        if event != "removed" { paths = found.paths.map(Path.init) }
        data = found.record.data.description
        switch found.record.data {
        case .a(let address): addresses = [address.description]
        case .aaaa(let address): addresses = [address.description]
        case .cname(let target), .ptr(let target): host = target.text
        case .srv(let location):
            host = location.target.text
            port = location.port
        case .txt(let record): txt = record.entries.map(TXTItem.init)
        case .hinfo, .raw: break
        }
    }
}
