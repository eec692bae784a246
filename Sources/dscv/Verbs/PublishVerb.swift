internal import Discoverable

/// `dscv publish NAME TYPE PORT [KEY[=VALUE]...] [-- NAME TYPE PORT ...] [--host NAME=ADDRESS] [--alias NAME]`.
struct PublishVerb {
    private let advertisement: Advertisement
    private let output: Output
    private let discovery = Discovery.shared

    init(_ words: [String]) throws(Exit) {
        let plan = try PublishPlan(words)
        advertisement = plan.advertisement
        output = Output(plan.flags)
        if !plan.flags.has("verbose") { noteObstacles() }
    }

    /// Publishes all and keeps it until the task is cancelled.
    func run() async throws(Exit) {
        let publication = try orExit { () throws(DiscoveryError) in try discovery.beginPublishing(advertisement) }
        let watch = Task { await DaemonWatch(discovery).note { output.note($0) } }
        defer { watch.cancel() }
        var hasBegun = false
        for await state in publication.states {
            // How every publication begins is worth no word; that it lasts is said by the watch.
            if state == .waitingForDaemon, !hasBegun { continue }
            hasBegun = true
            report(state, of: publication)
        }
        // The loop ends with the publication, or because the user has had enough of it.
        if case .failed(let error) = publication.state { throw Exit(error) }
        await publication.withdraw()
        for line in lines("withdrawn", publication.names) { output.print(line) }
    }

    /// Says once why it is not visible yet where it is tried again and again.
    private func noteObstacles() {
        discovery.setDiagnostics(
            DiscoveryDiagnostics(minimumLevel: .warning) { [output] event in
                if event.kind == .postponed { output.note(event.message) }
            }
        )
    }

    private func report(_ state: PublicationState, of publication: Publication) {
        switch state {
        case .waitingForDaemon: output.print(Line("waiting"))
        case .registering, .renaming, .republishing: tell("registering", publication.names)
        case .established: tell("established", publication.names)
        case .withdrawn, .failed: break
        }
    }

    private func tell(_ event: String, _ names: [ServiceName]) {
        for line in lines(event, names) { output.print(line) }
    }

    /// A line for each service, each address and each alias.
    private func lines(_ event: String, _ names: [ServiceName]) -> [Line] {
        let services = zip(advertisement.services, names).map { service, name in
            var line = Line(event)
            line.name = name.text
            line.type = service.type.text
            if event != "withdrawn" { line.port = service.port }
            return line
        }
        let hosts = advertisement.hosts.map { host in
            var line = Line(event)
            line.host = host.name.text
            line.addresses = [host.address.description]
            return line
        }
        let aliases = advertisement.aliases.map { alias in
            var line = Line(event)
            line.alias = alias.name.text
            return line
        }
        return services + hosts + aliases
    }
}
