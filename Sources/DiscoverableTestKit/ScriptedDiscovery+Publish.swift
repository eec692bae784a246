internal import DiscoverableCore

// MARK: - What an app does

extension ScriptedDiscovery {
    /// Publishes on the scripted network and returns when it is visible: at once, unless the script says otherwise. A name that
    /// is on the network already is taken, and the publication is renamed or fails as it would be.
    ///
    /// What is published is seen by the app's own browses, as local and own. Hosts, aliases and other records collide with nobody
    /// here, and are not told.
    public func publish(
        _ advertisement: Advertisement,
        timeout: Duration?
    ) async throws(DiscoveryError) -> Publication {
        let publication = try beginPublishing(advertisement)
        try await waitUntilVisible(publication, within: timeout)
        return publication
    }

    /// Begins to publish on the scripted network and returns at once.
    public func beginPublishing(_ advertisement: Advertisement) throws(DiscoveryError) -> Publication {
        try advertisement.check()
        return stage.publish(advertisement)
    }
}

// MARK: - What the script says

extension ScriptedDiscovery {
    /// What is being published, now and later, is refused with an error. One of the class `tryAgain` is tried again when the
    /// script takes it back; any other one ends the publication.
    ///
    /// - Parameter error: the error; nil for none any more.
    public func refusePublishing(with error: DiscoveryError?) {
        stage.perform { state in
            state.publishingError = error
            if error != nil || !state.daemon.isReachable { return [] }
            return state.eachPublication { machine, now in
                machine.nextDeadline.map { machine.deadlineReached(now: max(now, $0)) } ?? .none
            }
        }
    }

    /// What has been published and is not visible yet becomes so, and from now on everything does at once.
    public func establish() {
        stage.perform { state in
            state.establishesAtOnce = true
            if !state.daemon.isReachable { return [] }
            return state.eachPublication { machine, now in
                machine.nextDeadline.map { machine.deadlineReached(now: max(now, $0)) } ?? .none
            }
        }
    }
}
