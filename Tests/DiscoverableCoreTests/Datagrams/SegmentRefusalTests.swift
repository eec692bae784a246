@_spi(Package) import DiscoverableCore
import Testing

@Suite("A device that cuts no messages")
struct SegmentRefusalTests {
    private let peer = DatagramRoute(SocketAddress(.v4(IPv4Address(192, 0, 2, 1)), port: 9))
    private let other = DatagramRoute(SocketAddress(.v4(IPv4Address(192, 0, 2, 2)), port: 9))
    private let deviceError = UnderlyingError(domain: .errno, number: 5, call: "sendmmsg", text: "EIO")

    private func lengths(_ machine: SendMachine) -> [[Int]] {
        machine.messages.map { [$0.offset, $0.length, $0.count] }
    }

    @Test("24: after EIO the same datagrams leave one by one, and so do later ones to that address only")
    func inputOutputError() {
        var machine = SendMachine(usesSegmentation: true)
        for index in 0..<3 {
            machine.enqueue(length: index == 2 ? 4 : 10, at: 10 * index, route: peer, ticket: UInt64(index))
        }
        #expect(lengths(machine) == [[0, 24, 3]])
        #expect(machine.failed(.inputOutput, deviceError) == .sendAgain)
        #expect(lengths(machine) == [[0, 10, 1], [10, 10, 1], [20, 4, 1]])
        #expect(machine.sent(3) == .rest)
        #expect(machine.takeOutcomes().map(\.ticket) == [0, 1, 2])
        for index in 0..<2 { machine.enqueue(length: 10, at: 10 * index, route: peer) }
        for index in 2..<4 { machine.enqueue(length: 10, at: 10 * index, route: other) }
        #expect(lengths(machine) == [[0, 10, 1], [10, 10, 1], [20, 20, 2]])
    }
}
