public import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

extension Discovery {
    /// Sets who is told from now on what this discovery does with the daemon, also for `Discovery.shared`; nil for nobody.
    /// Connects to nothing by itself, and returns at once: what happens meanwhile is told to the one before.
    public func setDiagnostics(_ diagnostics: DiscoveryDiagnostics?) {
        connection.setDiagnostics(diagnostics)
    }

    /// How many items the network has told so far that are no valid names, types or records, and were passed over: the fault
    /// of a peer.
    public var malformedItemCount: UInt64 { connection.malformedItems.withLock { $0 } }

    /// The daemon's own name for its version, such as `avahi 0.8`. Costs no object of the daemon.
    ///
    /// - Parameter timeout: how long to wait for the daemon.
    /// - Throws: `DiscoveryError`: `daemonUnavailable` and `daemonNotResponding` where it does not tell in time; `cancelled`.
    public func daemonVersion(timeout: Duration = .seconds(5)) async throws(DiscoveryError) -> String {
        let operation = "asking avahi-daemon for its version"
        let output = Waiter<String, DiscoveryError>()
        let follower = Task { [connection, states] in
            for await state in states where state.isReachable {
                connection.submit { connection in
                    if let version = connection.daemonVersion { output.resume(.success(version)) }
                }
            }
        }
        defer { follower.cancel() }
        // Nothing is connected before something is asked for.
        connection.submit { _ in }
        return try await output.value(within: timeout) { [self] in
            failure(while: operation)
                ?? DiscoveryError(
                    .daemonNotResponding,
                    operation: operation,
                    explanation: "avahi-daemon does not answer; see whether it hangs: systemctl status avahi-daemon"
                )
        } cancelled: {
            .cancelled(while: operation)
        }
    }
}
