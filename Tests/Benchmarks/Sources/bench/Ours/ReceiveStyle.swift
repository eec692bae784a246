/// The ways of receiving that the rows compare.
enum ReceiveStyle: String, Sendable {
    /// A callback with each batch on the loop's thread, an array a datagram.
    case inline
    /// The same, bytes in place, run by run: what the kernel has joined is sent on as it stands.
    case bytes
    /// `for await` datagram by datagram, the task on the loop's thread.
    case async
    /// The same, the task on the global pool.
    case pool
}

/// How a worker's socket is used: `STYLE plain|offloads`.
struct Manner {
    let style: ReceiveStyle
    let usesOffloads: Bool

    init(_ arguments: [String]) throws {
        style = try required(arguments.first.flatMap(ReceiveStyle.init))
        usesOffloads = arguments.dropFirst().first == "offloads"
    }
}
