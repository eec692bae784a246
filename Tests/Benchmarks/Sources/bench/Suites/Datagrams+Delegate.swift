internal import Measuring

/// The class for apps in GCD style, with a delegate on a queue of the app's. Both ends are of the same kind.
extension Suite {
    static let delegateRows = [
        Row(
            name: "echo-64-delegate",
            work: "GCD style, delegate on a queue of the app's, no offloads",
            unit: roundTrips,
            goal: .atLeast(0.75),
            ours: Figure(probe: .delegate(offloads: false, .echo(64))),
            reference: Figure(probe: .echoReference(.echo(64)))
        ),
        Row(
            name: "echo-64-delegate-gso",
            work: "the same, offloads",
            unit: roundTrips,
            goal: .atLeast(4.0),
            ours: Figure(probe: .delegate(offloads: true, .echo(64))),
            reference: Figure(probe: .echoReference(.echo(64)))
        ),
        Row(
            name: "pingpong-64-delegate",
            work: "GCD style, no offloads",
            unit: roundTrips,
            goal: .atLeast(0.60),
            ours: Figure(probe: .delegate(offloads: false, .pingPong)),
            reference: Figure(probe: .pingPongReference)
        ),
        Row(
            name: "delegate-over-original",
            work: "echo-64-delegate, beside the original's shape: an event, a block and a call a datagram",
            unit: roundTrips,
            goal: .atLeast(1.6),
            ours: Figure(probe: .delegate(offloads: false, .echo(64))),
            reference: Figure(probe: .originalShape(.echo(64)))
        ),
        Row(
            name: "allocations-delegate",
            work: "heap allocations a datagram of an echo server in GCD style, steady state",
            unit: "allocations",
            better: .lower,
            goal: .atMost(2),
            ours: Figure(
                probe: Probe(
                    first: .worker(["delegate-allocations-server"] + Load.echo(64).arguments),
                    second: .worker(["c-offload-client"] + Load.endless(64).arguments)
                )
            )
        ),
    ]
}

extension Probe {
    fileprivate static func delegate(offloads: Bool, _ load: Load) -> Probe {
        let manner = offloads ? "offloads" : "plain"
        return exchange(.worker(["delegate-server", manner]), .worker(["delegate-client", manner]), load)
    }

    fileprivate static func originalShape(_ load: Load) -> Probe {
        exchange(.worker(["original-server"]), .worker(["original-client"]), load)
    }
}
