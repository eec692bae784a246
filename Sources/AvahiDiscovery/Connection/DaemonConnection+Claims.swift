internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// Looks whether names are free that a publication wants for itself: a browser for each name and type, until each has told
/// what the network knows.
final class NameLook {
    struct Question {
        let claim: NameClaim
        /// Records that stand in the way.
        var obstacles: Set<RecordData> = []
        var isAnswered = false
    }

    var questions: [HandleID: Question] = [:]

    var isAnswered: Bool { questions.values.allSatisfy(\.isAnswered) }

    /// A name that is taken, with what it has.
    var taken: (claim: NameClaim, data: RecordData)? {
        for question in questions.values {
            if let data = question.obstacles.first { return (question.claim, data) }
        }
        return nil
    }
}

/// A record that was seen under a name which is looked for.
struct ClaimSighting: Sendable {
    /// Another name than the one looked for where the daemon has followed an alias.
    let name: DNSName
    let data: RecordData
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
        case .appeared(let sighting):
            guard sighting.name == question.claim.name else { return }
            if question.claim.isBroken(by: sighting.data, isLocal: sighting.isLocal) {
                question.obstacles.insert(sighting.data)
            }
        case .vanished(let sighting): question.obstacles.remove(sighting.data)
        case .cacheTold, .malformed: break
        case .networkTold: question.isAnswered = true
        case .failed(let number):
            return failed(publication, id: id, AvahiFailure(number: number, call: "a record browser of avahi-daemon"))
        }
        look.questions[handle] = question
        if look.isAnswered { conclude(look, publication, id: id, now: now) }
    }

    private func conclude(_ look: NameLook, _ publication: PublishTask, id: UInt64, now: Instant) {
        guard let (claim, data) = look.taken else {
            return perform(publication.machine.namesAreFree(now: now), publication, id: id)
        }
        let error = DiscoveryError(
            .nameCollision,
            operation: publication.operation,
            explanation: "\(claim.name) is taken: it has the \(data.type) record \(data) already; choose another name"
        )
        publication.obstacle = error
        perform(publication.machine.registrationFailed(error, now: now), publication, id: id)
    }
}
