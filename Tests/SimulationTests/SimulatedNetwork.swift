import DiscoverableCore

/// A network in virtual time that loses, repeats, delays and thereby reorders datagrams.
struct SimulatedNetwork {
    struct Quality {
        var lossPercent = 0
        var duplicatePercent = 0
        var delayMilliseconds = 1...1
    }

    struct Packet {
        let source: SocketAddress
        let destination: SocketAddress
        let bytes: [UInt8]
    }

    /// Anything that happens at a time: what arrives, or what an app or a clock does.
    enum Happening {
        case arrival(Packet)
        case action(Int)
    }

    let quality: Quality
    private var schedule: [(at: Instant, order: Int, happening: Happening)] = []
    private var order = 0

    init(quality: Quality) { self.quality = quality }

    mutating func add(_ happening: Happening, at instant: Instant) {
        order += 1
        schedule.append((instant, order, happening))
    }

    mutating func send(_ packet: Packet, now: Instant, dice: inout Dice) {
        guard !dice.happens(percent: quality.lossPercent) else { return }
        for _ in 0..<(dice.happens(percent: quality.duplicatePercent) ? 2 : 1) {
            add(.arrival(packet), at: now.advanced(by: dice.milliseconds(quality.delayMilliseconds)))
        }
    }

    var nextInstant: Instant? { schedule.map(\.at).min() }

    mutating func takeDue(now: Instant) -> [Happening] {
        let due = schedule.filter { $0.at <= now }.sorted { ($0.at, $0.order) < ($1.at, $1.order) }
        schedule.removeAll { $0.at <= now }
        return due.map(\.happening)
    }
}
