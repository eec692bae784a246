@_spi(Package) internal import DiscoverableRuntime
public import Dispatch

extension Discoverable {
    /// Who is told what happens. An object is not kept alive by the service; anything else is.
    ///
    /// A delegate that is set later is told what happens from then on.
    public var delegate: (any DiscoverableDelegate)? {
        get { driver.content.withLock { $0.notices.delegate }?.delegate }
        set {
            let reference = newValue.map { DelegateReference($0) }
            let replaced = driver.content.withLock { content in
                let replaced = content.notices.delegate
                content.notices.delegate = reference
                return replaced
            }
            // What the app's value holds goes here, not inside the lock.
            withExtendedLifetime(replaced) {}
        }
    }

    /// Where the delegate is called: a serial queue, the main one at first. To be set before the delegate.
    ///
    /// Where the app calls the service on this very queue, the delegate is told what follows from that before the call returns;
    /// where the app does so inside a call of the delegate, afterwards: no call of the delegate is made inside another one.
    public var delegateQueue: DispatchQueue {
        get { driver.content.withLock { $0.notices.queue }.queue }
        set {
            let queue = DelegateQueue(newValue)
            driver.content.withLock { $0.notices.queue = queue }
        }
    }

    /// What the peer is told that we are called, from the next connection on; nil for the host's name. Of more than some
    /// 1,000 bytes the end is cut.
    public var deviceName: String? {
        get { driver.content.withLock { $0.configuration.deviceName } }
        set { driver.content.withLock { $0.configuration.deviceName = newValue } }
    }

    /// What the protocol's words begin with, from the next connection on: `dscv`, or `astv` for the peers of its predecessor. 1 to
    /// 32 letters, digits, `-` or `_`; with anything else a connection fails with `discoverIncorrectConfiguration`.
    public var prefix: String {
        get { driver.content.withLock { $0.configuration.prefix } }
        set { driver.content.withLock { $0.configuration.prefix = newValue } }
    }
}

extension Discoverable: Hashable {
    /// Whether both are the same object.
    public static func == (left: Discoverable, right: Discoverable) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
