internal import DiscoverableCore
public import DiscoverableRuntime

/// This host as the network sees it: its name, how that stands, and its interfaces.
public struct LocalHost: Sendable {
    private let connection: DaemonConnection
    private let discovery: Discovery

    init(_ discovery: Discovery, connection: DaemonConnection) {
        self.discovery = discovery
        self.connection = connection
        connection.submit { $0.followHost() }
    }

    /// How the host's name stands now, as far as the daemon was asked already.
    public var state: LocalHostState { connection.hostStates.current }

    /// How the host's name stands, from now on, over all restarts of the daemon. Any number of consumers; each finds the
    /// newest state and none that was overtaken. Does not end; cancelling ends the iteration.
    public var states: StateSequence<LocalHostState> { StateSequence(connection.hostStates, keeping: discovery) }

    /// The names under which others find the host, as soon as the daemon has them.
    ///
    /// - Parameter timeout: how long to wait for the daemon.
    /// - Throws: `DiscoveryError`: `daemonUnavailable`, `daemonNotResponding`, `cancelled`.
    public func identity(timeout: Duration = .seconds(10)) async throws(DiscoveryError) -> HostIdentity {
        let operation = "asking for this host's name"
        let output = HostNameRequest.Output()
        let states = states
        let follower = Task {
            for await case .established(let identity) in states { return output.resume(.success(identity)) }
        }
        defer { follower.cancel() }
        return try await output.value(within: timeout) { [discovery] in
            discovery.failure(while: operation) ?? unsettled(operation)
        } cancelled: {
            .cancelled(while: operation)
        }
    }

    /// Gives the host another name on the local network and returns when it has it, which takes about a second. What this
    /// process has published is published again with the new name. The name lasts until the daemon ends; for longer set
    /// `host-name` in avahi-daemon.conf.
    ///
    /// - Parameters:
    ///   - name: one label of 1 to 63 letters, digits and hyphens, without the domain.
    ///   - timeout: how long to wait for the daemon and the network. A name that the daemon has taken by then stays.
    /// - Returns: the names that the host has now. Where another host holds the name they are others: `alpha-2`.
    /// - Throws: `DiscoveryError`: `invalidName` for what is no host name; `notPermitted` where this user may not do it, which
    ///   is everybody but root and members of the group netdev; `daemonUnavailable`, `daemonNotResponding`, `cancelled`.
    @discardableResult
    public func setName(_ name: String, timeout: Duration = .seconds(10)) async throws(DiscoveryError) -> HostIdentity {
        let operation = HostNameRequest.operation(name)
        guard isHostLabel(name) else {
            throw DiscoveryError(
                .invalidName,
                operation: operation,
                explanation: "a host name is one label of 1 to 63 letters, digits and hyphens, without a domain"
            )
        }
        let output = HostNameRequest.Output()
        let id = connection.makeID()
        connection.submit { $0.begin(HostNameRequest(name: name, output: output), id: id) }
        defer { connection.submit { $0.endHostNameRequest(id) } }
        return try await output.value(within: timeout) { [discovery] in
            discovery.failure(while: operation) ?? unsettled(operation)
        } cancelled: {
            .cancelled(while: operation)
        }
    }

    /// The interfaces of the host, by their numbers, with their addresses. The daemon uses those that are up and do multicast,
    /// unless its configuration says otherwise.
    ///
    /// - Throws: `DiscoveryError` with code `outOfResources` where the system cannot be asked.
    public func interfaces() throws(DiscoveryError) -> [NetworkInterface] {
        do throws(UnderlyingError) {
            return try NetworkInterface.all()
        } catch {
            throw DiscoveryError(
                .outOfResources,
                operation: "listing this host's interfaces",
                explanation: "the process is out of memory or descriptors; close some, or raise `ulimit -n`",
                underlying: error
            )
        }
    }
}

extension Discovery {
    /// This host as the network sees it. Asking for it connects to the daemon.
    public var localHost: LocalHost { LocalHost(self, connection: connection) }
}

private func unsettled(_ operation: String) -> DiscoveryError {
    DiscoveryError(
        .daemonNotResponding,
        operation: operation,
        explanation: "avahi-daemon has not settled on a host name in time; see its log: journalctl -u avahi-daemon"
    )
}

/// Letters, digits and hyphens, none of these at an end (RFC 1123 section 2.1).
private func isHostLabel(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let isHyphen = { (byte: UInt8?) in byte == 0x2d }
    return (1...63).contains(bytes.count) && !isHyphen(bytes.first) && !isHyphen(bytes.last)
        && bytes.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d: true
            default: false
            }
        }
}
