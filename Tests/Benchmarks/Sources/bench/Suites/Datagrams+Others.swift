internal import Measuring

/// The rows that are no echo.
extension Suite {
    static let otherRows = [bulk, wakeUp, allocations, idle, openClose, descriptors]

    private static let bulk = Row(
        name: "bulk-1200",
        work: "one way, offloads, received datagrams",
        unit: "datagrams/s",
        goal: .atLeast(0.8),
        ours: Figure(
            probe: Probe(
                first: .worker(["ours-bulk-receiver"] + Load.echo(1200).arguments),
                second: .worker(["ours-bulk-sender", "1200"])
            )
        ),
        reference: Figure(
            probe: Probe(
                first: .worker(["c-bulk-receiver"] + Load.echo(1200).arguments),
                second: .worker(["c-bulk-sender", "1200"])
            )
        )
    )

    /// The same sender for both: plain C, a datagram every 3 ms.
    private static let wakeUp = Row(
        name: "wakeup-p50",
        work: "an idle receiver's delay, for await, task on the loop",
        unit: "µs",
        better: .lower,
        goal: .atMost(1.25),
        ours: Figure(
            probe: Probe(first: .worker(["ours-wakeup-receiver", "150"]), second: .worker(["c-wakeup-sender"]))
        ),
        reference: Figure(
            probe: Probe(first: .worker(["c-wakeup-receiver", "150"]), second: .worker(["c-wakeup-sender"]))
        )
    )

    private static let allocations = Row(
        name: "allocations-batch",
        work: "heap allocations a datagram of an echo server, batches in place, steady state",
        unit: "allocations",
        better: .lower,
        goal: .atMost(0),
        ours: Figure(
            probe: Probe(
                first: .worker(["ours-allocations-server"] + Load.echo(64).arguments),
                second: .worker(["c-offload-client"] + Load.endless(64).arguments)
            )
        )
    )

    private static let idle = Row(
        name: "idle-1000",
        work: "CPU of 1,000 idle sockets, one of them with a pending error of its peer",
        unit: "of a core",
        better: .lower,
        goal: .atMost(0.001),
        ours: Figure(probe: Probe(first: .worker(["ours-idle", "1000"])))
    )

    private static let openClose = Row(
        name: "open-close-10000",
        work: "opening, binding and closing 10,000 sockets",
        unit: "ms",
        better: .lower,
        goal: .atMost(2),
        ours: Figure(probe: openCloseProbe),
        reference: Figure(probe: Probe(first: .worker(["c-open-close", "10000"])))
    )

    private static let descriptors = Row(
        name: "descriptors-left",
        work: "open descriptors after that more than before",
        unit: "descriptors",
        better: .lower,
        goal: .atMost(0),
        ours: Figure(probe: openCloseProbe, position: 1)
    )

    private static let openCloseProbe = Probe(first: .worker(["ours-open-close", "10000"]))
}
