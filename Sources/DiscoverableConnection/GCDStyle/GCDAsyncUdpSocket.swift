public import Dispatch
public import Foundation

/// A UDP socket with a delegate on a queue: the class of that name in CocoaAsyncSocket, so that an app's networking file compiles
/// here by changing its imports.
///
/// All methods can be called on any thread. The delegate is told everything on its queue, in the order in which it happened; a
/// socket needs a delegate and a queue before it is bound or connected. The delegate is referred to weakly.
///
/// An address is a `Data` with a `sockaddr_in` or `sockaddr_in6`, as system calls take it.
///
/// - Important: No peer closes the socket, and nothing that the network reports does.
///
/// See <doc:MovingFromCocoaAsyncSocket> for what differs from the original, and why.
open class GCDAsyncUdpSocket: NSObject {
    let core: GCDSocketCore

    /// A socket without a delegate, on a queue of its own.
    public override convenience init() { self.init(delegate: nil, delegateQueue: nil, socketQueue: nil) }

    /// A socket without a delegate.
    ///
    /// - Parameter socketQueue: as below.
    public convenience init(socketQueue: DispatchQueue?) {
        self.init(delegate: nil, delegateQueue: nil, socketQueue: socketQueue)
    }

    /// A socket on a queue of its own.
    public convenience init(delegate: (any GCDAsyncUdpSocketDelegate)?, delegateQueue: DispatchQueue?) {
        self.init(delegate: delegate, delegateQueue: delegateQueue, socketQueue: nil)
    }

    /// A socket.
    ///
    /// - Parameters:
    ///   - delegate: who is told what happens; referred to weakly.
    ///   - delegateQueue: where the delegate is called. May be concurrent, and may be the socket's queue.
    ///   - socketQueue: where what changes the socket is done, one after the other; nil makes one. It must be serial. See
    ///     `markSocketQueueTargetQueue` for one with a target.
    public init(
        delegate: (any GCDAsyncUdpSocketDelegate)?,
        delegateQueue: DispatchQueue?,
        socketQueue: DispatchQueue?
    ) {
        core = GCDSocketCore(queue: socketQueue ?? DispatchQueue(label: GCDAsyncUdpSocketQueueName))
        super.init()
        core.outlet.setOwner(self)
        core.outlet.setTarget(delegate: .some(delegate), queue: .some(delegateQueue))
    }

    /// Closes the socket. The delegate is not told.
    deinit { core.abandon() }
}
