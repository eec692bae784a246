@_spi(Package) internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Dispatch
internal import Foundation
internal import Synchronization

/// What a `GCDAsyncUdpSocket` consists of: the socket's owner lets go of it, and it closes.
///
/// Locks, in the order in which they may be taken: `sender` (what is open, and what waits to leave), then `inlet` (what has
/// arrived), `inbox` (what was just sent), `settings`, and a target's own. None is held while code of the app's runs, or while
/// another thread is waited for.
final class GCDSocketCore: Sendable {
    /// The loop that all these sockets live on: one of its own, since their threads may wait for it while they hold a queue, and
    /// code of an app's that runs on the shared one could wait for that queue.
    static let loop: EventLoop = {
        do throws(UnderlyingError) {
            return try EventLoop(name: GCDAsyncUdpSocketThreadName)
        } catch {
            fatalError("the process can have no thread or descriptor: \(error)")  // safe because no peer reaches it
        }
    }()

    let queue: DispatchQueue
    let outlet = GCDOutlet()
    let settings = Locked(GCDSettings())
    let sender = Locked(GCDSender())
    let inlet = Locked(GCDInlet())
    let inbox = Locked(GCDInbox())
    /// The thread that tells the delegate now; what is sent there leaves together.
    let tellingThread = Atomic<UInt>(0)
    /// Changes with the mode of receiving, and when the socket is closed.
    let stamp = Atomic<UInt64>(0)
    private let key = Carried(DispatchSpecificKey<Bool>())
    private let marked = Locked<[DispatchQueue]>([])

    init(queue: DispatchQueue) {
        self.queue = queue
        queue.setSpecific(key: key.value, value: true)
    }

    // Nothing of ours stays on a queue of the app's: the key's memory will be another object's.
    deinit {
        queue.setSpecific(key: key.value, value: nil)
        for queue in marked.withLock({ $0 }) { queue.setSpecific(key: key.value, value: nil) }
    }

    var loop: EventLoop { Self.loop }

    // MARK: The socket's queue

    private var isOnQueue: Bool { DispatchQueue.getSpecific(key: key.value) != nil }

    /// Runs something on the socket's queue; at once where this is that queue already.
    func onQueue<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        if isOnQueue { return try body() }
        let result: Result<Value, Failure> = queue.sync {
            do throws(Failure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// As `onQueue`, without waiting where it is another queue.
    func onQueueSoon(_ body: @escaping @Sendable () -> Void) {
        if isOnQueue { body() } else { queue.async(execute: body) }
    }

    func mark(_ target: DispatchQueue) {
        target.setSpecific(key: key.value, value: true)
        marked.withLock { $0.append(target) }
    }

    func unmark(_ target: DispatchQueue) {
        marked.withLock { $0.removeAll { $0 === target } }
        if target !== queue { target.setSpecific(key: key.value, value: nil) }
    }

    /// Runs something on the loop's thread, and returns when it has run. Not to be called with a lock held.
    func onLoop(_ body: @escaping @Sendable () -> Void) {
        if loop.isOnLoop { return body() }
        let done = DispatchSemaphore(value: 0)
        loop.execute {
            body()
            done.signal()
        }
        done.wait()
    }

    // MARK: Settings

    var configuration: GCDConfiguration { settings.withLock { $0.configuration } }

    func configure(_ change: @Sendable (inout GCDConfiguration) -> Void) {
        settings.withLock { change(&$0.configuration) }
    }

    // MARK: What is open

    var peer: SocketAddress? { sender.withLock { $0.lifecycle.peer } }

    var isOpen: Bool { sender.withLock { $0.lifecycle.isOpen } }

    func speaks(_ family: AddressFamily) -> Bool {
        let families = sender.withLock { $0.lifecycle.isOpen ? $0.lifecycle.families : nil }
        return families?.contains(family) ?? configuration.isEnabled(family)
    }

    /// The address of a family; without one the first there is, of IPv4 before IPv6.
    func localAddress(_ family: AddressFamily?) -> SocketAddress? {
        sender.withLock { sender in
            guard sender.lifecycle.isBound else { return nil }
            let engines = AddressFamily.allCases.filter { $0 == family ?? $0 }.compactMap { sender.engine($0) }
            return engines.lazy.compactMap { try? $0.descriptor.localAddress() }.first { $0.port != 0 }
        }
    }

    /// For the app, inside `perform`, where nobody closes it.
    func descriptor(_ family: AddressFamily?) -> Int32 {
        guard isOnQueue else { return -1 }
        return sender.withLock { sender in
            let engines = AddressFamily.allCases.filter { $0 == family ?? $0 }.compactMap { sender.engine($0) }
            return engines.first?.descriptor.number ?? -1
        }
    }
}
