internal import DiscoverableCore
internal import Foundation

/// Something that the delegate is to be told.
enum GCDNotice: Sendable {
    case connected(SocketAddress)
    case notConnected(any Error)
    case sent(Int)
    case notSent(Int, any Error)
    case received(GCDArrivals)
    case passed([GCDPassed])
    case closed((any Error)?)
}

/// Datagrams that have arrived together, on their way to the filter or to the delegate.
struct GCDArrivals: Sendable {
    var batch: DatagramBatch
    /// Their place in the order of all.
    let sequence: UInt64
    /// The mode in which they were handed out: when it changes, those that were not told go back. Nil for one that was asked for.
    var stamp: UInt64?
    /// The number of closings before.
    let epoch: UInt64
    /// Whose datagrams are wanted; nil for all.
    let peer: SocketAddress?
    /// How many bytes of each are kept.
    let limit: Int

    /// Whether a datagram is one that the app is to see.
    func admits(_ source: SocketAddress) -> Bool {
        guard limit > 0 else { return false }
        guard let peer else { return true }
        return source.ip == peer.ip && source.port == peer.port
    }
}

/// A datagram that has passed the filter, with what that has made of it.
struct GCDPassed: Sendable {
    let data: Data
    let address: Data
    let context: Carried<AnyObject?>
}

/// Makes the data of datagrams and of their sources: one for each source in a row.
struct GCDDataMaker {
    private var source: SocketAddress?
    private(set) var address = Data()

    mutating func take(_ bytes: Span<UInt8>, from source: SocketAddress, limit: Int) -> Data {
        if source != self.source {
            self.source = source
            address = Data(source)
        }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return Data() }
            return unsafe Data(bytes: start, count: min(bytes.count, limit))
        }
    }
}
