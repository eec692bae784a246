internal import DiscoverableCore

/// What the app has set, and what outlives the socket's closing.
struct GCDSettings: Sendable {
    var configuration = GCDConfiguration()
    var offloads: UDPSocket.Offloads = .all
    var userData = Carried<Any?>(nil)
    var sendFilter: GCDFilter<GCDAsyncUdpSocketSendFilterBlock>?
}
