/// What a socket in GCD style has been asked to send, in order, with the connecting in between, and what is to be done next.
///
/// It knows numbers and addresses only: the bytes, tags and names stand in a list of the driver's that has the same order.
///
/// How to drive it:
/// 1. `add` each call, and keep what belongs to it. A host's name is looked up at once: `resolved`, by the number that `add` gave.
/// 2. Ask `next`, and do it. What is sent counts as taken, and has no outcome yet: others may leave with it.
/// 3. Tell the outcomes by `finish`, from the first on; and where there is no room, `blocked`, which puts back what was taken.
package struct GCDSendQueue: Sendable {
    package enum Purpose: Sendable, Hashable {
        case send
        case connect
    }

    package enum Destination: Sendable, Hashable {
        /// Whom the socket is connected to.
        case peer
        case address(SocketAddress)
        /// What the app gave is no address.
        case invalid
        /// A name that is being looked up.
        case host
    }

    /// What to do next.
    package enum Step: Sendable, Hashable {
        /// Nothing is left to take.
        case rest
        /// A look-up, a filter or the kernel has to come first.
        case wait
        /// Hand it to the kernel; nil is the peer. Counts as taken.
        case send(SocketAddress?)
        /// Ask the filter, and tell its answer.
        case filter(SocketAddress)
        /// The filter has held it back: it counts as sent.
        case drop
        case connect(SocketAddress)
        case refuse(GCDRefusal)
        /// The look-up has failed; the driver knows why.
        case fail
    }

    fileprivate enum Progress: Sendable {
        /// Becomes asked, where there is a filter.
        case new
        /// Becomes passed or held.
        case asked
        case passed
        case held
    }

    fileprivate enum Resolution: Sendable {
        /// An address was given, or the socket's peer is meant.
        case none
        /// Becomes found or failed.
        case pending
        case found(SocketAddress)
        case failed
    }

    fileprivate struct Entry: Sendable {
        let purpose: Purpose
        let destination: Destination
        var resolution: Resolution
        var progress = Progress.new
    }

    private var entries: [Entry] = []
    /// The first one without an outcome.
    private var head = 0
    /// The first one that was not taken.
    private var cursor = 0
    /// The number of the entry at place 0.
    private var base: UInt64 = 0
    /// Whether the kernel has no room.
    package private(set) var isBlocked = false

    package init() {}

    /// Whether everything has its outcome.
    package var isEmpty: Bool { head == entries.count }
    /// How many were taken and have no outcome.
    package var takenCount: Int { cursor - head }
    /// The number of the first one without an outcome.
    package var first: UInt64 { base + UInt64(head) }
    /// Where the first one without an outcome stands in the driver's list.
    package var firstPlace: Int { head }
    /// Where the one that `next` speaks of stands in the driver's list.
    package var nextPlace: Int { cursor }
    package var waitingCount: Int { entries.count - head }

    /// Adds what the app has asked for; returns its number.
    @discardableResult
    package mutating func add(_ purpose: Purpose, _ destination: Destination) -> UInt64 {
        let resolution = destination == .host ? Resolution.pending : .none
        entries.append(Entry(purpose: purpose, destination: destination, resolution: resolution))
        return base + UInt64(entries.count - 1)
    }

    /// A look-up has come to its end: the addresses' first choice, or nil where it has failed. Late answers mean nothing.
    package mutating func resolved(_ number: UInt64, to address: SocketAddress?) {
        guard let place = place(of: number), case .pending = entries[place].resolution else { return }
        entries[place].resolution = address.map(Resolution.found) ?? .failed
    }

    /// The filter has answered. Late answers mean nothing.
    package mutating func filtered(_ number: UInt64, passes: Bool) {
        guard let place = place(of: number), case .asked = entries[place].progress else { return }
        entries[place].progress = passes ? .passed : .held
    }

    /// The next step; the taking of it, where it is to be sent or the filter is to be asked, is done.
    package mutating func next(_ lifecycle: borrowing GCDLifecycle, hasFilter: Bool) -> Step {
        guard cursor < entries.count else { return .rest }
        guard !isBlocked else { return .wait }
        let target: SocketAddress?
        switch entries[cursor].target(lifecycle) {
        case .wait: return .wait
        case .stop(let step): return step
        case .go(let address): target = address
        }
        if entries[cursor].purpose == .connect {
            guard let target else { return .refuse(.notAnAddress) }
            return .connect(target)
        }
        switch entries[cursor].progress {
        case .asked: return .wait
        case .held: return .drop
        case .new where hasFilter:
            guard let address = target ?? lifecycle.peer else { return .refuse(.notConnected) }
            entries[cursor].progress = .asked
            return .filter(address)
        case .new, .passed:
            cursor += 1
            return .send(target)
        }
    }

    /// The first ones have their outcome.
    ///
    /// - Returns: how many places at the front of the driver's list are to be removed.
    package mutating func finish(_ count: Int) -> Int {
        head += count
        cursor = max(cursor, head)
        guard head == entries.count || (head > 256 && 2 * head > entries.count) else { return 0 }
        let removed = head
        if head == entries.count {
            entries.removeAll(keepingCapacity: head <= 4096)
        } else {
            entries.removeFirst(head)
        }
        base += UInt64(removed)
        head = 0
        cursor -= removed
        return removed
    }

    /// The kernel has no room: what was taken is still to be sent.
    package mutating func blocked() {
        cursor = head
        isBlocked = true
    }

    /// There may be room again.
    package mutating func unblocked() { isBlocked = false }

    private func place(of number: UInt64) -> Int? {
        guard number >= first, number - base < UInt64(entries.count) else { return nil }
        return Int(number - base)
    }
}

extension GCDSendQueue.Entry {
    fileprivate enum Target {
        case wait
        case stop(GCDSendQueue.Step)
        /// nil is the peer.
        case go(SocketAddress?)
    }

    /// Where the entry goes, as the socket is now.
    fileprivate func target(_ lifecycle: borrowing GCDLifecycle) -> Target {
        switch (destination, resolution) {
        case (.invalid, _): return .stop(.refuse(.notAnAddress))
        case (.peer, _): return lifecycle.peer == nil ? .stop(.refuse(.notConnected)) : .go(nil)
        case (.host, .pending), (.host, .none): return .wait
        case (.host, .failed): return .stop(.fail)
        case (.host, .found(let address)):
            if purpose == .send, lifecycle.peer != nil { return .stop(.refuse(.sendsToPeerOnly)) }
            return usable(address, lifecycle)
        case (.address(let address), _):
            if purpose == .send, let peer = lifecycle.peer {
                return peer == address ? .go(nil) : .stop(.refuse(.sendsToPeerOnly))
            }
            return usable(address, lifecycle)
        }
    }

    private func usable(_ address: SocketAddress, _ lifecycle: borrowing GCDLifecycle) -> Target {
        guard lifecycle.families.contains(address.family) else { return .stop(.refuse(.familyNotOpen(address.family))) }
        return .go(address)
    }
}
