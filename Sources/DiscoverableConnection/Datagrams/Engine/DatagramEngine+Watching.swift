internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// What an engine wants to be woken for. Behind a lock, and not confined to the loop, so that a consumer on another thread can
/// start the reading again without waking the loop by a detour.
struct Watch: Sendable {
    private let descriptor: Int32
    private var registration: Registration?
    private var interest: EpollSet.Interest = []
    private var isEnded = false
    private var isPrepared = false

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Adds and removes reasons to be woken. Errors always are one, once anything was watched for.
    mutating func change(
        adding added: EpollSet.Interest,
        removing removed: EpollSet.Interest,
        of engine: DatagramEngine
    ) throws(UnderlyingError) {
        guard !isEnded else { return }
        let wanted = interest.union(added).subtracting(removed)
        if !isPrepared, wanted.contains(.readable) {
            isPrepared = true
            engine.prepareToReceive()
        }
        if let registration {
            guard wanted != interest else { return }
            try engine.loop.update(registration, descriptor: descriptor, interest: wanted)
        } else {
            registration = try engine.loop.register(descriptor, interest: wanted, handler: engine, isHeld: true)
        }
        interest = wanted
    }

    mutating func end(on loop: EventLoop) {
        isEnded = true
        if let registration = registration.take() { loop.unregister(registration, descriptor: descriptor) }
    }
}

extension DatagramEngine: ReadinessHandler {
    package func becameReady(_ readiness: EpollSet.Readiness, registration: Registration) {
        if readiness.contains(.error) { takeReports() }
        if readiness.contains(.readable) { read() }
        if readiness.contains(.writable) { becameWritable() }
    }

    /// Reads from now on, and takes errors. On any thread.
    func resumeReading() { change(adding: .readable) }

    func pauseReading() { change(removing: .readable) }

    /// Is told errors from now on, whether anything is read or not. On any thread.
    func watchErrors() { change() }

    /// Has the client told once there is room to send. On any thread.
    func watchForRoom() { change(adding: .writable) }

    func change(adding added: EpollSet.Interest = [], removing removed: EpollSet.Interest = []) {
        do throws(UnderlyingError) {
            try watch.withLock { watch throws(UnderlyingError) in
                try watch.change(adding: added, removing: removed, of: self)
            }
        } catch {
            client?.stopped(error, on: self)
        }
    }
}
