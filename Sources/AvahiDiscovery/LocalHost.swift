internal import DiscoverableCore
public import DiscoverableRuntime

/// This host as the network sees it: its name, how that stands, and its interfaces.
public struct LocalHost: Sendable {
    private let verbs: LocalHostVerbs

    package init(_ verbs: LocalHostVerbs) {
        self.verbs = verbs
    }

    /// How the host's name stands now, as far as the daemon was asked already.
    public var state: LocalHostState { verbs.states.current }

    /// How the host's name stands, from now on, over all restarts of the daemon. Any number of consumers; each finds the
    /// newest state and none that was overtaken. Does not end; cancelling ends the iteration.
    public var states: StateSequence<LocalHostState> { StateSequence(verbs.states, keeping: verbs.owner) }

    /// The names under which others find the host, as soon as the daemon has them.
    ///
    /// - Parameter timeout: how long to wait for the daemon.
    /// - Throws: `DiscoveryError`: `daemonUnavailable`, `daemonNotResponding`, `cancelled`.
    public func identity(timeout: Duration = .seconds(10)) async throws(DiscoveryError) -> HostIdentity {
        let operation = "asking for this host's name"
        let output = LocalHostVerbs.Output()
        let states = states
        let follower = Task {
            for await case .established(let identity) in states { return output.resume(.success(identity)) }
        }
        defer { follower.cancel() }
        return try await verbs.value(of: output, within: timeout, operation)
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
        let operation = LocalHostVerbs.operation(name)
        guard isHostLabel(name) else {
            throw DiscoveryError(
                .invalidName,
                operation: operation,
                explanation: "a host name is one label of 1 to 63 letters, digits and hyphens, without a domain"
            )
        }
        let output = LocalHostVerbs.Output()
        let end = verbs.setName(name, output)
        defer { end() }
        return try await verbs.value(of: output, within: timeout, operation)
    }

    /// The interfaces of the host, by their numbers, with their addresses. The daemon uses those that are up and do multicast,
    /// unless its configuration says otherwise.
    ///
    /// - Throws: `DiscoveryError` with code `outOfResources` where the system cannot be asked.
    public func interfaces() throws(DiscoveryError) -> [NetworkInterface] {
        do throws(UnderlyingError) {
            return try verbs.interfaces()
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
    public var localHost: LocalHost {
        connection.submit { $0.followHost() }
        let verbs = LocalHostVerbs(states: connection.hostStates, owner: self) { [connection] name, output in
            let id = connection.makeID()
            connection.submit { $0.begin(HostNameRequest(name: name, output: output), id: id) }
            return { connection.submit { $0.endHostNameRequest(id) } }
        } interfaces: { () throws(UnderlyingError) in
            try NetworkInterface.all()
        } failure: { [self] operation in
            failure(while: operation)
        }
        return LocalHost(verbs)
    }
}

/// Who stands behind a `LocalHost`: the connection to the daemon, or a test's script.
package struct LocalHostVerbs: Sendable {
    package typealias Output = Waiter<HostIdentity, DiscoveryError>

    package let states: StateBroadcast<LocalHostState>
    /// Whom the sequence of states keeps alive.
    package let owner: any AnyObject & Sendable
    /// Begins to set the name and brings the outcome; returns what is called when nobody waits for it any more.
    package let setName: @Sendable (String, Output) -> @Sendable () -> Void
    package let interfaces: @Sendable () throws(UnderlyingError) -> [NetworkInterface]
    /// Why somebody waits in vain, where it is the daemon's doing.
    package let failure: @Sendable (_ operation: String) -> DiscoveryError?

    package init(
        states: StateBroadcast<LocalHostState>,
        owner: any AnyObject & Sendable,
        setName: @escaping @Sendable (String, Output) -> @Sendable () -> Void,
        interfaces: @escaping @Sendable () throws(UnderlyingError) -> [NetworkInterface],
        failure: @escaping @Sendable (_ operation: String) -> DiscoveryError?
    ) {
        self.states = states
        self.owner = owner
        self.setName = setName
        self.interfaces = interfaces
        self.failure = failure
    }

    /// What is being done where setting the name fails.
    package static func operation(_ name: String) -> String { "naming this host \"\(name)\"" }

    fileprivate func value(
        of output: Output,
        within timeout: Duration,
        _ operation: String
    ) async throws(DiscoveryError) -> HostIdentity {
        try await output.value(within: timeout) { [failure] in
            failure(operation)
                ?? DiscoveryError(
                    .daemonNotResponding,
                    operation: operation,
                    explanation:
                        "avahi-daemon has not settled on a host name in time; see its log: journalctl -u avahi-daemon"
                )
        } cancelled: {
            .cancelled(while: operation)
        }
    }
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
