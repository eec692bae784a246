internal import Discoverable

/// `dscv publish NAME TYPE PORT [KEY[=VALUE]...] [-- NAME TYPE PORT ...]`.
struct PublishVerb {
    private let advertisements: [ServiceAdvertisement]
    private let output: Output

    init(_ words: [String]) throws(Exit) {
        let groups = words.split(separator: "--", omittingEmptySubsequences: false).map(Array.init)
        var advertisements: [ServiceAdvertisement] = []
        var asJSON = false
        for group in groups {
            let arguments = try Arguments(group, options: [.value("domain"), .value("interface")])
            asJSON = asJSON || arguments.has("json")
            advertisements.append(try advertisement(arguments))
        }
        self.advertisements = advertisements
        output = Output(asJSON: asJSON)
    }

    /// Publishes all and keeps them until the task is cancelled.
    func run() async throws(Exit) {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for advertisement in advertisements {
                    group.addTask { try await publish(advertisement) }
                }
                group.addTask { await noteAbsentDaemon() }
                try await group.waitForAll()
            }
        } catch let error as DiscoveryError {
            if error.code != .cancelled { throw Exit(error) }
        } catch {
            throw .failed("\(error)")
        }
    }

    private func publish(_ advertisement: ServiceAdvertisement) async throws(DiscoveryError) {
        let publication = try await Discovery.shared.publish(advertisement, timeout: nil)
        for await state in publication.states { report(state, of: advertisement) }
        // The loop ends with the publication, or because the user has had enough of it.
        if case .failed(let error) = publication.state { throw error }
        await publication.withdraw()
        var line = Line("withdrawn")
        line.name = publication.name.text
        line.type = advertisement.type.text
        output.print(line)
    }

    private func report(_ state: PublicationState, of advertisement: ServiceAdvertisement) {
        var line: Line
        switch state {
        case .waitingForDaemon: line = Line("waiting")
        case .registering(let name), .renaming(_, let name), .republishing(let name):
            line = Line("registering")
            line.name = name.text
        case .established(let name):
            line = Line("established")
            line.name = name.text
        case .withdrawn, .failed: return
        }
        line.type = advertisement.type.text
        line.port = advertisement.port
        output.print(line)
    }

    private func noteAbsentDaemon() async {
        await DaemonWatch(Discovery.shared).note { output.note($0) }
    }
}

private func advertisement(_ arguments: Arguments) throws(Exit) -> ServiceAdvertisement {
    let operands = arguments.operands
    guard operands.count >= 3 else {
        throw .usage("publish takes a name, a type and a port, such as: dscv publish Office _http._tcp 8080 path=/")
    }
    guard let port = UInt16(operands[2]) else {
        throw .usage("\"\(operands[2])\" is no port; a port is a number from 0 to 65535")
    }
    let interface = try arguments.value("interface").map { name throws(Exit) in try findInterface(name) }
    return try orExit { () throws(DiscoveryError) in
        try ServiceAdvertisement(
            name: ServiceName(operands[0]),
            type: ServiceType(operands[1]),
            port: port,
            txt: TXTRecord(operands[3...].map(entry)),
            domain: arguments.value("domain").map { text throws(DiscoveryError) in try Domain(text) },
            scope: interface.map(DiscoveryScope.interface) ?? .everywhere
        )
    }
}

/// `KEY=VALUE`, or `KEY` without a value.
private func entry(_ word: String) -> TXTRecord.Entry {
    guard let mark = word.firstIndex(of: "=") else { return TXTRecord.Entry(key: word, text: nil) }
    return TXTRecord.Entry(key: String(word[..<mark]), text: String(word[word.index(after: mark)...]))
}

/// The interface that the user named.
func findInterface(_ name: String) throws(Exit) -> InterfaceIndex {
    guard let index = InterfaceIndex(named: name) else {
        throw .usage("there is no interface \"\(name)\"; see `ip link` for their names")
    }
    return index
}
