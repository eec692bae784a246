/// An actor on the shared event loop, as a global actor: what carries `@EventLoopActor` runs on the thread on which the sockets live,
/// and uses them without changing threads.
///
/// ```swift
/// Task { @EventLoopActor in
///     for await datagram in socket.datagrams { try socket.enqueue(datagram.bytes, to: datagram.source) }
/// }
/// ```
///
/// What it runs must not block: all sockets and sessions of the process wait meanwhile. For a loop of one's own, an actor of one's
/// own does the same.
@globalActor
public actor EventLoopActor {
    /// The one instance.
    public static let shared = EventLoopActor()

    private init() {}

    /// The shared loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe EventLoop.shared.asUnownedSerialExecutor() }
}
