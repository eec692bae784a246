internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// The calls that the daemon answers. Each blocks until it has.
extension DaemonConnection {
    /// Makes an object in the daemon and notes whose it is. Where the daemon allows no more, those who have cheaper means make
    /// room first, unless this object is for one of those.
    func make(
        for owner: AvahiObjectTable.Owner,
        yields: Bool = false,
        _ make: (borrowing AvahiClient, HandleID, AvahiInbox) throws(AvahiFailure) -> AvahiObject
    ) throws(AvahiFailure) -> HandleID {
        do throws(AvahiFailure) {
            return try makeOnce(for: owner, make)
        } catch {
            guard error.isQuota, !yields, makeRoom(now: MonotonicClock.now) else { throw error }
            return try makeOnce(for: owner, make)
        }
    }

    private func makeOnce(
        for owner: AvahiObjectTable.Owner,
        _ make: (borrowing AvahiClient, HandleID, AvahiInbox) throws(AvahiFailure) -> AvahiObject
    ) throws(AvahiFailure) -> HandleID {
        let handle = HandleID(rawValue: makeID())
        do {
            try blocking { () throws(AvahiFailure) in
                switch client {
                case .some(let client): objects.insert(try make(client, handle, inbox), owner: owner)
                case .none: throw AvahiFailure.disconnected
                }
            }
            tellOpened(owner)
        } catch {
            // The client refuses objects in the moment between the daemon's end and its own noticing it.
            if error.isBadState { connectionIsLost = true }
            throw error
        }
        return handle
    }

    /// Does something with an object.
    func change(
        _ handle: HandleID,
        _ change: (borrowing AvahiObject) throws(AvahiFailure) -> Void
    ) throws(AvahiFailure) {
        try blocking { () throws(AvahiFailure) in try objects.with(handle, change) }
    }

    /// Frees an object in the daemon. Where the connection is lost it is freed with the client.
    func free(_ handle: HandleID?) {
        guard let handle, !connectionIsLost, let object = objects.remove(handle) else { return }
        do throws(AvahiFailure) {
            try callBegins()
            try object.free()
            callEnded(nil)
            tellFreed()
        } catch {
            callEnded(error)
        }
    }

    /// Marks a call that blocks until the daemon answers, so that those who wait can say why they waited in vain; and notes
    /// where its failure means that the connection is lost.
    func blocking<Value: ~Copyable>(_ call: () throws(AvahiFailure) -> Value) throws(AvahiFailure) -> Value {
        if connectionIsLost { throw AvahiFailure.disconnected }
        do throws(AvahiFailure) {
            try callBegins()
            let value = try call()
            callEnded(nil)
            return value
        } catch {
            callEnded(error)
            throw error
        }
    }

    private func callBegins() throws(AvahiFailure) {
        situation.withLock { $0.callBegins(now: MonotonicClock.now) }
        try faults?.strike()
    }

    private func callEnded(_ failure: AvahiFailure?) {
        situation.withLock { $0.callEnds(answered: !(failure?.isNoAnswer ?? false)) }
        guard let failure else { return }
        if failure.endsConnection { connectionIsLost = true }
        tellFailure(failure)
    }
}

/// Lets one call to the daemon fail as if it had got no answer: for tests of what follows.
struct FaultPlan: Sendable {
    /// The number of the call that fails, from 1.
    let failing: Int
    private var count = 0

    init(failing: Int) {
        self.failing = failing
    }

    mutating func strike() throws(AvahiFailure) {
        count += 1
        if count == failing { throw AvahiFailure.noAnswer }
    }
}
