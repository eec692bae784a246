import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@Suite("Waiting for room in the kernel", .timeLimit(.minutes(1)), .needsNamespaces)
struct UDPSocketRoomTests {
    private let hosts: TwoHosts
    private let socket: UDPSocket
    private let server: UDPSocket
    private let destination: SocketAddress

    /// A socket whose datagrams wait in the kernel for a hardware address that nobody tells.
    init() async throws {
        hosts = try await TwoHosts()
        try await hosts.stall()
        destination = try SocketAddress("192.0.2.2", 9)
        var roomy = UDPSocket.Options()
        roomy.receiveBufferSize = 1 << 20
        server = try await hosts.second.socket(at: destination, options: roomy)
        var options = UDPSocket.Options()
        options.sendQueueLimit = 10_000
        options.sendBufferSize = 2304
        socket = try await hosts.first.socket(options: options)
    }

    private var executor: any TaskExecutor { socket.taskExecutor }

    /// What the loop has been given so far is done.
    private func catchUp() async { await Task(executorPreference: executor) {}.value }

    private func datagram(_ index: Int) -> [UInt8] { [UInt8(index)] + Array(repeating: 1, count: 499) }

    /// Many sends, in order; each returns how it ended.
    private func startSends(_ range: Range<Int>, timeout: Duration? = nil) -> [Task<SocketError.Code?, Never>] {
        range.map { index in
            Task(executorPreference: executor) {
                await socketErrorCode { try await socket.send(datagram(index), to: destination, timeout: timeout) }
            }
        }
    }

    /// The numbers of the datagrams that arrive, up to and with the last one.
    private func arrivals(until last: Int) async throws -> [Int] {
        var numbers: [Int] = []
        while numbers.last != last {
            let datagram = try await server.receive()
            #expect(datagram.length == 500)
            numbers.append(Int(datagram.bytes[0]))
        }
        return numbers
    }

    @Test("6: sends wait, and all complete in order once there is room")
    func wait() async throws {
        let completed = Locked<[Int]>([])
        let sends = (0..<40).map { index in
            Task(executorPreference: executor) {
                try await socket.send(datagram(index), to: destination)
                completed.withLock { $0.append(index) }
            }
        }
        await catchUp()
        let before = completed.withLock { $0.count }
        #expect((1..<40).contains(before), "some are through, the others wait")
        try await hosts.resume()
        for send in sends { try await send.value }
        #expect(completed.withLock { $0 } == Array(0..<40))
        #expect(try await arrivals(until: 39) == Array(0..<40))
    }

    @Test("6: of a run what finds no room waits, in order; a run that is too much is refused whole")
    func runs() async throws {
        let runs = (0..<3).map { run in (20 * run..<20 * run + 20).flatMap { datagram($0) } }
        let refused = try await Task(executorPreference: executor) {
            // One message always finds room. The second waits, and may: it is all that does.
            for run in runs.prefix(2) { try socket.enqueue(run, segmentLength: 500, to: destination) }
            socket.flush()
            return await socketErrorCode { try socket.enqueue(runs[2], segmentLength: 500, to: destination) }
        }.value
        #expect(refused == .outOfResources)
        try await hosts.resume()
        #expect(try await arrivals(until: 39) == Array(0..<40))
        try await Task(executorPreference: executor) {
            try socket.enqueue(runs[2], segmentLength: 500, to: destination)
        }.value
        #expect(try await arrivals(until: 59) == Array(40..<60))
    }

    @Test("6: a send whose time is over has not been sent, and is not sent afterwards")
    func timeout() async throws {
        let begin = MonotonicClock.now
        let ends = startSends(0..<40, timeout: .milliseconds(100))
        var sent: [Int] = []
        for (index, end) in ends.enumerated() {
            let code = await end.value
            #expect(code == nil || code == .timedOut)
            if code == nil { sent.append(index) }
        }
        #expect(MonotonicClock.now >= begin.advanced(by: .milliseconds(100)))
        #expect((1..<40).contains(sent.count))
        try await hosts.resume()
        try await socket.send(datagram(255), to: destination)
        #expect(try await arrivals(until: 255) == sent + [255])
    }

    @Test("6: a cancelled send has not been sent, and closing ends the others")
    func cancel() async throws {
        let ends = startSends(0..<40)
        await catchUp()
        for end in ends { end.cancel() }
        var sent: [Int] = []
        for (index, end) in ends.enumerated() {
            let code = await end.value
            #expect(code == nil || code == .cancelled)
            if code == nil { sent.append(index) }
        }
        #expect((1..<40).contains(sent.count))
        let others = startSends(40..<42)
        await catchUp()
        others[0].cancel()
        #expect(await others[0].value == .cancelled)
        await socket.close()
        #expect(await others[1].value == .closed)
        #expect(await socketErrorCode { try await socket.send([1], to: destination) } == .closed)
    }

    @Test("3: of many at once, what finds no room waits: nothing is lost, nothing sent twice")
    func many() async throws {
        let datagrams = (0..<150).map { OutgoingDatagram(bytes: datagram($0), to: destination) }
        let ends = Task(executorPreference: executor) { await socket.send(datagrams) }
        let late = Task(executorPreference: executor) {
            await socket.send([OutgoingDatagram(bytes: datagram(250), to: destination)], timeout: .milliseconds(1))
        }
        #expect(await late.value.map { $0?.code } == [.timedOut])
        try await hosts.resume()
        #expect(await ends.value == Array(repeating: nil, count: 150))
        try await socket.send(datagram(151), to: destination)
        #expect(try await arrivals(until: 151) == Array(0..<150) + [151])
    }

    @Test("What is enqueued waits up to the limit; more is refused", arguments: [500, 0])
    func queueLimit(length: Int) async throws {
        // Fills the kernel's buffer, so that all that follows waits.
        let waiting = startSends(0..<10)
        await catchUp()
        let admitted = await Task(executorPreference: executor) {
            var admitted = 0
            let content = Array(repeating: UInt8(7), count: length)
            while admitted < 1000, (try? socket.enqueue(content, to: destination)) != nil { admitted += 1 }
            #expect(await socketErrorCode { try socket.enqueue(content, to: destination) } == .outOfResources)
            return admitted
        }.value
        // Also an empty datagram costs 64 bytes, so that their number is bounded.
        let most = 10_000 / (length + 64) + 1
        #expect(admitted > most / 2 && admitted <= most, "\(admitted) of \(most)")
        try await hosts.resume()
        for send in waiting { #expect(await send.value == nil) }
        for index in 0..<10 { #expect(try await server.receive().bytes.first == UInt8(index)) }
        for _ in 0..<admitted { #expect(try await server.receive().bytes.count == length) }
        try await socket.send(datagram(200), to: destination)
        #expect(try await arrivals(until: 200) == [200])
    }

    @Test("What other threads enqueue waits up to the limit too; what is too much is told")
    func queueLimitElsewhere() async throws {
        let waiting = startSends(0..<10)
        await catchUp()
        var failures = socket.errors.makeAsyncIterator()
        var admitted = 0
        var refused = 0
        for _ in 0..<200 {
            do throws(SocketError) {
                try socket.enqueue(datagram(7), to: destination)
                admitted += 1
            } catch {
                #expect(error.code == .outOfResources)
                refused += 1
            }
            await catchUp()
        }
        // The loop's thread refuses what was handed over to it when too many wait there.
        try await hosts.resume()
        for send in waiting { #expect(await send.value == nil) }
        for index in 0..<10 { #expect(try await server.receive().bytes.first == UInt8(index)) }
        try await socket.send(datagram(200), to: destination)
        let arrived = try await arrivals(until: 200).count - 1
        #expect(arrived > 0 && arrived <= 10_000 / 564 + 1 && refused + admitted == 200)
        for _ in 0..<admitted - arrived {
            let failure = await failures.next()
            #expect(failure?.error.code == .outOfResources && failure?.origin == .local && failure?.peer == destination)
        }
    }
}
