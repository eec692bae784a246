public import DiscoverableCore
internal import DiscoverableRuntime

/// The records of one name and type, as they come and go.
public typealias RecordBrowser = LiveSequence<BrowseBacklog<BrowsedRecord>>

/// The addresses of one host, as they come and go.
public typealias AddressBrowser = LiveSequence<BrowseBacklog<BrowsedAddress>>

// MARK: - As they come and go

extension Discovery {
    /// The records of a name and a type, as they come and go. All that are known are told as `added`, then, about a second
    /// after the network was asked, comes `settled`, then the changes.
    ///
    /// Where a name has one record of the type and it changes, the new one is `added` at once, and the old one is `removed` a
    /// second later: the newest is the one that holds. Costs one object of the daemon, however many ask the same question,
    /// while somebody iterates. Data that is not of its type is passed over.
    ///
    /// - Parameter question: the name, the type and where to ask. Names under `.arpa` are asked on the link only.
    public func records(_ question: RecordQuestion) -> RecordBrowser {
        let operation = "looking up \(question)"
        return live {
            BrowseBacklog()
        } begin: { connection, output, id in
            connection.follow(question, by: id, .stream { $0.push(to: output, while: operation) })
        } end: { connection, id in
            connection.unfollow(question, by: id)
        }
    }

    /// The addresses of a host, of both families, as they come and go. A link-local IPv6 address is one for each interface on
    /// which it is told, and carries that.
    ///
    /// Costs two objects of the daemon, however many ask for the same host, while somebody iterates.
    ///
    /// - Parameters:
    ///   - host: the host's name, such as `beta.local`.
    ///   - scope: the part of the network to ask.
    public func addresses(of host: DNSName, on scope: DiscoveryScope = .everywhere) -> AddressBrowser {
        let operation = "looking up \(host)"
        return live {
            BrowseBacklog()
        } begin: { connection, output, id in
            let list = HostAddresses()
            for type in [RecordType.a, .aaaa] {
                let question = RecordQuestion(host, type, on: scope)
                connection.follow(question, by: id, .stream { list.take($0, of: type, into: output, while: operation) })
            }
        } end: { connection, id in
            for type in [RecordType.a, .aaaa] { connection.unfollow(RecordQuestion(host, type, on: scope), by: id) }
        }
    }
}

extension RecordNews {
    fileprivate func push(to output: RecordBrowser.Output, while operation: String) {
        switch self {
        case .record(let event): output.push(event)
        case .told(.networkTold): output.push(.settled)
        case .told: break
        case .refused(let failure): output.finish(throwing: failure.error(while: operation))
        }
    }
}

/// One consumer's list of a host's addresses.
private final class HostAddresses {
    private var list = AddressList()

    func take(_ news: RecordNews, of type: RecordType, into output: AddressBrowser.Output, while operation: String) {
        switch news {
        case .record(let event):
            for event in list.take(event) { output.push(event) }
        case .told(.networkTold):
            if let event = list.settled(type) { output.push(event) }
        case .told: break
        case .refused(let failure): output.finish(throwing: failure.error(while: operation))
        }
    }
}

extension Discovery {
    /// A sequence that lives in the connection: `begin` and `end` run in turns of their own.
    func live<Store: Backlog>(
        backlog: @escaping @Sendable () -> Store,
        begin: @escaping @Sendable (isolated DaemonConnection, LiveSequence<Store>.Output, _ id: UInt64) -> Void,
        end: @escaping @Sendable (isolated DaemonConnection, _ id: UInt64) -> Void
    ) -> LiveSequence<Store> {
        LiveSequence(backlog: backlog) { [connection] output in
            let id = connection.makeID()
            connection.submit { begin($0, output, id) }
            return { connection.submit { end($0, id) } }
        }
    }
}

// MARK: - Once

extension Discovery {
    /// The records of a name and a type that the network tells now. Takes about a second, since nobody knows how many there
    /// are; longer where none is there yet. Costs one object of the daemon while it runs.
    ///
    /// - Parameters:
    ///   - question: the name, the type and where to ask.
    ///   - timeout: how long to wait in all, also for a daemon that is away or hangs.
    /// - Returns: at least one record, the oldest first.
    /// - Throws: `DiscoveryError`: `notFound` where nobody tells any in time; `tooManyObjects`; `daemonUnavailable` and
    ///   `daemonNotResponding` where it is the daemon that does not answer; `cancelled`.
    public func lookUpRecords(
        _ question: RecordQuestion,
        timeout: Duration = .seconds(5)
    ) async throws(DiscoveryError) -> [BrowsedRecord] {
        try await once([question], timeout: timeout, operation: "looking up \(question)") { answers in
            answers.allSatisfy { $0.isComplete } ? answers.flatMap(\.records) : nil
        }
    }

    /// All addresses of a host. Takes about a second, since nobody knows how many there are. Costs two objects of the daemon
    /// while it runs.
    ///
    /// - Parameters:
    ///   - host: the host's name, such as `beta.local`.
    ///   - scope: the part of the network to ask.
    ///   - timeout: how long to wait in all, also for a daemon that is away or hangs.
    /// - Returns: at least one address: IPv4 first, then IPv6, link-local IPv6 last and with its interface.
    /// - Throws: `DiscoveryError`, as `lookUpRecords(_:timeout:)`.
    public func lookUpAddresses(
        of host: DNSName,
        on scope: DiscoveryScope = .everywhere,
        timeout: Duration = .seconds(5)
    ) async throws(DiscoveryError) -> [BrowsedAddress] {
        let questions = [RecordQuestion(host, .a, on: scope), RecordQuestion(host, .aaaa, on: scope)]
        return try await once(questions, timeout: timeout, operation: "looking up \(host)") { answers in
            guard answers.allSatisfy(\.isComplete) else { return nil }
            var list = AddressList()
            for record in answers.flatMap(\.records) { _ = list.take(.added(record)) }
            return list.addresses
        }
    }

    /// The name of the host that has an address, by the first that tells it: milliseconds. Costs one object of the daemon
    /// while it runs. It is asked for on the link, and never from a name server.
    ///
    /// - Parameters:
    ///   - address: the address.
    ///   - scope: the part of the network to ask; for a link-local IPv6 address it should name the interface.
    ///   - timeout: how long to wait in all, also for a daemon that is away or hangs.
    /// - Throws: `DiscoveryError`, as `lookUpRecords(_:timeout:)`.
    public func lookUpHostName(
        of address: IPAddress,
        on scope: DiscoveryScope = .everywhere,
        timeout: Duration = .seconds(5)
    ) async throws(DiscoveryError) -> DNSName {
        let question = RecordQuestion(DNSName(reverseOf: address), .ptr, on: scope)
        let operation = "looking up the name of \(address)"
        let names = try await once([question], timeout: timeout, operation: operation) { answers in
            answers.flatMap(\.records).compactMap { found -> DNSName? in
                if case .ptr(let name) = found.record.data { name } else { nil }
            }
        }
        return names[0]
    }

    /// Follows questions until `finished` makes a result of the answers that is not empty.
    private func once<Found: Sendable>(
        _ questions: [RecordQuestion],
        timeout: Duration,
        operation: String,
        finished: @escaping @Sendable ([Answers]) -> [Found]?
    ) async throws(DiscoveryError) -> [Found] {
        let id = connection.makeID()
        let output = Waiter<[Found], DiscoveryError>()
        connection.submit { connection in
            let request = OneRequest(questions.count) { answers in
                if let found = finished(answers), !found.isEmpty { output.resume(.success(found)) }
            } fail: {
                output.resume(.failure($0.error(while: operation)))
            }
            for (place, question) in questions.enumerated() {
                connection.follow(question, by: id, .stream { request.take($0, at: place) })
            }
        }
        defer {
            connection.submit { connection in for question in questions { connection.unfollow(question, by: id) } }
        }
        return try await output.value(within: timeout) { [self] in
            failure(while: operation)
                ?? DiscoveryError(
                    .notFound,
                    operation: operation,
                    explanation:
                        "nobody on the network told any within \(timeout); see that the name is spelt in full, such "
                        + "as beta.local, and that its host is on a link of this one"
                )
        } cancelled: {
            .cancelled(while: operation)
        }
    }
}

/// What has answered one question.
private struct Answers {
    var records: [BrowsedRecord] = []
    var isComplete = false
}

/// One caller's questions with their answers.
private final class OneRequest {
    private var answers: [Answers]
    private let changed: ([Answers]) -> Void
    private let fail: (AvahiFailure) -> Void

    init(_ count: Int, changed: @escaping ([Answers]) -> Void, fail: @escaping (AvahiFailure) -> Void) {
        answers = Array(repeating: Answers(), count: count)
        self.changed = changed
        self.fail = fail
    }

    func take(_ news: RecordNews, at place: Int) {
        switch news {
        case .record(.added(let record)): answers[place].records.append(record)
        case .record(.updated(let record)):
            answers[place].records = answers[place].records.map { $0.identity == record.identity ? record : $0 }
        case .record(.removed(let record)): answers[place].records.removeAll { $0.identity == record.identity }
        case .record(.settled): break
        case .told(let progress): answers[place].isComplete = progress == .networkTold
        case .refused(let failure): return fail(failure)
        }
        changed(answers)
    }
}
