internal import Measuring

/// UDP on loopback. Echo and ping-pong have the same kind of program at both ends; the references are in `References`.
extension Suite {
    static let datagrams = Suite(
        name: "datagrams",
        summary: "UDP sockets on loopback; echo with 64 datagrams under way, ping-pong with one",
        rows: echoRows + pingPongRows + delegateRows + otherRows + peerRows
    )

    private static let echoRows = [
        offloadedReference(size: 64),
        echo("echo-64-inline", "callback inline, an array a datagram, no offloads", .inline, goal: 1.0),
        echo("echo-64-gso-bytes", "batches in place, run by run, offloads", .bytes, offloads: true, goal: 8.0),
        echo("echo-64-gso-inline", "callback inline, offloads", .inline, offloads: true, goal: 5.8),
        echo("echo-64-async", "for await, task on the loop, no offloads", .async, goal: 0.95),
        echo("echo-64-async-gso", "for await, task on the loop, offloads", .async, offloads: true, goal: 4.0),
        echo("echo-64-async-pool", "for await, task on the global pool, no offloads", .pool, goal: 0.70),
        offloadedReference(size: 1200),
        echo(
            "echo-1200-gso-bytes",
            "batches in place, run by run, offloads",
            .bytes,
            size: 1200,
            offloads: true,
            goal: 4.0
        ),
    ]

    private static let pingPongRows = [
        pingPong("pingpong-64-inline", "callback inline, two loops", .inline, goal: 0.95),
        pingPong("pingpong-64-async", "for await, task on the loop", .async, goal: 0.83),
        Row(
            name: "pingpong-64-shared",
            work: "both ends on one loop in one process, beside C with two threads",
            unit: roundTrips,
            goal: .atLeast(2.7),
            ours: Figure(probe: Probe(first: .worker(["ours-shared"] + Load.pingPong.arguments))),
            reference: Figure(probe: Probe(first: .worker(["c-pingpong-threads"] + Load.pingPong.arguments)))
        ),
    ]

    private static let peerRows = Peer.allCases.flatMap { peer in
        [
            Row(
                name: "\(peer.rawValue)-echo-64",
                work: "\(peer.title), beside C",
                unit: roundTrips,
                ours: Figure(probe: .exchange(.peer(peer, ["server"]), .peer(peer, ["client"]), .echo(64))),
                reference: Figure(probe: .echoReference(.echo(64)))
            ),
            Row(
                name: "\(peer.rawValue)-pingpong-64",
                work: "\(peer.title), beside C",
                unit: roundTrips,
                ours: Figure(probe: .exchange(.peer(peer, ["server"]), .peer(peer, ["client"]), .pingPong)),
                reference: Figure(probe: .pingPongReference)
            ),
        ]
    }

    private static func echo(
        _ name: String,
        _ work: String,
        _ style: ReceiveStyle,
        size: Int = 64,
        offloads: Bool = false,
        goal: Double
    ) -> Row {
        Row(
            name: name,
            work: work,
            unit: roundTrips,
            goal: .atLeast(goal),
            ours: Figure(probe: .ours(style, offloads: offloads, .echo(size))),
            reference: Figure(probe: .echoReference(.echo(size)))
        )
    }

    private static func pingPong(_ name: String, _ work: String, _ style: ReceiveStyle, goal: Double) -> Row {
        Row(
            name: name,
            work: work,
            unit: roundTrips,
            goal: .atLeast(goal),
            ours: Figure(probe: .ours(style, offloads: false, .pingPong)),
            reference: Figure(probe: .pingPongReference)
        )
    }

    /// What plain C gains by offloads: the limit of the rows that use them.
    private static func offloadedReference(size: Int) -> Row {
        Row(
            name: "c-echo-\(size)-gso",
            work: "plain C with GSO and GRO, beside plain C without",
            unit: roundTrips,
            ours: Figure(
                probe: .exchange(.worker(["c-offload-server"]), .worker(["c-offload-client"]), .echo(size))
            ),
            reference: Figure(probe: .echoReference(.echo(size)))
        )
    }
}

let roundTrips = "round trips/s"

extension Probe {
    /// The server waits, the client says the rate.
    static func exchange(_ server: Program, _ client: Program, _ load: Load) -> Probe {
        Probe(first: server, second: client.adding(load.arguments), reporter: .second)
    }

    static func echoReference(_ load: Load) -> Probe {
        exchange(.worker(["c-echo-server"]), .worker(["c-echo-client"]), load)
    }

    static let pingPongReference = exchange(
        .worker(["c-pingpong-server"]),
        .worker(["c-pingpong-client"]),
        .pingPong
    )

    fileprivate static func ours(_ style: ReceiveStyle, offloads: Bool, _ load: Load) -> Probe {
        let manner = [style.rawValue, offloads ? "offloads" : "plain"]
        return exchange(.worker(["ours-server"] + manner), .worker(["ours-client"] + manner), load)
    }
}

extension Program {
    fileprivate func adding(_ arguments: [String]) -> Program {
        switch self {
        case .worker(let own): .worker(own + arguments)
        case .peer(let peer, let own): .peer(peer, own + arguments)
        case .discoveryWorker(let own): .discoveryWorker(own + arguments)
        case .reference(let own): .reference(own + arguments)
        }
    }
}
