import DiscoverableConnection
@_spi(Package) import DiscoverableRuntime

/// The book of one receiving socket: each datagram that was sent to it has been received, or the kernel has counted it as dropped.
final class Ledger: Sendable, CustomStringConvertible {
    private struct Count: Sendable {
        var sent = 0
        var received = 0
        var dropped = 0
    }

    let name: String
    private let count = Locked(Count())

    init(_ name: String) { self.name = name }

    /// The kernel has taken them from their senders.
    func sent(_ number: Int) { count.withLock { $0.sent += number } }

    func received(_ datagram: Datagram) { received(datagram.header) }

    private func received(_ header: DatagramHeader) {
        count.withLock { count in
            count.received += 1
            count.dropped += Int(header.droppedBefore)
        }
    }

    func received(_ batch: DatagramBatch) {
        for index in batch.indices { received(batch.header(at: index)) }
    }

    /// How many nobody can tell about; the kernel tells of a drop with the next datagram that it queues.
    var missing: Int { count.withLock { $0.sent - $0.received - $0.dropped } }
    var sent: Int { count.withLock { $0.sent } }
    var dropped: Int { count.withLock { $0.dropped } }
    var description: String {
        count.withLock { "\(name): \($0.sent) sent, \($0.received) received, \($0.dropped) dropped" }
    }
}
