// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The name of the exception that the original throws; here nothing throws one.
public let GCDAsyncUdpSocketException = "GCDAsyncUdpSocketException"

/// The domain of `GCDAsyncUdpSocketError` as an `NSError`.
public let GCDAsyncUdpSocketErrorDomain = "GCDAsyncUdpSocketErrorDomain"

/// The label of a queue that a socket makes for itself.
public let GCDAsyncUdpSocketQueueName = "GCDAsyncUdpSocket"

/// The name of the thread that all these sockets share.
public let GCDAsyncUdpSocketThreadName = "GCDAsyncUdp"

/// Decides whether a datagram that has arrived is told to the delegate: gets its content, where it came from, and a place for something
/// that the delegate gets with it.
public typealias GCDAsyncUdpSocketReceiveFilterBlock = (
    _ data: Data, _ address: Data, _ context: AutoreleasingUnsafeMutablePointer<AnyObject?>
) -> Bool

/// Decides whether a datagram really leaves: gets its content, where it goes, and its tag. The delegate is told that it was sent in both
/// cases.
public typealias GCDAsyncUdpSocketSendFilterBlock = (_ data: Data, _ address: Data, _ tag: Int) -> Bool

/// A place that a block may put an object into. On Apple's systems the standard library has a type of this name; here it holds the object
/// like any other property.
public struct AutoreleasingUnsafeMutablePointer<Pointee> {
    private final class Place {
        var value: Pointee
        init(_ value: Pointee) { self.value = value }
    }

    private let place: Place

    init(_ value: Pointee) { place = Place(value) }

    /// What stands there.
    public var pointee: Pointee {
        get { place.value }
        nonmutating set { place.value = newValue }
    }
}
