import DiscoverableCore
import Testing

@Suite("GCD style: what may be done when")
struct GCDLifecycleTests {
    private let peer = SocketAddress(.v4(.loopback), port: 1)

    private func refusal(_ body: () throws(GCDRefusal) -> Void) -> GCDRefusal? {
        do throws(GCDRefusal) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("1: without a delegate or a queue nothing is bound")
    func delegates() {
        #expect(
            refusal { () throws(GCDRefusal) in try GCDLifecycle.require(hasDelegate: false, hasQueue: true) }
                == .noDelegate
        )
        let noQueue = refusal { () throws(GCDRefusal) in try GCDLifecycle.require(hasDelegate: true, hasQueue: false) }
        #expect(noQueue == .noDelegateQueue)
        #expect(refusal { () throws(GCDRefusal) in try GCDLifecycle.require(hasDelegate: true, hasQueue: true) } == nil)
    }

    @Test("3, 4, 5: binding happens once, before connecting, and needs a family")
    func binding() {
        var configuration = GCDConfiguration()
        var lifecycle = GCDLifecycle()
        #expect(refusal { () throws(GCDRefusal) in try lifecycle.checkBind(configuration) } == nil)
        lifecycle.opened(.ipv4)
        lifecycle.beganConnecting()
        #expect(refusal { () throws(GCDRefusal) in try lifecycle.checkBind(configuration) } == .isConnecting)
        #expect(refusal { () throws(GCDRefusal) in try lifecycle.checkConnect(configuration) } == .isConnecting)
        lifecycle.failedToConnect()
        #expect(refusal { () throws(GCDRefusal) in try lifecycle.checkConnect(configuration) } == nil)
        lifecycle.bound()
        #expect(refusal { () throws(GCDRefusal) in try lifecycle.checkBind(configuration) } == .alreadyBound)
        configuration.setEnabled(false, .ipv4)
        configuration.setEnabled(false, .ipv6)
        #expect(refusal { () throws(GCDRefusal) in try GCDLifecycle().checkBind(configuration) } == .noFamily)
        #expect(refusal { () throws(GCDRefusal) in try GCDLifecycle().checkConnect(configuration) } == .noFamily)
    }

    @Test("7, 9: a connected socket is connected once, and joins no groups")
    func connected() {
        var lifecycle = GCDLifecycle()
        #expect(refusal { () throws(GCDRefusal) in try lifecycle.checkGroup() } == .notBound)
        lifecycle.opened(.ipv4)
        lifecycle.bound()
        #expect(refusal { () throws(GCDRefusal) in try lifecycle.checkGroup() } == nil)
        lifecycle.connected(to: peer)
        #expect(lifecycle.peer == peer && lifecycle.isBound)
        #expect(refusal { () throws(GCDRefusal) in try lifecycle.checkGroup() } == .connectedHasNoGroups)
        #expect(
            refusal { () throws(GCDRefusal) in try lifecycle.checkConnect(GCDConfiguration()) } == .alreadyConnected
        )
        #expect(refusal { () throws(GCDRefusal) in try lifecycle.checkBind(GCDConfiguration()) } == .alreadyBound)
    }

    @Test("8: receiving needs a socket, not a port")
    func receiving() {
        var lifecycle = GCDLifecycle()
        #expect(refusal { () throws(GCDRefusal) in try lifecycle.checkReceive() } == .notOpen)
        lifecycle.opened(.ipv6)
        #expect(refusal { () throws(GCDRefusal) in try lifecycle.checkReceive() } == nil)
        lifecycle.closed(.ipv6)
        #expect(!lifecycle.isOpen)
    }

    @Test("18, B6: the preferred family, else the first address, of families that the socket has")
    func preference() {
        let addresses = [SocketAddress(.v6(.loopback), port: 1), peer, SocketAddress(.v4(.loopback), port: 2)]
        var configuration = GCDConfiguration()
        #expect(configuration.choose(from: addresses) { _ in true } == addresses[0])
        configuration.preference = .ipv4
        #expect(configuration.choose(from: addresses) { _ in true } == peer)
        #expect(configuration.choose(from: addresses) { $0 == .ipv6 } == addresses[0])
        configuration.preference = .ipv6
        #expect(configuration.choose(from: [peer]) { _ in true } == peer)
        #expect(configuration.choose(from: [peer]) { $0 == .ipv6 } == nil)
    }

    @Test("Refusals have the header's numbers")
    func codes() {
        #expect(GCDRefusal.alreadyBound.code.rawValue == 1)
        #expect(GCDRefusal.noSuchInterface("x").code.rawValue == 2)
        #expect(GCDRefusal.timedOut.code.rawValue == 3)
        #expect(GCDRefusal.noUsableAddress.code.rawValue == 5)
        #expect(GCDRefusal.noSuchInterface("x").explanation.contains("\"x\""))
    }
}
