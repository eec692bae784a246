import DiscoverableCore

/// A network in virtual time that loses, repeats, delays and thereby reorders datagrams; and the calendar of all else.
package struct SimulatedNetwork {
    package struct Quality: Sendable {
        var lossPercent = 0
        var duplicatePercent = 0
        var delayMilliseconds = 1...1

        package init(lossPercent: Int = 0, duplicatePercent: Int = 0, delayMilliseconds: ClosedRange<Int> = 1...1) {
            self.lossPercent = lossPercent
            self.duplicatePercent = duplicatePercent
            self.delayMilliseconds = delayMilliseconds
        }
    }

    struct Packet {
        let source: SocketAddress
        let destination: SocketAddress
        let bytes: [UInt8]
    }

    /// Anything that happens at a time.
    enum Happening {
        case arrival(Packet)
        /// An app, or fate, does something.
        case act
        /// A deadline of an end may be due.
        case wake(SimulatedEnd)
        /// Everybody closes what is open.
        case closing
    }

    let quality: Quality
    private var calendar = Calendar()

    init(quality: Quality) { self.quality = quality }

    mutating func add(_ happening: Happening, at instant: Instant) { calendar.add(happening, at: instant) }

    mutating func send(_ packet: Packet, now: Instant, dice: inout Dice) {
        guard !dice.happens(percent: quality.lossPercent) else { return }
        for _ in 0..<(dice.happens(percent: quality.duplicatePercent) ? 2 : 1) {
            add(.arrival(packet), at: now.advanced(by: dice.milliseconds(quality.delayMilliseconds)))
        }
    }

    mutating func next() -> (at: Instant, happening: Happening)? { calendar.next() }
}

extension SimulatedNetwork {
    /// A binary heap; what is due at the same time happens in the order of its entry, so that a seed repeats itself.
    private struct Calendar {
        private var entries: [(at: Instant, order: Int, happening: Happening)] = []
        private var order = 0

        mutating func add(_ happening: Happening, at instant: Instant) {
            order += 1
            entries.append((instant, order, happening))
            var index = entries.count - 1
            while index > 0, isEarlier(index, (index - 1) / 2) {
                entries.swapAt(index, (index - 1) / 2)
                index = (index - 1) / 2
            }
        }

        mutating func next() -> (at: Instant, happening: Happening)? {
            guard !entries.isEmpty else { return nil }
            entries.swapAt(0, entries.count - 1)
            let first = entries.removeLast()
            var index = 0
            while let child = earlierChild(of: index), isEarlier(child, index) {
                entries.swapAt(index, child)
                index = child
            }
            return (first.at, first.happening)
        }

        private func earlierChild(of index: Int) -> Int? {
            let left = 2 * index + 1
            guard left < entries.count else { return nil }
            return left + 1 < entries.count && isEarlier(left + 1, left) ? left + 1 : left
        }

        private func isEarlier(_ left: Int, _ right: Int) -> Bool {
            (entries[left].at, entries[left].order) < (entries[right].at, entries[right].order)
        }
    }
}
