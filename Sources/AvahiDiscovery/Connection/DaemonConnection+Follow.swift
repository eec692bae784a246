internal import DiscoverableCore
internal import DiscoverableRuntime

/// One service that is followed for one consumer, and the questions that it costs.
final class FollowTask {
    let instance: ServiceInstance
    var records: ServiceRecords
    var questions: [RecordQuestion: RecordType] = [:]
    var host: DNSName?
    /// How it is followed where the daemon has no room for its record browsers.
    var fallback: Fallback?
    /// The ways on which a browse has seen it; nil where none was asked.
    var browsedPaths: [ServicePath]?
    /// What was known when its records began to be followed; holds until these tell.
    var lastKnown: ResolvedService?
    private let scope: DiscoveryScope
    private let output: (FollowedService) -> Void
    private let fail: (DiscoveryError) -> Void
    private var lastTold: FollowedService?

    struct Fallback {
        var service: ResolvedService?
        var isSettled = false
        /// The resolve that runs or waits for its turn; nil in the pause between two.
        var resolution: UInt64?
        /// When record browsers may be tried again.
        let retryAt: Instant
    }

    init(
        instance: ServiceInstance,
        scope: DiscoveryScope,
        browsedPaths: [ServicePath]? = nil,
        output: @escaping (FollowedService) -> Void,
        fail: @escaping (DiscoveryError) -> Void
    ) {
        self.instance = instance
        self.scope = scope
        self.browsedPaths = browsedPaths
        self.output = output
        self.fail = fail
        records = ServiceRecords(instance: instance)
    }

    func question(_ name: DNSName, _ type: RecordType) -> RecordQuestion { RecordQuestion(name, type, on: scope) }

    /// What is known now.
    var current: FollowedService {
        if let fallback {
            return FollowedService(
                instance: instance,
                paths: browsedPaths ?? [],
                service: fallback.service,
                isSettled: fallback.isSettled,
                means: .resolving
            )
        }
        return FollowedService(
            instance: instance,
            paths: browsedPaths ?? records.paths,
            service: records.service ?? (records.isSettled ? nil : lastKnown),
            isSettled: records.isSettled || lastKnown != nil
        )
    }

    /// Tells the consumer what is news to it.
    func tell() {
        let current = current
        if current == lastTold { return }
        lastTold = current
        output(current)
    }

    var operation: String { "following \(instance)" }

    /// Nothing follows.
    func refuse(_ error: DiscoveryError) { fail(error) }
}

extension DaemonConnection {
    /// How long a resolve of a fallback may take, and the pause between two.
    private static let resolvingInterval = Duration.seconds(5)

    func begin(_ task: FollowTask, id: UInt64) {
        follows[id] = task
        guard followingBudget.hasRoom(beside: recordWatches.count, now: MonotonicClock.now) else {
            return fallBack(task, id: id)
        }
        followRecords(task, id: id)
    }

    func endFollow(_ id: UInt64) {
        guard let task = follows.removeValue(forKey: id) else { return }
        deadlines[.follow(id)] = nil
        leaveRecords(task, id: id)
        if let resolution = task.fallback?.resolution { endResolution(resolution) }
    }

    /// The paths on which a browse sees it have changed.
    func browsed(_ id: UInt64, on paths: [ServicePath]) {
        guard let task = follows[id] else { return }
        task.browsedPaths = paths
        task.tell()
        if task.fallback != nil { resolveAgain(task, id: id) }
    }

    func followDeadlineReached(_ id: UInt64, now: Instant) {
        guard let task = follows[id], let fallback = task.fallback else { return }
        if let resolution = fallback.resolution {
            // Nothing follows from a daemon that is away, or from a turn that has not come.
            guard isReachable, resolutions[resolution]?.handle != nil else {
                return deadlines[.follow(id)] = now.advanced(by: Self.resolvingInterval * 2)
            }
            endResolution(resolution)
            resolved(nil, forFollow: id)
        } else if now >= fallback.retryAt, followingBudget.hasRoom(beside: recordWatches.count, now: now) {
            task.fallback = nil
            task.lastKnown = fallback.service
            task.records = ServiceRecords(instance: task.instance)
            followRecords(task, id: id)
        } else {
            resolveAgain(task, id: id)
        }
    }

    /// What a resolve has not told yet is asked of the next daemon.
    func loseFollows(now: Instant) {
        for (id, task) in follows where task.fallback?.resolution != nil {
            deadlines[.follow(id)] = now.advanced(by: Self.resolvingInterval * 2)
        }
    }

    /// Makes room for something that has no other means: record browsers of services that are followed go first, then resolves,
    /// which wait for another turn. Returns whether any object was freed.
    func makeRoom(now: Instant) -> Bool {
        if connectionIsLost { return false }
        let before = recordWatches.count
        if follows.values.contains(where: { $0.fallback == nil }) {
            giveUpRecords(downTo: followingBudget.refused(at: before, now: now))
        }
        let freed = recordWatches.count < before || interruptResolutions(now: now)
        return freed && !connectionIsLost
    }

    private func giveUpRecords(downTo limit: Int) {
        for (id, task) in follows where task.fallback == nil && recordWatches.count > limit { fallBack(task, id: id) }
    }
}

// MARK: - By records

extension DaemonConnection {
    private func followRecords(_ task: FollowTask, id: UInt64) {
        do throws(DiscoveryError) {
            let name = try DNSName(task.instance)
            join(.srv, of: name, task, id: id)
            if task.fallback == nil { join(.txt, of: name, task, id: id) }
        } catch {
            follows[id] = nil
            task.refuse(error)
        }
    }

    private func join(_ type: RecordType, of name: DNSName, _ task: FollowTask, id: UInt64) {
        let question = task.question(name, type)
        task.questions[question] = type
        follow(question, by: id, .service(task))
    }

    func heard(_ news: RecordNews, of question: RecordQuestion, _ task: FollowTask, id: UInt64) {
        guard follows[id] === task, let type = task.questions[question] else { return }
        switch news {
        case .record(let event):
            task.records.take(event, of: type)
            if type == .srv { followHost(task, id: id) }
        case .told(.networkTold): task.records.settled(type)
        case .told: return
        case .refused(let failure):
            if failure.isQuota { return refused(task, id: id) }
            endFollow(id)
            return task.refuse(failure.error(while: task.operation))
        }
        if task.fallback == nil { task.tell() }
    }

    private func followHost(_ task: FollowTask, id: UInt64) {
        let host = task.records.host
        // A service that is told without a host for a moment is most likely about to name another one.
        guard let host, host != task.host else { return }
        for (question, type) in task.questions where type == .a || type == .aaaa {
            task.questions[question] = nil
            unfollow(question, by: id)
        }
        task.host = host
        task.records.forgetAddresses()
        join(.a, of: host, task, id: id)
        if task.fallback == nil { join(.aaaa, of: host, task, id: id) }
    }

    private func leaveRecords(_ task: FollowTask, id: UInt64) {
        let questions = task.questions.keys
        task.questions = [:]
        task.host = nil
        for question in questions { unfollow(question, by: id) }
    }
}

// MARK: - By resolving

extension DaemonConnection {
    private func refused(_ task: FollowTask, id: UInt64) {
        let limit = followingBudget.refused(at: recordWatches.count, now: MonotonicClock.now)
        fallBack(task, id: id)
        giveUpRecords(downTo: limit)
    }

    private func fallBack(_ task: FollowTask, id: UInt64) {
        let known = task.current.service
        let retryAt = MonotonicClock.now.advanced(by: FollowingBudget.memory)
        task.fallback = FollowTask.Fallback(service: known, isSettled: known != nil, retryAt: retryAt)
        leaveRecords(task, id: id)
        task.tell()
        resolveAgain(task, id: id)
    }

    private func resolveAgain(_ task: FollowTask, id: UInt64) {
        guard task.fallback?.resolution == nil else { return }
        let resolution = makeID()
        task.fallback?.resolution = resolution
        deadlines[.follow(id)] = MonotonicClock.now.advanced(by: Self.resolvingInterval * 2)
        let paths = task.browsedPaths ?? []
        begin(ResolveTask(instance: task.instance, paths: paths, output: .follow(id)), id: resolution)
    }

    /// A resolve of a fallback has ended, with nothing where nobody answers for the service.
    func resolved(_ service: ResolvedService?, forFollow id: UInt64) {
        guard let task = follows[id], task.fallback != nil else { return }
        task.fallback?.resolution = nil
        task.fallback?.service = service
        task.fallback?.isSettled = true
        deadlines[.follow(id)] = MonotonicClock.now.advanced(by: Self.resolvingInterval)
        task.tell()
    }
}
