/// What one check of `dscv doctor` has found.
struct Finding: Encodable, Equatable {
    enum Verdict: String, Encodable {
        case ok
        /// It works, but something will be missed.
        case warning
        /// It does not work.
        case wrong
        /// What another check found wrong makes this one impossible.
        case skipped
    }

    private(set) var event = "check"
    /// What was checked.
    let check: Check
    let verdict: Verdict
    /// What is so, or what is wrong.
    let reason: String
    /// The command that mends it; nil where nothing has to be mended.
    let mend: String?

    enum Check: String, Encodable, CaseIterable {
        case bus = "d-bus"
        case daemon
        case configuration
        case interfaces
        case hostName = "host name"
        case serviceNames = "service names"
        case nss = "nss-mdns"
        case responders
        case roundTrip = "round trip"
    }

    static func ok(_ check: Check, _ reason: String) -> Finding {
        Finding(check: check, verdict: .ok, reason: reason, mend: nil)
    }

    static func warning(_ check: Check, _ reason: String, mend: String) -> Finding {
        Finding(check: check, verdict: .warning, reason: reason, mend: mend)
    }

    static func wrong(_ check: Check, _ reason: String, mend: String) -> Finding {
        Finding(check: check, verdict: .wrong, reason: reason, mend: mend)
    }

    static func skipped(_ check: Check, _ reason: String) -> Finding {
        Finding(check: check, verdict: .skipped, reason: reason, mend: nil)
    }
}

extension [Finding] {
    /// Whether everything works, however well.
    var areHealthy: Bool { !contains { $0.verdict == .wrong } }

    /// The one line for people that sums them up.
    var summary: String {
        let wrong = filter { $0.verdict == .wrong }.map(\.check.rawValue)
        let warnings = count { $0.verdict == .warning }
        let remarks = warnings == 0 ? "" : warnings == 1 ? ", with 1 warning" : ", with \(warnings) warnings"
        guard wrong.isEmpty else { return "wrong: \(wrong.joined(separator: ", "))\(remarks)" }
        return "this host is healthy\(remarks)"
    }
}
