internal import DiscoverableCore
internal import DiscoverableRuntime

/// One consumer's live services of a type: who is listed, and each of them followed.
final class ServiceGroup {
    let type: ServiceType
    let domain: Domain
    let scope: DiscoveryScope
    /// Who is followed, by the name under which its pointer stands.
    var members: [DNSName: UInt64] = [:]
    private let output: LiveServiceBrowser.Output
    private var told: [ServiceInstance: FollowedService] = [:]
    /// Who was listed at first and of whom the network has not told yet; nil once `settled` was told.
    private var unsettled: Set<ServiceInstance>? = []
    private var isListSettled = false

    init(type: ServiceType, domain: Domain, scope: DiscoveryScope, output: LiveServiceBrowser.Output) {
        self.type = type
        self.domain = domain
        self.scope = scope
        self.output = output
    }

    var operation: String { "browsing for \(type)" }

    func listed(_ instance: ServiceInstance) {
        if !isListSettled { unsettled?.insert(instance) }
    }

    func listSettled() {
        isListSettled = true
        settleWhereDone()
    }

    /// One of them is so now.
    func take(_ service: FollowedService) {
        let before = told.removeValue(forKey: service.identity)
        let now = service.service == nil ? nil : service
        told[service.identity] = now
        switch (before, now) {
        case (nil, nil): break
        case (nil, let now?): output.push(.added(now))
        case (let before?, let now?):
            if before != now { output.push(.updated(now)) }
        case (let before?, nil): tellGone(before)
        }
        if service.isSettled, unsettled?.remove(service.identity) != nil { settleWhereDone() }
    }

    /// One of them is listed no more.
    func gone(_ instance: ServiceInstance) {
        if let before = told.removeValue(forKey: instance) { tellGone(before) }
        if unsettled?.remove(instance) != nil { settleWhereDone() }
    }

    func fail(_ error: DiscoveryError) { output.finish(throwing: error) }

    private func tellGone(_ service: FollowedService) {
        output.push(.removed(FollowedService(identity: service.identity, paths: [])))
    }

    private func settleWhereDone() {
        guard isListSettled, unsettled?.isEmpty ?? false else { return }
        unsettled = nil
        output.push(.settled)
    }
}

extension DaemonConnection {
    func begin(_ group: ServiceGroup, id: UInt64) {
        do throws(DiscoveryError) {
            let name = try DNSName("\(group.type.text).\(group.domain.text)")
            serviceGroups[id] = group
            follow(RecordQuestion(name, .ptr, on: group.scope), by: id, .group(group))
        } catch {
            group.fail(error)
        }
    }

    func endGroup(_ id: UInt64) {
        guard let group = serviceGroups.removeValue(forKey: id) else { return }
        if let name = try? DNSName("\(group.type.text).\(group.domain.text)") {
            unfollow(RecordQuestion(name, .ptr, on: group.scope), by: id)
        }
        for member in group.members.values { endFollow(member) }
        group.members = [:]
    }

    func heard(_ news: RecordNews, of group: ServiceGroup, id: UInt64) {
        guard serviceGroups[id] === group else { return }
        switch news {
        case .record(.added(let found)): listed(found, in: group)
        case .record(.updated(let found)):
            if case .ptr(let name) = found.record.data, let member = group.members[name] {
                browsed(member, on: found.paths)
            }
        case .record(.removed(let found)): unlisted(found, in: group)
        case .record(.settled): break
        case .told(let progress):
            if progress == .networkTold { group.listSettled() }
        case .refused(let failure):
            endGroup(id)
            group.fail(failure.error(while: group.operation))
        }
    }

    /// A pointer that leads to no service of the type is a peer's fault, and passed over.
    private func listed(_ found: BrowsedRecord, in group: ServiceGroup) {
        guard case .ptr(let name) = found.record.data, group.members[name] == nil,
            let instance = ServiceInstance(name, type: group.type, domain: group.domain)
        else { return }
        let member = makeID()
        group.members[name] = member
        group.listed(instance)
        let task = FollowTask(instance: instance, scope: group.scope, browsedPaths: found.paths) { [weak group] in
            group?.take($0)
        } fail: { [weak group] _ in
            // One that the daemon refuses to ask for does not end the others.
            group?.gone(instance)
        }
        begin(task, id: member)
    }

    private func unlisted(_ found: BrowsedRecord, in group: ServiceGroup) {
        guard case .ptr(let name) = found.record.data, let member = group.members.removeValue(forKey: name) else {
            return
        }
        endFollow(member)
        if let instance = ServiceInstance(name, type: group.type, domain: group.domain) { group.gone(instance) }
    }
}
