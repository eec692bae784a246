internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// What the connection tells of itself: never from inside a lock or a call into Avahi.
extension DaemonConnection {
    /// Tells an event; where nobody listens at its level, nothing of it is even put together.
    func tell(
        _ level: DiscoveryDiagnostics.Level,
        _ kind: @autoclosure () -> DiscoveryDiagnostics.Kind,
        _ message: @autoclosure () -> String
    ) {
        guard let diagnostics, level >= diagnostics.minimumLevel else { return }
        diagnostics.handler(DiscoveryDiagnostics.Event(level, kind(), message()))
    }

    /// Sets who is told from now on. Asks nothing of the daemon.
    nonisolated func setDiagnostics(_ diagnostics: DiscoveryDiagnostics?) {
        onLoop { $0.diagnostics = diagnostics }
    }

    func tellState(_ state: DaemonState) {
        guard state != toldState else { return }
        toldState = state
        guard let absence = state.absence, state != .idle else {
            return tell(.info, .daemonState(state), "avahi-daemon is reachable: \(state)")
        }
        tell(.warning, .daemonState(state), "avahi-daemon is not reachable (\(state)): \(absence)")
    }

    func tellOpened(_ owner: AvahiObjectTable.Owner) {
        tell(.debug, .objectOpened(count: objects.count), "opened in the daemon: \(owner); it holds \(objects.count)")
    }

    func tellFreed() {
        tell(.debug, .objectFreed(count: objects.count), "freed in the daemon; it holds \(objects.count)")
    }

    func tellFailure(_ failure: AvahiFailure) {
        tell(.debug, .callFailed(failure.underlying), "the daemon did not do it: \(failure.underlying)")
    }

    func tellPostponed(_ operation: String, _ failure: AvahiFailure) {
        tell(.warning, .postponed, "\(operation): is tried again, after \(failure.underlying)")
    }

    func tellEnd(_ error: DiscoveryError) {
        tell(.error, .ended(error), error.description)
    }

    func tell(_ state: PublicationState, of publication: PublishTask) {
        if case .failed(let error) = state { return tellEnd(error) }
        tell(.info, .publicationState(state), "\(publication.operation): \(state)")
    }

    /// Counts what the network told and nobody can read.
    func countMalformedItem() {
        let count = malformedItems.withLock { count in
            count += 1
            return count
        }
        guard count & (count - 1) == 0 else { return }
        tell(
            .warning,
            .malformedItem(count: count),
            "the network told something that is no valid name, type or record; passed over (\(count) so far)"
        )
    }
}

extension AvahiEvent {
    /// Whether it tells something of the network's that is not valid.
    var isMalformed: Bool {
        switch self {
        case .serviceBrowser(let report): report.isMalformed
        case .typeBrowser(let report): report.isMalformed
        case .domainBrowser(.network(let report)): report.isMalformed
        case .hostRecord(let report): report.isMalformed
        case .claim(let report): report.isMalformed
        case .record(let report): report.isMalformed
        case .domainBrowser(.configured), .client, .resolver, .group: false
        }
    }
}

extension AvahiListReport {
    fileprivate var isMalformed: Bool { if case .malformed = self { true } else { false } }
}
