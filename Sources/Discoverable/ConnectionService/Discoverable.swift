internal import AvahiDiscovery
internal import DiscoverableConnection
@_spi(Package) internal import DiscoverableRuntime

/// A connection to a dscv server that is found by itself: the class of the iOS package of the same name, for apps that move
/// over, and for apps that rather have a delegate than async sequences.
///
/// ```swift
/// import Discoverable
/// import Dispatch
///
/// final class Remote: DiscoverableDelegate {
///     func connectionState(state: Discoverable.State) {
///         if state == .connected { Discoverable.shared.send("hello") }
///     }
///     func connectionStrength(strength: Float) { print("\(Int(strength)) %") }
/// }
///
/// let remote = Remote()
/// Discoverable.shared.delegate = remote
/// Discoverable.shared.discover(type: "_discoverable._udp", on: nil)
/// dispatchMain()
/// ```
///
/// 1. ``discover(type:on:)`` looks for a service and connects to it; ``connect(to:on:)`` connects to a host that is known.
/// 2. The delegate is told each state. Once connected, ``send(_:)`` sends messages, each of which is acknowledged or told
///    as not sent; the strength says how many of the last five arrived.
/// 3. ``close(_:state:)`` ends the connection, as do the peer and its silence.
///
/// One instance has one connection at a time: a new `discover` or `connect` replaces the one that runs.
///
/// - Important: All of it may be called on any thread, and nothing blocks. What the delegate is told is told on
///   ``delegateQueue`` only, in order; nothing that belongs to a connection is told after it was closed or replaced, apart
///   from the state that the call itself sets.
public final class Discoverable: Sendable {
    private static let sharedInstance = Locked(Discoverable())

    /// The instance that an app's screens share. Another one may be set; the one before lives on where somebody holds it.
    public static var shared: Discoverable {
        get { sharedInstance.withLock { $0 } }
        set {
            let replaced = sharedInstance.withLock { shared in
                let replaced = shared
                shared = newValue
                return replaced
            }
            // The last reference goes here, not inside the lock.
            withExtendedLifetime(replaced) {}
        }
    }

    let driver: ConnectionDriver

    /// A service of one's own, disconnected.
    public convenience init() {
        self.init(configuration: SessionConfiguration())
    }

    /// One with other rules and times.
    init(
        configuration: SessionConfiguration,
        times: ConnectionTimes = ConnectionTimes(),
        discovery: Discovery? = nil,
        loop: EventLoop = .shared
    ) {
        driver = ConnectionDriver(configuration: configuration, times: times, discovery: discovery, loop: loop)
    }

    /// Ends the connection and tells the peer, as `close()` does.
    deinit {
        driver.close(tellingPeer: true, state: .disconnected, isTold: false)
    }

    /// The state of the connection, which only the service sets.
    public var state: State { driver.content.withLock { $0.machine.state } }
}

// MARK: - Connecting

extension Discoverable {
    /// Looks for a service of a type and connects to it.
    ///
    /// The state is `connecting` at once. The first service that tells its address is the one; all its addresses are tried.
    /// It ends in `connected`, in `failed(.discoverTimeout)` where nothing is found in 5 s, in `failed(.discoverResolve…)`
    /// where what was found does not tell its address in 5 s, in `failed(.discoverIncorrectConfiguration)` at once where
    /// `type` is no service type, or as ``connect(to:on:)`` ends.
    ///
    /// What runs before is replaced, without a word to its peer.
    ///
    /// - Parameters:
    ///   - type: The service type, such as `_discoverable._udp`.
    ///   - port: The port to connect to; nil for the one that the service tells, and 1024 where it tells none.
    public func discover(type: String, on port: UInt16?) { driver.discover(type: type, port: port) }

    /// Connects to a host.
    ///
    /// The state is `connecting` at once. The peer is greeted five times, 2 s apart, until it answers: then the state is
    /// `connected`. It fails 10 s after the first greeting: with `connectShakeNoResponse` where nothing has come, with another
    /// `connect…` error where the system said why (see ``DiscoverableError``). It is `disconnected` where the peer says no.
    ///
    /// What runs before is replaced, without a word to its peer.
    ///
    /// - Parameters:
    ///   - host: Its name or its address, with the interface where it needs one: `192.0.2.1`, `fe80::1%eth0`, `beta.local`.
    ///   - port: The port on which it listens: 1…65535.
    public func connect(to host: String, on port: UInt16) { driver.connect(to: host, port: port) }

    /// Ends the connection, or the attempt to come to one; does nothing where there is neither.
    ///
    /// The peer is told in the background, repeatedly until it has acknowledged; messages that were sent before leave before.
    /// What is not known to have arrived by now is not told any more. Of a connection that has ended by itself just before, the
    /// delegate is told the end that it does not know yet, and nothing else.
    ///
    /// - Parameters:
    ///   - killServer: Whether the peer is told, by `dscv_disconnect`. A classic server shuts down then; a `SessionListener`
    ///     ends this session only. With false nothing is sent, and the peer finds out by itself.
    ///   - state: The state to end in, `disconnected` or `failed`; of others `disconnected` is made.
    public func close(_ killServer: Bool = true, state: State = .disconnected) {
        driver.close(tellingPeer: killServer, state: state)
    }
}

// MARK: - Talking

extension Discoverable {
    /// Sends a message. While connecting it waits, up to 64 of them, and leaves when the connection is there.
    ///
    /// No message is lost without a word: where it is not sent, or not acknowledged within 2 s, the delegate's
    /// ``DiscoverableDelegate/connectionFailed(toSend:error:)`` is told. When fewer than 5 % of the last five messages are
    /// acknowledged, the connection is over: `disconnected`.
    ///
    /// - Parameter value: At least one byte and at most 1,024 in UTF-8, without a word of the protocol (`dscv_…`), by which a
    ///   classic peer would end the connection.
    public func send(_ value: String) { driver.send(value) }

    /// Has the delegate told the strength as it is now: 0…100 percent, 0 before the first message has its outcome.
    public func fetchConnectionStrength() { driver.fetchStrength() }
}
