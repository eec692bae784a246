internal import DiscoverableCore
internal import DiscoverableRuntime

extension DaemonConnection {
    /// Adds a consumer to a question's browse, which is begun where nobody asked before.
    func follow<Question: BrowseQuestion>(
        _ question: Question,
        _ consumer: UInt64,
        _ output: BrowseOutput<Question.Found>
    ) {
        if let (id, browse) = browses.browse(for: question) {
            browse.join(consumer, output)
            return browses.join(consumer, to: id)
        }
        let (id, browse) = (makeID(), Browse(question))
        browse.join(consumer, output)
        browses.insert(browse, for: question, id: id)
        browses.join(consumer, to: id)
        begin(browse, id: id)
    }

    /// Takes a consumer off; the last one's end frees the daemon's object. The stream's own end is its consumer's affair.
    func unfollow(_ consumer: UInt64) {
        guard let (id, browse) = browses.leave(consumer) else { return }
        deadlines[.browse(id)] = nil
        free(browse.browser.take()?.handle)
        stopWatchingLinks()
    }

    func openBrowses() {
        for (id, browse) in browses.tasks { open(browse, id: id) }
    }

    func loseBrowses() {
        for (id, browse) in browses.tasks {
            browse.browser = nil
            browse.connectionLost()
            deadlines[.browse(id)] = browse.nextDeadline
        }
    }

    func process(_ event: AvahiEvent, ofBrowse id: UInt64, now: Instant) {
        guard let browse = browses[id] else { return }
        switch browse.process(event, now: now) {
        case .goesOn: deadlines[.browse(id)] = browse.nextDeadline
        case .browserFailed(let failure):
            free(browse.browser.take()?.handle)
            browse.connectionLost()
            failed(browse, id: id, failure, now: now)
        }
    }

    func browseDeadlineReached(_ id: UInt64, now: Instant) {
        guard let browse = browses[id] else { return }
        browse.deadlineReached(now: now)
        deadlines[.browse(id)] = browse.nextDeadline
        open(browse, id: id)
    }

    /// An interface that a browse is for by its name may have gone, come, or come back as another one.
    func rebindBrowses() {
        for (id, browse) in browses.tasks {
            guard let name = browse.scope.interfaceName else { continue }
            let interface = NetworkInterface.index(of: name)
            if let browser = browse.browser, browser.namedInterface != interface {
                free(browse.browser.take()?.handle)
                browse.interfaceLost()
                deadlines[.browse(id)] = browse.nextDeadline
            }
            open(browse, id: id)
        }
    }

    private func begin(_ browse: some BrowseTask, id: UInt64) {
        if let name = browse.scope.interfaceName {
            guard NetworkInterface.canBeName(name) else {
                return end(browse, id: id, .noInterfaceName(name, while: browse.operation))
            }
            do throws(UnderlyingError) {
                try watchLinks()
            } catch {
                return end(browse, id: id, .noRoomToWatchLinks(error, while: browse.operation))
            }
        }
        open(browse, id: id)
    }

    /// One on an interface that does not exist waits for it.
    private func open(_ browse: some BrowseTask, id: UInt64) {
        guard isReachable, browse.browser == nil else { return }
        do {
            guard let scope = try AvahiScope.ifPresent(browse.scope) else { return }
            let handle = try make(for: .browse(id)) { client, handle, inbox throws(AvahiFailure) in
                try browse.makeBrowser(client, on: scope, handle, inbox)
            }
            browse.browser = (handle, scope.namedInterface)
        } catch {
            failed(browse, id: id, error, now: MonotonicClock.now)
        }
    }

    /// What may pass by itself is tried again after a second, with the next client where this one is lost; anything else
    /// ends the streams.
    private func failed(_ browse: some BrowseTask, id: UInt64, _ failure: AvahiFailure, now: Instant) {
        if failure.endsConnection { connectionIsLost = true }
        if connectionIsLost { return }
        switch failure.failureClass {
        case .tryAgain:
            deadlines[.browse(id)] = now.advanced(by: .seconds(1))
            tellPostponed(browse.operation, failure)
        case .freeResources, .chooseAnotherName, .giveUp: end(browse, id: id, failure.error(while: browse.operation))
        }
    }

    private func end(_ browse: some BrowseTask, id: UInt64, _ error: DiscoveryError) {
        browses.remove(id)
        stopWatchingLinks()
        deadlines[.browse(id)] = nil
        browse.fail(error)
        tellEnd(error)
    }
}

extension DiscoveryError {
    /// An interface is asked for by a name that none can have.
    static func noInterfaceName(_ name: String, while operation: String) -> DiscoveryError {
        DiscoveryError(
            .invalidArgument,
            operation: operation,
            explanation:
                "\"\(name)\" cannot be an interface's name, which has 1 to 15 bytes and no colon; see `ip link`"
        )
    }

    /// The kernel's news of interfaces are not to be had.
    static func noRoomToWatchLinks(_ error: UnderlyingError, while operation: String) -> DiscoveryError {
        DiscoveryError(
            .outOfResources,
            operation: operation,
            explanation: "the process can have no further descriptor to watch interfaces with; raise `ulimit -n`",
            underlying: error
        )
    }
}
