internal import DiscoverableCore
internal import DiscoverableRuntime

/// What is told to those who follow the records of a question.
enum RecordNews {
    /// A record came, changed its paths, or went.
    case record(BrowseEvent<BrowsedRecord>)
    /// So much of the answer is told now.
    case told(Resolution.Progress)
    /// The daemon does not take the question; nothing follows.
    case refused(AvahiFailure)
}

/// The records of one question, followed once for all who want them: one object of the daemon.
final class RecordWatch {
    /// Who is told.
    enum Follower {
        /// Whoever asked from outside.
        case stream((RecordNews) -> Void)
        /// A service that is followed.
        case service(FollowTask)
        /// The list of the services of a type.
        case group(ServiceGroup)

        /// Whether it has cheaper means, and lets others go first.
        var isYielding: Bool {
            switch self {
            case .service: true
            case .stream, .group: false
            }
        }
    }

    /// The daemon's record browser, while there is one.
    var handle: HandleID?
    var answers = RecordSet()
    var followers: [UInt64: Follower] = [:]
}

extension DaemonConnection {
    /// Follows the records of a question, until `unfollow` or until the question is refused. Whatever is known of them is told
    /// before this returns.
    func follow(_ question: RecordQuestion, by id: UInt64, _ follower: RecordWatch.Follower) {
        let isFirst = recordWatches[question] == nil
        let watch = recordWatches[question] ?? RecordWatch()
        recordWatches[question] = watch
        watch.followers[id] = follower
        for record in watch.answers.records { tell(.record(.added(record)), of: question, to: id, in: watch) }
        if watch.answers.progress > .asked { tell(.told(watch.answers.progress), of: question, to: id, in: watch) }
        if isFirst { open(watch, question) }
    }

    /// The last one who leaves frees the daemon's object.
    func unfollow(_ question: RecordQuestion, by id: UInt64) {
        guard let watch = recordWatches[question] else { return }
        watch.followers[id] = nil
        if watch.followers.isEmpty { close(watch, question) }
    }

    func openRecordWatches() {
        for (question, watch) in recordWatches { open(watch, question) }
    }

    func loseRecordWatches() {
        for (question, watch) in recordWatches {
            watch.handle = nil
            watch.answers.connectionLost()
            deadlines[.records(question)] = nil
        }
    }

    func process(_ event: AvahiEvent, ofRecords question: RecordQuestion, now: Instant) {
        guard case .record(let report) = event, let watch = recordWatches[question] else { return }
        switch report {
        case .appeared(let sighting): tell(watch.answers.appeared(sighting), of: question, in: watch)
        case .vanished(let sighting): tell(watch.answers.vanished(sighting), of: question, in: watch)
        case .cacheTold:
            if watch.answers.cacheTold() { tell(.told(.cacheTold), of: question, in: watch) }
        case .networkTold:
            let isNews = watch.answers.networkTold(now: now)
            deadlines[.records(question)] = watch.answers.nextDeadline
            if isNews { tell(.told(.networkTold), of: question, in: watch) }
        case .malformed: break
        case .failed(let number):
            free(watch.handle.take())
            watch.answers.connectionLost()
            failed(watch, question, AvahiFailure(number: number, call: "a record browser of avahi-daemon"), now: now)
        }
    }

    func recordDeadlineReached(_ question: RecordQuestion, now: Instant) {
        guard let watch = recordWatches[question] else { return }
        for event in watch.answers.deadlineReached(now: now) { tell(event, of: question, in: watch) }
        // Those who were told may have left.
        guard recordWatches[question] === watch else { return }
        deadlines[.records(question)] = watch.answers.nextDeadline
        open(watch, question)
    }

    private func tell(_ event: BrowseEvent<BrowsedRecord>?, of question: RecordQuestion, in watch: RecordWatch) {
        if let event { tell(.record(event), of: question, in: watch) }
    }

    private func tell(_ news: RecordNews, of question: RecordQuestion, in watch: RecordWatch) {
        for id in watch.followers.keys.sorted() { tell(news, of: question, to: id, in: watch) }
    }

    /// Tells one who follows still: what another did on hearing it may have made it leave.
    private func tell(_ news: RecordNews, of question: RecordQuestion, to id: UInt64, in watch: RecordWatch) {
        switch watch.followers[id] {
        case .stream(let take): take(news)
        case .service(let task): heard(news, of: question, task, id: id)
        case .group(let group): heard(news, of: group, id: id)
        case nil: break
        }
    }

    private func open(_ watch: RecordWatch, _ question: RecordQuestion) {
        guard isReachable, watch.handle == nil, recordWatches[question] === watch else { return }
        do {
            let yields = watch.followers.values.allSatisfy(\.isYielding)
            watch.handle = try make(for: .records(question), yields: yields) {
                client,
                handle,
                inbox throws(AvahiFailure) in
                try client.makeRecordBrowser(question, handle: handle, inbox: inbox)
            }
        } catch {
            failed(watch, question, error, now: MonotonicClock.now)
        }
    }

    /// What may pass by itself is tried again after a second, with the next client where this one is lost; anything else is
    /// the end.
    private func failed(_ watch: RecordWatch, _ question: RecordQuestion, _ failure: AvahiFailure, now: Instant) {
        if failure.endsConnection { connectionIsLost = true }
        if connectionIsLost { return }
        switch failure.failureClass {
        case .tryAgain:
            deadlines[.records(question)] = now.advanced(by: .seconds(1))
            tellPostponed("looking up \(question)", failure)
        case .freeResources, .chooseAnotherName, .giveUp:
            close(watch, question)
            tell(.refused(failure), of: question, in: watch)
        }
    }

    private func close(_ watch: RecordWatch, _ question: RecordQuestion) {
        recordWatches[question] = nil
        deadlines[.records(question)] = nil
        free(watch.handle.take())
    }
}
