internal import Discoverable

/// `dscv doctor`: what keeps discovery from working on this host, and the command that mends it.
struct DoctorVerb {
    private let host: HostProbe
    private let output: Output
    private let probe = DaemonProbe(discovery: .shared)

    init(_ words: [String]) throws(Exit) {
        let arguments = try Arguments(words, options: [.value("config")])
        guard arguments.operands.isEmpty else { throw .usage("doctor takes no operands; leave them out") }
        host = HostProbe(namedConfiguration: arguments.value("config"))
        output = Output(arguments)
    }

    func run() async throws(Exit) {
        let facts = await facts()
        if Task.isCancelled { return }
        let findings = Diagnosis(facts: facts).findings
        for finding in findings { output.print(finding) }
        try conclude(findings, facts.daemon)
    }

    private func facts() async -> Facts {
        let daemon = await probe.daemon(process: host.daemonProcess)
        var facts = Facts(
            daemon: daemon,
            isInstalled: host.isInstalled,
            configuration: host.configuration,
            interfaces: host.interfaces,
            systemHostName: host.systemHostName,
            heldHostName: nil,
            renamedServices: nil,
            nameService: host.nameService,
            otherResponders: host.otherResponders,
            roundTrip: .notTried
        )
        guard case .runs = daemon else { return facts }
        facts.heldHostName = await probe.heldHostName()
        facts.roundTrip = await probe.roundTrip()
        facts.renamedServices = await probe.renamedServices()
        return facts
    }

    private func conclude(_ findings: [Finding], _ daemon: Facts.Daemon) throws(Exit) {
        guard findings.areHealthy else {
            switch daemon {
            case .noBus, .absent, .hangs: throw .unavailable(findings.summary)
            case .runs: throw .failed(findings.summary)
            }
        }
        if !output.asJSON { output.note(findings.summary) }
    }
}

extension Output {
    /// Prints a finding; for people with the command that mends it on a line of its own.
    func print(_ finding: Finding) {
        print(finding) { _ in
            let margin = String(repeating: " ", count: 27)
            let mend = finding.mend.map { "\n\(margin)mend it: \(printable($0))" } ?? ""
            return columns([(finding.verdict.rawValue, 9), (finding.check.rawValue, 14)], printable(finding.reason))
                + mend
        }
    }
}
