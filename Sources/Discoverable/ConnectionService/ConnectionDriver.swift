internal import AvahiDiscovery
internal import DiscoverableConnection
internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// Carries out what the `ConnectionMachine` decides. It may be called on any thread; the delegate is called on its queue.
///
/// A lock, since the app's calls must show in `state` at once, whatever thread they are made on. Nothing is called inside it.
final class ConnectionDriver: Sendable {
    typealias Epoch = ConnectionMachine.Epoch

    struct Content {
        var machine = ConnectionMachine()
        var notices = Notices()
        var configuration: SessionConfiguration
        /// What is under way; both are nil where nothing is.
        var running = Running()
        /// The attempts that were closed, with a word to the peer, before they had a session that could say it.
        var farewells: Set<Epoch> = []
        /// Whether the delegate is being told something now: what comes meanwhile, from inside its call too, is told afterwards.
        var isHandingOut = false

        /// Begins a new epoch.
        mutating func begin() {
            let replaced = machine.epoch
            let new = machine.begin()
            notices.keepUnsent(of: replaced, in: machine.epoch)
            tell(new)
        }

        /// Queues what the machine wants to be told.
        mutating func tell(_ new: [ConnectionMachine.Notice], isOfConnection: Bool = true) {
            for notice in new { notices.append(notice, machine.epoch, isOfConnection: isOfConnection) }
        }

        /// Ends what runs; nil where nothing does. Then what still waits of it is not told any more.
        mutating func close(tellingPeer: Bool, _ state: Discoverable.State, isTold: Bool) -> (Running, last: [String])?
        {
            let closed = machine.epoch
            switch machine.close(state) {
            case .ignore:
                notices.dropConnection(of: closed, keepsEnd: isTold)
                return nil
            case .end(let last, let notice):
                if isTold { tell([notice]) }
                let running = running.take()
                if tellingPeer, running.session == nil { farewells.insert(closed) }
                return (running, last)
            }
        }
    }

    /// What an attempt consists of.
    struct Running: Sendable {
        var task: Task<Void, Never>?
        var session: Session?

        mutating func take() -> Running {
            let taken = self
            self = Running()
            return taken
        }
    }

    let content: Locked<Content>
    let times: ConnectionTimes
    /// The connection to the daemon; nil for the shared one, which is not made before it is needed.
    let discovery: Discovery?
    let loop: EventLoop

    init(configuration: SessionConfiguration, times: ConnectionTimes, discovery: Discovery?, loop: EventLoop) {
        content = Locked(Content(configuration: configuration))
        self.times = times
        self.discovery = discovery
        self.loop = loop
    }
}

/// How long things may take that are not a session's.
struct ConnectionTimes: Sendable {
    /// How long a service is looked for; how long one that was found may take to tell its address.
    var discover: Duration = .seconds(5)
    /// How long a host's name is looked up.
    var lookUp: Duration = .seconds(5)
}

// MARK: - What the app asks for

extension ConnectionDriver {
    func discover(type text: String, port: UInt16?) {
        do throws(DiscoveryError) {
            begin(.service(try ServiceType(text), port: port))
        } catch {
            fail(DiscoverableError(browsing: error.code))
        }
    }

    func connect(to host: String, port: UInt16) {
        // Nobody can listen there: 0 asks the system for any port.
        if port == 0 { fail(.connectAddressUnavailable) } else { begin(.host(host, port: port)) }
    }

    private func begin(_ target: ConnectionTarget) {
        guard content.withLock({ $0.configuration.problem == nil }) else {
            return fail(.discoverIncorrectConfiguration)
        }
        let (epoch, configuration, replaced) = content.withLock { content in
            content.begin()
            return (content.machine.epoch, content.configuration, content.running.take())
        }
        // Without a word: it may be the same server, which would shut down.
        end(replaced, tellingPeer: false)
        deliver()
        let task = Task { await self.run(target, configuration, epoch) }
        let isCurrent = content.withLock { content in
            guard content.machine.epoch == epoch else { return false }
            content.running.task = task
            return true
        }
        if !isCurrent { task.cancel() }
    }

    /// An attempt that is over before it has begun.
    private func fail(_ error: DiscoverableError) {
        let replaced = content.withLock { content in
            content.begin()
            content.tell(content.machine.ended(.failed(error), in: content.machine.epoch))
            return content.running.take()
        }
        end(replaced, tellingPeer: false)
        deliver()
    }

    func send(_ text: String) {
        let (action, epoch, session) = content.withLock { content in
            let action = content.machine.send(text)
            if case .refuse(let notice) = action { content.tell([notice], isOfConnection: !content.machine.isOver) }
            return (action, content.machine.epoch, content.running.session)
        }
        switch action {
        case .wait: break
        case .transmit: if let session { transmit(to: session, epoch) }
        case .refuse: deliver()
        }
    }

    /// - Parameter isTold: whether the delegate is told the state.
    func close(tellingPeer: Bool, state: Discoverable.State, isTold: Bool = true) {
        let ending = content.withLock { $0.close(tellingPeer: tellingPeer, state, isTold: isTold) }
        guard let (running, last) = ending else { return }
        end(running, last: last, tellingPeer: tellingPeer)
        deliver()
    }

    func fetchStrength() {
        content.withLock { $0.tell([.strength($0.machine.strength)], isOfConnection: !$0.machine.isOver) }
        deliver()
    }

    /// Ends what an attempt consists of, in the background.
    private func end(_ running: Running, last: [String] = [], tellingPeer: Bool) {
        running.task?.cancel()
        guard let session = running.session else { return }
        loop.execute {
            session.assumeIsolated { session in
                for text in last { _ = try? session.enqueue(text) }
            }
        }
        Task { await session.close(endingPeer: tellingPeer) }
    }
}
