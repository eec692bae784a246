internal import DiscoverableCore

/// What has arrived and was not handed out, and who wants it.
struct GCDInlet: Sendable {
    /// What is done with what has arrived.
    enum Work: Sendable {
        case tell(GCDArrivals)
        case filter(GCDArrivals, GCDFilter<GCDAsyncUdpSocketReceiveFilterBlock>)
    }

    var machine = GCDReceiveMachine()
    /// In the order of their numbers.
    private var waiting: [GCDArrivals] = []
    private var lastSequence: UInt64 = 0
    /// The number of closings: what was on its way then is dropped.
    private(set) var epoch: UInt64 = 0
    var filter: GCDFilter<GCDAsyncUdpSocketReceiveFilterBlock>?
    var peer: SocketAddress?
    var engines: [DatagramEngine] = []
    /// Whether the loop has to look at what came for which group.
    var hasIPv6Groups = false

    /// Whether the thread that tells the delegate reads on by itself, as long as something is there: under load it need not wait
    /// for another thread then, and the loop only tells when something comes after nothing was there.
    var isPulled: Bool { filter == nil && !hasIPv6Groups }

    /// Whether the loop is to read more.
    mutating func hasRoom() -> Bool { machine.hasRoom(hasLeftovers: hasLeftovers, limit: limit) }

    private var limit: Int { isPulled ? 1 : GCDReceiveMachine.limit }

    /// What the thread that has told something reads on from.
    var enginesToPull: [DatagramEngine] {
        isPulled && machine.mode == .continuous && !hasLeftovers ? engines : []
    }

    var hasLeftovers: Bool { !waiting.isEmpty }

    mutating func add(_ batch: DatagramBatch, limit: Int) {
        lastSequence += 1
        waiting.append(GCDArrivals(batch: batch, sequence: lastSequence, epoch: epoch, peer: peer, limit: limit))
    }

    /// Takes back what was handed out and not told: the mode has changed.
    mutating func putBack(_ arrivals: GCDArrivals) {
        var arrivals = arrivals
        arrivals.stamp = nil
        let place = waiting.firstIndex { $0.sequence > arrivals.sequence } ?? waiting.endIndex
        waiting.insert(arrivals, at: place)
    }

    /// What goes on now.
    mutating func next(stamp: UInt64) -> Work? {
        guard !waiting.isEmpty else { return nil }
        dropForeign()
        guard var arrivals = waiting.first else { return nil }
        switch machine.take(hasFilter: filter != nil) {
        case .nothing: return nil
        case .all:
            waiting.removeFirst()
            arrivals.stamp = stamp
        case .one:
            let rest = arrivals.batch.dropFirst()
            arrivals.batch = arrivals.batch.prefix(1)
            if rest.isEmpty { waiting.removeFirst() } else { waiting[0].batch = rest }
        }
        if let filter { return .filter(arrivals, filter) }
        return .tell(arrivals)
    }

    /// Where single datagrams are wanted: those that the app is not to see do not count.
    private mutating func dropForeign() {
        guard machine.mode == .once else { return }
        while let first = waiting.first {
            let place = first.batch.indices.first { first.admits(first.batch.source(at: $0)) }
            if let place {
                waiting[0].batch = first.batch.dropFirst(place)
                return
            }
            waiting.removeFirst()
        }
    }

    /// The engines that are to read again.
    mutating func enginesToStart() -> [DatagramEngine] {
        machine.starts(hasLeftovers: hasLeftovers, limit: limit) ? engines : []
    }

    /// Nothing of before counts any more; returns what is to be released.
    mutating func close() -> [GCDArrivals] {
        machine.closed()
        epoch += 1
        peer = nil
        engines = []
        hasIPv6Groups = false
        defer { waiting = [] }
        return waiting
    }
}
