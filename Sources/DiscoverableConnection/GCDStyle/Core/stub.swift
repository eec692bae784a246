internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Dispatch
internal import Foundation

final class GCDOutlet: Sendable {
    var delegate: (any GCDAsyncUdpSocketDelegate)? { nil }
    var queue: DispatchQueue? { nil }
    var delegateAndQueue: ((any GCDAsyncUdpSocketDelegate)?, DispatchQueue?) { (nil, nil) }
    func setOwner(_ owner: GCDAsyncUdpSocket) {}
    func setTarget(delegate: (any GCDAsyncUdpSocketDelegate)?? = nil, queue: DispatchQueue?? = nil) {}
}
enum GCDDestination: Sendable { case peer, host(String, UInt16), address(SocketAddress) }
enum GCDMode { case once, continuous }

final class GCDSocketCore: Sendable {
    let queue: DispatchQueue
    let outlet = GCDOutlet()
    let settings = Locked(GCDSettings())
    init(queue: DispatchQueue) { self.queue = queue }
    func abandon() {}
    var configuration: GCDConfiguration { settings.withLock { $0.configuration } }
    func configure(_ change: (inout GCDConfiguration) -> Void) { settings.withLock { change(&$0.configuration) } }
    func onQueue<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T { try body() }
    var peer: SocketAddress? { nil }
    var isOpen: Bool { false }
    func speaks(_ family: AddressFamily) -> Bool { false }
    func localAddress(_ family: AddressFamily?) -> SocketAddress? { nil }
    func bind(port: UInt16, interface: String?) throws {}
    func bind(address: Data) throws {}
    func connect(to: GCDDestination) throws {}
    func connect(toAddress: Data) throws {}
    func join(_ group: String, interface: String?) throws {}
    func leave(_ group: String, interface: String?) throws {}
    func setReuse(_ flag: Bool) throws {}
    func setBroadcast(_ flag: Bool) throws {}
    func send(_ data: Data, to: GCDDestination, timeout: TimeInterval, tag: Int) {}
    func send(_ data: Data, toAddress: Data, timeout: TimeInterval, tag: Int) {}
    func setSendFilter(_ filter: GCDFilter<GCDAsyncUdpSocketSendFilterBlock>?) {}
    func setReceiveFilter(_ filter: GCDFilter<GCDAsyncUdpSocketReceiveFilterBlock>?) {}
    func receive(_ mode: GCDMode) throws {}
    func pauseReceiving() {}
    func close() {}
    func closeAfterSending() {}
    func mark(_ queue: DispatchQueue) {}
    func unmark(_ queue: DispatchQueue) {}
    func descriptor(_ family: AddressFamily?) -> Int32 { -1 }
}
