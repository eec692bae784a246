internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// Looks whether names are free that a publication wants for itself: a browser for each name and type, until each has told
/// what the network knows.
final class NameLook {
    struct Question {
        let claim: NameClaim
        /// Records that stand in the way, each on each path on which it is told.
        private(set) var obstacles: Set<ClaimSighting> = []
        var isAnswered = false

        init(claim: NameClaim) {
            self.claim = claim
        }

        mutating func appeared(_ sighting: ClaimSighting) {
            guard sighting.name == claim.name else { return }
            if claim.isBroken(by: sighting.data, isLocal: sighting.isLocal) { obstacles.insert(sighting) }
        }

        /// The daemon may say otherwise whose it was.
        mutating func vanished(_ sighting: ClaimSighting) {
            obstacles = obstacles.filter { $0.data != sighting.data || $0.path != sighting.path }
        }
    }

    var questions: [HandleID: Question] = [:]

    var isAnswered: Bool { questions.values.allSatisfy(\.isAnswered) }

    /// A name that is taken, with what it has.
    var taken: (claim: NameClaim, data: RecordData)? {
        for question in questions.values {
            if let obstacle = question.obstacles.first { return (question.claim, obstacle.data) }
        }
        return nil
    }
}

/// A record that was seen under a name which is looked for.
struct ClaimSighting: Hashable, Sendable {
    /// Another name than the one looked for where the daemon has followed an alias.
    let name: DNSName
    let data: RecordData
    let path: ServicePath?
    /// Whether it is this host's.
    let isLocal: Bool
}

extension DaemonConnection {
    func look(for publication: PublishTask, id: UInt64) {
        let look = NameLook()
        publication.look = look
        do {
            for claim in publication.advertisement.claims(of: try hostIdentity().fullName) {
                let handle = try make(for: .publication(id)) { client, handle, inbox throws(AvahiFailure) in
                    try client.makeClaimBrowser(claim, handle: handle, inbox: inbox)
                }
                look.questions[handle] = NameLook.Question(claim: claim)
            }
        } catch {
            failed(publication, id: id, error)
        }
    }

    func endLook(of publication: PublishTask) {
        guard let look = publication.look.take() else { return }
        for handle in look.questions.keys { free(handle) }
    }

    func process(
        _ report: AvahiListReport<ClaimSighting>,
        ofLook handle: HandleID,
        _ publication: PublishTask,
        id: UInt64,
        now: Instant
    ) {
        guard let look = publication.look, var question = look.questions[handle] else { return }
        switch report {
        case .appeared(let sighting): question.appeared(sighting)
        case .vanished(let sighting): question.vanished(sighting)
        case .cacheTold, .malformed: break
        case .networkTold: question.isAnswered = true
        case .failed(let number):
            return failed(publication, id: id, AvahiFailure(number: number, call: "a record browser of avahi-daemon"))
        }
        look.questions[handle] = question
        let obstacle = look.taken.map { claim, data in publication.collision(with: data, of: claim) }
        if let obstacle { publication.obstacle = obstacle }
        let action = publication.machine.lookFound(obstacle, isComplete: look.isAnswered, now: now)
        perform(action, publication, id: id)
    }
}

extension PublishTask {
    fileprivate func collision(with data: RecordData, of claim: NameClaim) -> DiscoveryError {
        DiscoveryError(
            .nameCollision,
            operation: operation,
            explanation: "\(claim.name) is taken: it has the \(data.type) record \(data) already; choose another name"
        )
    }
}
