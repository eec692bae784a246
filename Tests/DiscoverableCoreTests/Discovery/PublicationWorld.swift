import DiscoverableCore
import TestSupport

/// A daemon and a network for a publication machine, in which anything happens in any order that Avahi allows. It keeps what
/// a correct driver would keep, and notes what must never be seen.
struct PublicationWorld {
    struct Group {
        let names: [ServiceName]
        /// Which version of the records it tells, since when.
        var version: Int
        var toldAt: Instant
        var isEstablished = false
    }

    enum Event: CaseIterable {
        case daemonCame, hostRenamed, daemonWent, lookAnswered, groupAnswered, otherHostTakesName, otherHostLeaves,
            daemonRefused
        case interfaceWent, interfaceReturned, recordsChanged, timePasses, deadline
    }

    private(set) var machine: PublicationMachine
    private(set) var violations: [String] = []
    private(set) var group: Group?
    private(set) var isDaemonUp = false
    private var isConnected = false
    private(set) var wantedVersion = 0
    private(set) var now = Instant.origin
    private(set) var ends = 0
    private let mustLook: Bool
    private let distinctNames: Int
    private var isLooking = false
    private var hasLooked = false
    /// The names that another host has: of the first service, so that each collision can be told from a needless renaming.
    private var taken: Set<ServiceName> = []

    init(_ machine: PublicationMachine, mustLook: Bool) {
        self.machine = machine
        self.mustLook = mustLook
        distinctNames = Set(machine.names).count
    }

    mutating func apply(_ event: Event) {
        let before = machine.names
        switch event {
        case .daemonCame:
            (isDaemonUp, isConnected) = (true, true)
            perform(machine.daemonReady(now: now))
        case .hostRenamed:
            perform(machine.daemonUnsettled())
            (isDaemonUp, isConnected) = (false, true)
        case .daemonWent: daemonWent()
        case .lookAnswered: if isLooking { lookAnswered() }
        case .groupAnswered: groupAnswered()
        case .otherHostTakesName: otherHostTakesName()
        case .otherHostLeaves: taken = []
        case .daemonRefused: if group != nil || isLooking { refuse(.daemonError) }
        case .interfaceWent: if group != nil { perform(machine.interfaceIsMissing(now: now)) }
        case .interfaceReturned: if group != nil { perform(machine.interfacesChanged(now: now)) }
        case .recordsChanged:
            wantedVersion += 1
            perform(machine.recordsChanged(now: now))
        case .timePasses: now = now.advanced(by: .milliseconds(300))
        case .deadline: deadlineReached()
        }
        check(before, event)
    }

    mutating func withdraw() { perform(machine.withdraw()) }
    mutating func refuse(_ code: DiscoveryError.Code) {
        perform(machine.registrationFailed(publishingFailure(code), now: now))
    }

    /// Everything that must happen by itself once nothing disturbs any more.
    mutating func calmDown() {
        taken = []
        apply(.daemonCame)
        for _ in 0..<20 {
            apply(.lookAnswered)
            apply(.groupAnswered)
            apply(.deadline)
        }
    }

    private mutating func daemonWent() {
        (group, isLooking, isDaemonUp, isConnected) = (nil, false, false, false)
        machine.connectionLost()
        perform(.none)
    }

    private mutating func lookAnswered() {
        hasLooked = true
        isLooking = false
        perform(machine.namesAreFree(now: now))
    }

    private mutating func groupAnswered() {
        guard let group, !group.isEstablished else { return }
        if let position = group.names.firstIndex(where: taken.contains) {
            // What this host holds is seen when adding, where the daemon says whose name it is.
            let isLocal = wantedVersion % 2 == 0
            return perform(machine.groupCollided(at: isLocal ? position : nil, now: now))
        }
        self.group?.isEstablished = true
        // Announced now: the next change must keep its distance from it.
        self.group?.toldAt = now
        machine.groupEstablished(now: now)
        perform(.none)
    }

    private mutating func otherHostTakesName() {
        guard let group else { return }
        taken.insert(group.names[0])
        if group.isEstablished { perform(machine.groupCollided(now: now)) }
    }

    private mutating func deadlineReached() {
        guard let deadline = machine.nextDeadline else { return }
        now = max(now, deadline)
        if isLooking { hasLooked = true }
        perform(machine.deadlineReached(now: now))
    }
}

// MARK: - What the driver does, and what must never be

extension PublicationWorld {
    private mutating func perform(_ action: PublicationMachine.Action) {
        if ends > 0, action != .none { violations.append("\(action) after the end") }
        switch action {
        case .none: break
        case .look:
            if !isDaemonUp { violations.append("a look without a daemon") }
            (group, isLooking, hasLooked) = (nil, true, false)
        case .register(let names): register(names)
        case .change: change()
        case .unregister: (group, isLooking) = (nil, false)
        case .end:
            ends += 1
            (group, isLooking) = (nil, false)
        }
    }

    private mutating func register(_ names: [ServiceName]) {
        if !isDaemonUp { violations.append("a registration without a daemon") }
        if mustLook, !hasLooked { violations.append("a registration of names that nobody looked for") }
        if names != machine.names { violations.append("registered as \(names), called \(machine.names)") }
        hasLooked = false
        isLooking = false
        group = Group(names: names, version: wantedVersion, toldAt: now)
    }

    private mutating func change() {
        guard let group, group.isEstablished else { return violations.append("a change of what is not visible") }
        if group.toldAt.duration(to: now) < .seconds(1) { violations.append("two versions within a second") }
        self.group?.version = wantedVersion
        self.group?.toldAt = now
    }

    private mutating func check(_ before: [ServiceName], _ event: Event) {
        if machine.names != before, ![.groupAnswered, .otherHostTakesName].contains(event) {
            violations.append("renamed from \(before) to \(machine.names) by \(event)")
        }
        if case .established(let name) = machine.state {
            if group?.isEstablished != true || group?.names[0] != name { violations.append("not visible as \(name)") }
        } else if group?.isEstablished == true {
            violations.append("visible while \(machine.state)")
        }
        if case .waitingForDaemon = machine.state {
            if isConnected {
                violations.append("waiting for a daemon that is there after \(event)")
            }
            if machine.nextDeadline != nil { violations.append("a deadline without a daemon") }
        }
        if group == nil, !isLooking, !machine.state.isFinal, isDaemonUp, machine.nextDeadline == nil {
            violations.append("nothing in the daemon and nothing to wait for in \(machine.state) after \(event)")
        }
        if Set(machine.names).count != distinctNames {
            violations.append("names that differ became equal: \(machine.names)")
        }
        if machine.state.isFinal, group != nil || machine.nextDeadline != nil {
            violations.append("life after the end")
        }
    }
}
